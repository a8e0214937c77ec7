"""Entries of the ledger for moves as the published package reads them."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.protocols.adversarial_review_evidence import cited, unresolved
from madbench.protocols.adversarial_review_legacy_reading import SelfObjection, region
from madbench.protocols.adversarial_review_rules import fault_of
from madbench.types import Answered, AnyEntry, Artifact, Finding, Move, Unaddressed


def moved(
    by: tuple[str, int],
    objection: SelfObjection,
    claim: Finding,
    artifact: Artifact,
    said: tuple[Move | None, str],
) -> AnyEntry:
    """The move and the text it was read from, `by` a side in a round; its validity is judged as in every arm."""
    move, text = said
    about = {"by": by[0], "round": by[1], "objection": objection.id, "claim": claim.id}
    if move is None:
        return Unaddressed.model_validate(about)
    reason = without(region(text, objection), (objection.id, objection.claim, move))
    references = cited((), reason, artifact)
    return Answered.model_validate(
        {
            **about,
            "move": move,
            "reason": reason,
            "references": references,
            "unresolved": unresolved(references, artifact),
            "fault": fault_of(move, reason, (), (objection.text, claim.text), artifact),
        }
    )


def named(claim: Finding) -> str:
    """`A/1` as the package names it."""
    side, _, number = claim.id.partition("/")
    return f"cl_{side}_{number}"


def without(text: str, words: Sequence[str]) -> str:
    for word in words:
        text = text.replace(word, " ")
    return " ".join(text.split()).strip(" :.,;-")
