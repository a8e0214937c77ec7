"""The ledger of a debate about claims: an append-only list of small events, each of a closed kind.

Ids: a claim is `<side>/<number>` (`A/1`), an objection `<objector>/<round>/<number>` (`B/1/2`). Sides are
letters in the order of seats.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from madbench.types.models import Strict
from madbench.types.reviews import Finding, Severity
from madbench.types.transcript import Event

Move = Literal["CONCEDED", "REBUTTED", "CARRIED"]


class Entry(Strict):
    """What happened in `round` (0: the isolated reviews), by which side (or `engine`)."""

    kind: str
    by: str
    round: int


class Claimed(Entry):
    """A side's own finding, `finding.id` being the claim's id; `unresolved` are references that do not exist."""

    kind: Literal["claimed"] = "claimed"
    finding: Finding
    unresolved: tuple[str, ...] = ()


class Objected(Entry):
    """An opponent's objection to a claim."""

    kind: Literal["objected"] = "objected"
    objection: str
    claim: str
    text: str
    severity: Severity = "medium"
    references: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()


class Answered(Entry):
    """The claim owner's move. `fault` says what the strict contract finds wanting in it; nothing if it is valid."""

    kind: Literal["answered"] = "answered"
    objection: str
    claim: str
    move: Move
    reason: str = ""
    references: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    fault: str = ""

    @property
    def valid(self) -> bool:
        return not self.fault


class Unaddressed(Entry):
    """An objection that no move answered, repairs included."""

    kind: Literal["unaddressed"] = "unaddressed"
    objection: str
    claim: str


class Withdrawn(Entry):
    """The objector drops its objection after the answer: the claim stands."""

    kind: Literal["withdrawn"] = "withdrawn"
    objection: str
    claim: str


class Maintained(Entry):
    """The objector keeps its objection after the answer."""

    kind: Literal["maintained"] = "maintained"
    objection: str
    claim: str
    reason: str = ""


class Accepted(Entry):
    """An opponent states, in a field of its own, that a claim is right: the claim is upheld."""

    kind: Literal["accepted"] = "accepted"
    claim: str


class Passed(Entry):
    """An opponent neither objects to a claim nor accepts it: the cheapest stand there is."""

    kind: Literal["passed"] = "passed"
    claim: str
    reason: str = ""


class Fault(Entry):
    """Something that the form forbids: an unknown or duplicate id, a claim over the cap, a new claim in a round."""

    kind: Literal["integrity"] = "integrity"
    what: Literal["unknown_id", "duplicate_id", "over_cap", "late_claim", "degraded", "unread"]
    text: str = ""


AnyEntry = Annotated[
    Claimed | Objected | Answered | Unaddressed | Withdrawn | Maintained | Accepted | Passed | Fault,
    Field(discriminator="kind"),
]
ENTRIES: TypeAdapter[AnyEntry] = TypeAdapter(AnyEntry)


def event_of(entry: AnyEntry) -> Event:
    """The entry as a row of an outcome's ledger."""
    facts = entry.model_dump(mode="json", exclude={"kind", "by", "round"})
    text = str(facts.get("text") or facts.get("reason") or "")
    return Event(entry.kind, entry.by, entry.round, text, facts)


def entry_of(event: Event) -> AnyEntry | None:
    """The entry in a ledger's row; None for events of protocols that debate no claims."""
    try:
        return ENTRIES.validate_python(
            {"kind": event.kind, "by": event.by, "round": event.round, **event.facts}, strict=False
        )
    except ValidationError:
        return None
