"""The line between one seat and the engine that plays it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from madbench.agents.context import Prompt, fit
from madbench.agents.leaks import Guard
from madbench.agents.order import InOrder
from madbench.agents.prompts import render_repair
from madbench.agents.reading import Read, SaidT, read
from madbench.types import (
    Completion,
    Engine,
    Message,
    ParseStatus,
    Problem,
    Reading,
    Reply,
    Request,
    RoleSettings,
    Speaker,
    Turn,
    ask_seed,
)

NOTHING = Completion("", "stop", 0, 0)
UNREAD = Reading(ParseStatus.MISSING, "")


@dataclass(frozen=True, slots=True)
class Line:
    """Who is played by which engine, under which settings; `seed` is the episode's own."""

    problem: Problem
    engine: Engine
    settings: RoleSettings
    seed: int
    spare: bool
    guard: Guard
    turns: InOrder

    async def ask(
        self, prompt: Prompt, speaker: Speaker, says: type[SaidT]
    ) -> tuple[Prompt, str, Read[SaidT]]:
        """Generate, read, and repair as often as the contract allows.

        Returns the prompt as it was sent, the last raw text and what was read from it.
        """
        attempts = 1 + (
            self.settings.contract.repairs if self.settings.contract.enforcement == "repair" else 0
        )
        earlier: SaidT | None = None
        with self.turns.ask() as write:
            for attempt in range(attempts):
                asked = replace(speaker, attempt=attempt) if attempt else speaker
                prompt, turn, result = await self._attempt(prompt, asked, says, earlier)
                write(turn)
                text, earlier = turn.completion.text, result.said
                if result.complete:
                    break
                request = render_repair(result.reading.note, self._wanted(says), self.settings)
                prompt = replace(prompt, repairs=(Message("assistant", text), Message("user", request)))
        return prompt, text, result

    async def _attempt(
        self, prompt: Prompt, speaker: Speaker, says: type[SaidT], earlier: SaidT | None
    ) -> tuple[Prompt, Turn, Read[SaidT]]:
        asking = self._asking(speaker, self._schema(says))
        prompt, request = fit(prompt, asking, self.engine.excess)
        seen = type(prompt.seen).__name__
        if self.guard.edges:
            self.guard.check(Turn(speaker, seen, request, NOTHING, UNREAD))
        completion = await self.engine.generate(request)
        result = read(says, completion, self.problem, repaired=speaker.attempt > 0, earlier=earlier)
        turn = Turn(speaker, seen, request, completion, result.reading, prompt.cuts, self.spare)
        self.guard.hear(turn)
        return prompt, turn, result

    def _asking(self, speaker: Speaker, schema: str | None) -> Callable[[tuple[Message, ...]], Request]:
        """What makes this ask's request of whatever messages fit."""
        seed = ask_seed(self.seed, speaker.role, speaker.seat, turn=speaker.turn, attempt=speaker.attempt)
        return partial(Request, sampling=self.settings.sampling, seed=seed, schema=schema)

    def _schema(self, says: type[Reply]) -> str | None:
        if self.settings.contract.enforcement != "grammar":
            return None
        schema = says.form(self.problem)  # a grammar writes fields in this order: reasons come first
        return None if schema is None else json.dumps(schema, separators=(",", ":"))

    def _wanted(self, says: type[Reply]) -> str:
        schema = says.form(self.problem)
        return (
            self.problem.reader.instruction
            if schema is None
            else f"One JSON object of this schema: {json.dumps(schema)}"
        )
