"""A stage for protocols: an engine that says what a script says, and one call that plays an episode on it."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from madbench.agents import Cast, Episode, Scene
from madbench.types import (
    Completion,
    ContextError,
    Extraction,
    Outcome,
    ParseStatus,
    Problem,
    ProtocolSettings,
    Request,
    RoleSettings,
    Turn,
)

Script = Callable[[Request], str]


@dataclass
class Scripted:
    """An engine whose words come from a script. A token is a word; a longer reply than allowed is cut."""

    script: Script
    context: int = 1_000_000
    heard: list[Request] = field(default_factory=list)

    async def generate(self, request: Request) -> Completion:
        if (over := self.excess(request)) > 0:
            raise ContextError(f"prompt exceeds the context by {over} tokens")
        self.heard.append(request)
        words = self.script(request).split(" ")
        for _ in range(request.seed % 5):  # replies arrive in another order than they were asked for
            await asyncio.sleep(0)
        kept = words[: request.sampling.max_tokens]
        finish = "stop" if len(kept) == len(words) else "length"
        return Completion(" ".join(kept), finish, prompt_size(request), len(kept))

    def excess(self, request: Request) -> int:
        return prompt_size(request) + request.sampling.max_tokens - self.context

    def identity(self, request: Request) -> str:
        seed = request.seed if request.sampling.temperature else 0
        return hashlib.sha256(
            repr((request.messages, request.sampling, request.schema, seed)).encode()
        ).hexdigest()


def prompt_size(request: Request) -> int:
    return sum(len(message.text.split()) for message in request.messages)


@dataclass(frozen=True)
class Marked:
    """Reads what follows the last `Answer:`."""

    instruction: str = "End with a line `Answer: ` and your answer."

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        _, mark, tail = text.rpartition("Answer:")
        answer = self.canonical(tail) if mark else None
        missing = ParseStatus.TRUNCATED if cut else ParseStatus.MISSING
        return Extraction(answer, ParseStatus.OK if answer else missing, "mark" if answer else "none")

    def canonical(self, answer: str) -> str | None:
        return answer.strip() or None

    def schema(self) -> dict:
        return {"type": "string", "maxLength": 8}


SUM = Problem("sum", "sum", "How many are four apples and five apples taken together?", Marked())
OTHER = Problem(
    "other", "other", "Which of the planets is the third from the sun, counted outwards?", Marked()
)


@dataclass(frozen=True)
class Played:
    """One episode: how it ended, and its turns as they were written."""

    outcome: Outcome
    turns: tuple[Turn, ...]

    def asked(self, role: str, seat: int, round: int) -> str:
        """The last message of what a seat was sent in a round."""
        return self.turn(role, seat, round).request.messages[-1].text

    def turn(self, role: str, seat: int, round: int) -> Turn:
        (found,) = (
            turn
            for turn in self.turns
            if not turn.spare
            and (turn.speaker.role, turn.speaker.seat, turn.speaker.round) == (role, seat, round)
        )
        return found

    @property
    def own(self) -> tuple[Turn, ...]:
        """The turns that the arm is charged for."""
        return tuple(turn for turn in self.turns if not turn.spare)


def stage(
    protocol: ProtocolSettings,
    script: Script | Mapping[str, Script],
    *,
    problem: Problem = SUM,
    settings: RoleSettings | None = None,
    context: int = 1_000_000,
) -> Scene:
    """A scene in which every role (or each its own) speaks by a script."""
    scripts = script if isinstance(script, Mapping) else {"default": script}
    cast = Cast({role: [Scripted(words, context)] for role, words in scripts.items()})
    return Scene(problem, OTHER, cast, protocol, settings or RoleSettings(), seed=0)


def play(scene: Scene) -> Played:
    """One episode from start to end, with a fresh memory where the protocol has one; raises what it raises."""
    turns: list[Turn] = []
    episode = Episode(scene, turns.append)
    if hasattr(scene.protocol, "begin"):
        outcome, _ = asyncio.run(scene.protocol(scene.problem, episode, scene.protocol.begin()))
    else:
        outcome = asyncio.run(scene.protocol(scene.problem, episode))
    return Played(outcome, tuple(turns))
