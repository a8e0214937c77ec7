"""Was the arguing real, where a ledger tells objections and what became of them?"""

from __future__ import annotations

from collections.abc import Sequence

from madbench.metrics.wording import content, words
from madbench.types import Answers, Event

SPECIFIC = 3
"""A reason is specific if it adds so many content words to the objection's and to its speaker's earlier ones."""


def contested(ledger: Sequence[Event], own: tuple[Answers, ...]) -> dict[str, float]:
    """Four rules of theater, from lenient to strict, and convergence; without objections only that there were none.

    `theater`: no objection was answered by any parsed move, whatever the move. `theater_no_valid_answer`: none by
    one with a specific reason. `theater_no_concession`: nobody conceded. `theater_no_state_change`: no objection was
    resolved, and no answer changed. Convergence: objections conceded, or dropped by their critic in its next move,
    over all objections.
    """
    kinds = [event.kind for event in ledger]
    objections = kinds.count("objected")
    if not objections:
        return {"zero_claims": 1.0} if "no_objection" in kinds else {}
    answers, resolved = _answers(ledger), _resolved(ledger)
    return {
        "zero_claims": 0.0,
        "theater": float(not answers),
        "theater_no_valid_answer": float(not any(answers)),
        "theater_no_concession": float("conceded" not in kinds),
        "theater_no_state_change": float(not resolved and all(said == own[0] for said in own)),
        "convergence": resolved / objections,
    }


def _answers(ledger: Sequence[Event]) -> list[bool]:
    """For every answer to an objection whether its reason is specific; a first answer answers no objection."""
    asked, objected, before, found = False, frozenset[str](), frozenset[str](), list[bool]()
    for event in ledger:
        if event.kind == "objected":
            asked, objected = True, objected | words(event.text)
        elif event.kind == "answered":
            said = words(event.text)
            if asked:
                found.append(len(content(said - objected - before)) >= SPECIFIC)
            before |= said
    return found


def _resolved(ledger: Sequence[Event]) -> int:
    """A concession resolves all that stands; a critic with no further objection resolves its own last one."""
    standing, resolved = dict[str, bool](), 0
    for event in ledger:
        critic = str(event.facts.get("seat", 0))
        if event.kind == "objected":
            standing[critic] = True
        elif event.kind == "no_objection":
            resolved += standing.pop(critic, False)
        elif event.kind == "conceded":
            resolved += len(standing)
            standing.clear()
    return resolved
