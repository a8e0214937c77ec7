"""The strict contract: what makes a move valid. Judged in every arm, whatever its roles were told."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.metrics.wording import content, words
from madbench.protocols.adversarial_review_evidence import cited, unresolved
from madbench.types import Artifact, Move

SPECIFIC = 4
"""A reason is specific if it has so many content words (numbers, or four letters and more) …"""
COPIED = 0.8
"""… of which less than this share stands in the objection, or in any one of its owner's earlier words."""


def fault_of(
    move: Move, reason: str, evidence: Sequence[str], against: Sequence[str], artifact: Artifact
) -> str:
    """What is wanting in a move; nothing in a valid one.

    A concession may be bare. REBUTTED and CARRIED need a specific reason of the speaker's own making, references that
    exist, and REBUTTED at least one of these as counter-evidence. `against` is the objection, then what the claim's
    owner said before: the claim itself, and earlier answers.
    """
    if move == "CONCEDED":
        return ""
    references = cited(evidence, reason, artifact)
    missing = unresolved(references, artifact)
    if missing:
        return f"evidence that does not exist: {', '.join(missing)}"
    if move == "REBUTTED" and not references:
        return "no counter-evidence"
    return _reason(reason, against)


def _reason(reason: str, against: Sequence[str]) -> str:
    said = content(words(reason))
    if len(said) < SPECIFIC:
        return "no specific reason"
    for place, text in enumerate(against):
        if len(said & words(text)) >= COPIED * len(said):
            return "the objection in its own words" if place == 0 else "its own earlier words again"
    return ""
