"""The chair of a round table asks again what a gate rejects, at most so often; then the reply is given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from madbench.agents import Agent
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


@dataclass(frozen=True, slots=True)
class Heard(Generic[SaidT]):
    """What came of asking one persona: its reply (None: nothing that passed), and what happened on the way."""

    said: SaidT | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Chair:
    gates: Gates
    retries: int

    async def hear(
        self,
        who: tuple[str, int],
        agent: Agent[SeenT, SaidT],
        seen: SeenT,
        faults: Callable[[SaidT], Iterable[Fault]],
    ) -> Heard[SaidT]:
        """`who` is the persona and the round. A reply that cannot be read is no reply."""
        events: list[Event] = []
        for attempt in range(1 + self.retries):
            try:
                said = await agent.ask(seen, round=who[1])
            except FormatError as error:
                return Heard(None, (*events, Event("unread", *who, str(error))))
            checks = [self._checked(who, attempt, fault) for fault in faults(said)]
            events.extend(checks)
            rejected: tuple[str, ...] = tuple(check.text for check in checks if check.kind == "rejected")
            if not rejected:
                return Heard(said, tuple(events))
            if attempt < self.retries:
                events.append(Event("retried", *who, facts={"attempt": attempt + 1}))
            seen = seen.model_copy(update={"rejected": (*seen.rejected, *rejected)})
        return Heard(None, (*events, Event("gave_up", *who)))

    def _checked(self, who: tuple[str, int], attempt: int, fault: Fault) -> Event:
        gate, wanting = fault
        kind = "cleared" if not wanting else "rejected" if self.gates.enforced(gate) else "breached"
        return Event(kind, *who, wanting, {"gate": gate, "attempt": attempt})
