"""What a debate comes to: a verdict or a dispute, and the findings that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from madbench.protocols.adversarial_review_claims import WEIGHT
from madbench.protocols.adversarial_review_ledger import Ledger
from madbench.types import (
    Accepted,
    Answers,
    Fault,
    Finding,
    Objected,
    Outcome,
    Passed,
    StopReason,
    canonical_findings,
    event_of,
)

STRONGEST = 5
Verdict = Literal["verdict", "dispute", "all_conceded", "no_claims", "unheard"]


def verdict(ledger: Ledger) -> Verdict:
    """A verdict needs a claim that stands, and no open objection; but not for want of anything that could be read."""
    if not ledger.claims():
        return "no_claims"
    if not ledger.standing():
        return "all_conceded"
    unread = any(each.what == "unread" and each.round for each in ledger.of(Fault))
    if unread and not any(isinstance(entry, Objected | Accepted | Passed) for entry in ledger.entries):
        return "unheard"
    return "dispute" if ledger.open() else "verdict"


def standing_of(ledger: Ledger, sides: str) -> Answers:
    """Each side's standing findings; None for a side whose review could not be read."""
    silent = {each.by for each in ledger.of(Fault) if each.what == "unread" and each.round == 0}
    return tuple(None if side in silent else canonical_findings(ledger.standing(side)) for side in sides)


def upheld(ledger: Ledger) -> list[Finding]:
    """Claims that an opponent said are right, and that no objection is open against."""
    agreed, disputed = {each.claim for each in ledger.of(Accepted)}, _disputed(ledger)
    return [claim for claim in ledger.standing() if claim.id in agreed - disputed]


def report(ledger: Ledger, sides: str, resolutions: Mapping[str, str]) -> dict[str, JsonValue]:
    """The verdict, strongest points a side, claims given up, upheld and in dispute, and what would settle these."""
    settled = [claim for claim in ledger.standing() if claim.id not in _disputed(ledger)]
    return {
        "claims": len(ledger.claims()),
        "verdict": verdict(ledger),
        "reached_verdict": verdict(ledger) == "verdict",
        "strongest": {side: strongest(ledger.standing(side)) for side in sides},
        "conceded": [*sorted(ledger.conceded())],
        "upheld": [claim.id for claim in upheld(ledger)],
        "unresolved": [
            {
                "objection": each.objection.objection,
                "claim": each.claim.id,
                "would_resolve_if": resolutions.get(each.objection.objection),
            }
            for each in ledger.open()
        ],
        "views": {"upheld": canonical_findings(upheld(ledger)), "settled": canonical_findings(settled)},
    }


def strongest(claims: Sequence[Finding]) -> list[JsonValue]:
    """The ids of a side's most severe claims."""
    return [claim.id for claim in sorted(claims, key=lambda claim: WEIGHT[claim.severity])[:STRONGEST]]


def outcome(
    ledger: Ledger, positions: Sequence[Answers], stop: StopReason, facts: Mapping[str, JsonValue]
) -> Outcome:
    """The answer is all that stands; None if no side's review could be read."""
    heard = any(position is not None for position in positions[-1])
    answer = canonical_findings(ledger.standing()) if heard else None
    events = tuple(map(event_of, ledger.entries))
    return Outcome(answer, tuple(positions), stop, ledger=events, facts=facts)


def _disputed(ledger: Ledger) -> set[str]:
    return {each.claim.id for each in ledger.open()}
