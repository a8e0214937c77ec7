"""Who watches an episode: the order in which asks began, whatever order the replies came in."""

from __future__ import annotations

from dataclasses import dataclass, field

from madbench.agents import Cast
from madbench.types import Completion, Engine, Request, Turn


@dataclass(frozen=True, slots=True)
class Witness:
    """An episode's turns as they were written, and its requests as they were begun."""

    played_by: Cast
    turns: list[Turn] = field(default_factory=list)
    begun: dict[int, int] = field(default_factory=dict)
    """By a request's `id`, how many were begun before it; the turns keep the requests alive."""

    @property
    def cast(self) -> Cast:
        """The cast, each of whose engines reports here."""
        seats = self.played_by.engines
        return Cast({role: [Watched(engine, self.begun) for engine in seats[role]] for role in seats})


@dataclass(frozen=True, slots=True)
class Watched:
    """An engine that says when each request begins."""

    engine: Engine
    begun: dict[int, int]

    async def generate(self, request: Request) -> Completion:
        self.begun.setdefault(id(request), len(self.begun))
        return await self.engine.generate(request)

    def excess(self, request: Request) -> int:
        return self.engine.excess(request)

    def identity(self, request: Request) -> str:
        return self.engine.identity(request)


def in_order(witness: Witness) -> tuple[Turn, ...]:
    """The turns in an order that does not depend on which reply came first.

    Rounds follow one another; within a round, so do its phases (what one role was shown by one observation),
    by when each first began; within a phase, seats.
    """
    phases: dict[tuple[int, str, str, bool], int] = {}
    for turn in witness.turns:
        phase, begun = _phase(turn), witness.begun[id(turn.request)]
        phases[phase] = min(begun, phases.get(phase, begun))

    def place(turn: Turn) -> tuple[int, ...]:
        speaker = turn.speaker
        return (speaker.round, phases[_phase(turn)], speaker.seat, speaker.turn, speaker.attempt)

    return tuple(sorted(witness.turns, key=place))


def _phase(turn: Turn) -> tuple[int, str, str, bool]:
    return (turn.speaker.round, turn.speaker.role, turn.seen, turn.spare)
