"""What a published debate comes to, in the numbers of its own report beside those of every other protocol."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from madbench.protocols.adversarial_review_legacy_debate import LegacyDebate
from madbench.protocols.adversarial_review_legacy_reading import seems_verified
from madbench.types import Answers, Outcome, StopReason, canonical_findings, event_of


def legacy_outcome(debate: LegacyDebate, reviews: Sequence[str | None], stop: StopReason) -> Outcome:
    """Survivors are claims that were not conceded; `upheld` those that the package counts as such."""
    tracked = debate.tracked()
    gone = {each.claim for each in debate.concessions}
    last = _positions(debate, reviews, gone)
    heard = any(position is not None for position in last)
    upheld = [debate.claims[name] for name in sorted(tracked.upheld)]
    left = [claim for name, claim in debate.claims.items() if name not in gone]
    return Outcome(
        canonical_findings(left) if heard else None,
        (_positions(debate, reviews, set()), last),
        stop,
        ledger=tuple(map(event_of, debate.ledger)),
        facts={**legacy_facts(debate), "views": {"upheld": canonical_findings(upheld)}},
    )


def legacy_facts(debate: LegacyDebate) -> dict[str, JsonValue]:
    """The package's own numbers, each under the name `legacy_…`."""
    tracked = debate.tracked()
    claims = debate.claims.values()
    return {
        "legacy_convergence": tracked.convergence,
        "legacy_verdict": tracked.verdict,
        "reached_verdict": tracked.verdict == "verdict",
        "legacy_theater": tracked.theater,
        "legacy_theater_first": tracked.theater_first,
        "legacy_capitulation": tracked.capitulation,
        "legacy_resolved": [*tracked.settled_list],
        "legacy_unverified": sum(not seems_verified(each.references, each.severity) for each in claims),
        "legacy_degraded_rounds": [*sorted(debate.degraded)],
        "claims": len(claims),
    }


def _positions(debate: LegacyDebate, reviews: Sequence[str | None], gone: set[str]) -> Answers:
    return tuple(
        None
        if review is None
        else canonical_findings(
            claim
            for name, claim in debate.claims.items()
            if name.startswith(f"cl_{side}_") and name not in gone
        )
        for side, review in zip("AB", reviews, strict=True)
    )
