"""From an isolated review to a side's claims."""

from __future__ import annotations

from madbench.protocols.adversarial_review_degraded import degraded
from madbench.protocols.adversarial_review_evidence import unresolved
from madbench.protocols.replies import Statement
from madbench.types import AnyEntry, Artifact, Claimed, Fault, Finding, findings_of

WEIGHT = {"high": 0, "medium": 1, "low": 2}
SIDES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Sides are letters, in the order of seats."""


def entries_of(side: str, review: Statement, artifact: Artifact, cap: int) -> list[AnyEntry]:
    """A side's claims, with ids of its own, and what of its review became none.

    A claim that says the same of the same lines as one before it is refused; beyond the cap the least severe are.
    """
    entries: list[AnyEntry] = []
    found = findings_of(review.answer)
    said = " ".join(finding.text for finding in found) or review.text
    if flag := degraded(said, read=review.answer is not None):
        entries.append(Fault(by=side, round=0, what="degraded", text=flag))
    if review.answer is None:
        entries.append(Fault(by=side, round=0, what="unread", text="a review without findings"))
    once: dict[tuple[object, str], Finding] = {}
    for finding in found:
        words = (finding.span, " ".join(finding.text.lower().split()))
        if words in once:
            entries.append(Fault(by=side, round=0, what="duplicate_id", text=finding.text))
        once.setdefault(words, finding)
    heaviest = sorted(once, key=lambda words: WEIGHT[once[words].severity])
    entries += [Fault(by=side, round=0, what="over_cap", text=once[words].text) for words in heaviest[cap:]]
    kept = [once[words] for words in once if words in heaviest[:cap]]
    return [*entries, *(_claim(side, number, finding, artifact) for number, finding in enumerate(kept, 1))]


def _claim(side: str, number: int, finding: Finding, artifact: Artifact) -> Claimed:
    span = finding.span
    place = f"{span.document}:{span.first}-{span.last}"
    missing = unresolved((place, *finding.references), artifact)
    named = finding.model_copy(update={"id": f"{side}/{number}"})
    return Claimed(by=side, round=0, finding=named, unresolved=missing)
