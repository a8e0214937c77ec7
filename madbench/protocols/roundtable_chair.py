"""The chair of a round table asks again what a gate rejects, at most so often; then the reply is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import JsonValue

from madbench.agents import Agent, together
from madbench.protocols.roundtable_forms import Contribution, Proposal, Vote
from madbench.protocols.roundtable_gates import Fault, Gates
from madbench.protocols.roundtable_seen import Ballot, Draft, Floor
from madbench.types import Event, FormatError, InputError, check_settings

SeenT = TypeVar("SeenT", Floor, Draft, Ballot)
SaidT = TypeVar("SaidT", bound=Contribution | Proposal | Vote)


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How the table talks: one after another or all at once, on how many of the last contributions (None: all), in
    which forms, and how often a persona is asked again where a gate rejects.
    """

    schedule: Literal["sequential", "synchronous"] = "sequential"
    window: int | None = None
    forms: Literal["full", "brief"] = "full"
    retries: int = 2

    def __post_init__(self) -> None:
        check_settings(self, "protocol.manner")
        if self.retries < 0 or (self.window is not None and self.window < 1):
            raise InputError(f"protocol.manner: {self}; wanted retries >= 0, and window >= 1 or null")


@dataclass
class Hearing(Generic[SeenT, SaidT]):
    """One persona's decision under way: `said` is what passed the gates, `events` what happened on the way."""

    who: tuple[str, int]
    """The persona, and the round."""
    agent: Agent[SeenT, SaidT]
    seen: SeenT
    faults: Callable[[SaidT], Iterable[Fault]]
    said: SaidT | None = None
    events: list[Event] = field(default_factory=list)
    closed: bool = False

    def note(self, kind: str, text: str = "", **facts: JsonValue) -> None:
        self.events.append(Event(kind, *self.who, text, facts))


@dataclass(frozen=True, slots=True)
class Chair:
    gates: Gates
    retries: int

    async def hear(self, *hearings: Hearing[SeenT, SaidT]) -> None:
        """Hear all at once; then, at once again, those that a gate sent back. What cannot be read is no reply."""
        for attempt in range(1 + self.retries):
            await together(*(self._once(hearing, attempt) for hearing in hearings if not hearing.closed))
        for hearing in hearings:
            if not hearing.closed:
                hearing.note("gave_up")

    async def _once(self, hearing: Hearing[SeenT, SaidT], attempt: int) -> None:
        if attempt:
            hearing.note("retried", attempt=attempt)
        try:
            said = await hearing.agent.ask(hearing.seen, round=hearing.who[1])
        except FormatError as error:
            hearing.note("unread", str(error))
            hearing.closed = True
            return
        rejected: list[str] = [
            wanting for gate, wanting in hearing.faults(said) if self._sends_back(hearing, gate, wanting)
        ]
        if rejected:
            reasons = (*hearing.seen.rejected, *rejected)
            hearing.seen = hearing.seen.model_copy(update={"rejected": reasons})
        else:
            hearing.said, hearing.closed = said, True

    def _sends_back(self, hearing: Hearing[SeenT, SaidT], gate: str, wanting: str) -> bool:
        """Whether a gate's finding rejects a reply; every finding is noted, that all is well too."""
        kind = "cleared" if not wanting else "rejected" if self.gates.enforced(gate) else "breached"
        hearing.note(kind, wanting, gate=gate)
        return kind == "rejected"
