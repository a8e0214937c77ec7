"""One role's conversation: it is shown observations, and gives back replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from madbench.agents.context import Prompt
from madbench.agents.line import Line
from madbench.types import FormatError, LeakError, Message, Observation, Problem, Reply, Speaker, Strict

SeenT = TypeVar("SeenT", bound=Observation)
SaidT = TypeVar("SaidT", bound=Reply)
OtherSeenT = TypeVar("OtherSeenT", bound=Observation)
OtherSaidT = TypeVar("OtherSaidT", bound=Reply)


class Memory(Strict):
    """What a conversation remembers of its exchanges: all, or nothing. Opaque to protocols."""

    messages: tuple[Message, ...] = ()
    keep: Literal["all", "nothing"] = "all"


@dataclass
class Conversation:
    """What the agents of one seat share: the words so far and the count of asks."""

    opening: tuple[Message, ...]
    memory: Memory
    turn: int = 0
    probability: float | None = None

    def remember(self, *messages: Message) -> None:
        if self.memory.keep == "all":
            self.memory = Memory(messages=(*self.memory.messages, *messages))


class Agent(Generic[SeenT, SaidT]):
    """One seat of a role. What it sees is a SeenT; all it gives back is a SaidT."""

    def __init__(
        self, who: tuple[str, int], sees: type[SeenT], says: type[SaidT], line: Line, talk: Conversation
    ) -> None:
        self._who, self._sees, self._says, self._line, self._talk = who, sees, says, line, talk

    @property
    def memory(self) -> Memory:
        """What this conversation would remember in a later episode of its session."""
        return self._talk.memory

    @property
    def probability(self) -> float | None:
        """How probable the model found the answer in its last reply, 0 to 1; None where that is not known."""
        return self._talk.probability

    def also(self, *, sees: type[OtherSeenT], says: type[OtherSaidT]) -> Agent[OtherSeenT, OtherSaidT]:
        """The same seat and conversation, asked for something else."""
        return Agent(self._who, sees, says, self._line, self._talk)

    async def ask(self, seen: SeenT, *, round: int | None = None) -> SaidT:
        """Show an observation, get the reply; `round` is the protocol's (default: this seat's count of asks).

        Raises FormatError if no repair made the reply readable, ContextError if the prompt cannot be cut to fit.
        """
        role, seat = self._who
        if type(seen) is not self._sees:
            raise LeakError(f"{role} sees {self._sees.__name__}, was shown {type(seen).__name__}")
        turn, self._talk.turn = self._talk.turn, self._talk.turn + 1
        speaker = Speaker(role, seat, turn if round is None else round, turn)
        prompt = Prompt(self._talk.opening, self._talk.memory.messages, seen, self._line.settings)
        prompt, text, result = await self._line.ask(prompt, speaker, self._says)
        self._talk.remember(prompt.shown, Message("assistant", text))
        self._talk.probability = result.reading.probability
        if result.said is None:
            raise FormatError(f"{role}{seat}: {result.reading.note}")
        return result.said


def worked_examples(problem: Problem) -> tuple[Message, ...]:
    """A problem's shots as the chat turns that come before the question."""
    return tuple(
        message
        for shot in problem.shots
        for message in (Message("user", shot.prompt), Message("assistant", shot.reply))
    )
