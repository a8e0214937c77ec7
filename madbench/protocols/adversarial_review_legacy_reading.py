"""How the published package reads replies, faults included. Source: adversarial-debate 0.2.2 and its field tests.

Kept so that what its readings cost can be measured; nothing else may use them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from madbench.types import Move

Reading = Literal["by_line", "whole_reply"]
MOVES: tuple[Move, ...] = get_args(Move)
ENDS = tuple(".!?})\"'`")
REFUSALS = (
    "cannot review",
    "cannot continue",
    "cannot participate",
    "refuse",
    "not able to",
    "cannot comply",
    "not appropriate to review",
)


@dataclass(frozen=True, slots=True)
class SelfObjection:
    """What the engine puts to a side in its opponent's place: the side's own claim, restated."""

    id: str
    claim: str
    text: str
    round: int = 1


def point_by_point(text: str, objections: Sequence[SelfObjection]) -> dict[str, Move | None]:
    """A move for each objection: the first of the three words, as a substring, on lines that hold either id as a
    substring. Ids are looked for in any case, their lines only as they are spelled.
    """
    found: dict[str, Move | None] = {}
    for each in objections:
        named = each.id.upper() in text.upper() or each.claim.upper() in text.upper()
        found[each.id] = _first_move(region(text, each)) if named else None
    return found


def by_first_word(text: str, objections: Sequence[SelfObjection]) -> dict[str, Move | None]:
    """One word anywhere in the reply for all objections at once, as in the first field tests (v0.1.0)."""
    return {each.id: _first_move(text) for each in objections}


def region(text: str, objection: SelfObjection) -> str:
    lines = [line for line in text.splitlines() if objection.id in line or objection.claim in line]
    return "\n".join(lines)


def _first_move(text: str) -> Move | None:
    return next((move for move in MOVES if move in text.upper()), None)


def seems_degraded(text: str) -> bool:
    """Empty, three equal sentences in a row, no final punctuation, or a refusal's words anywhere."""
    sentences = [part.strip() for part in re.split(r"[.!?]", text) if part.strip()]
    thrice = any(a == b == c for (a, b), (_, c) in pairwise(pairwise(sentences)))
    plain = text.strip()
    return (
        not plain or thrice or not plain.endswith(ENDS) or any(words in plain.lower() for words in REFUSALS)
    )


def seems_verified(references: Sequence[str], severity: str) -> bool:
    """Whether a claim's evidence passes: any word will do, and nothing is looked up."""
    wanted = (r"^[\w./-]+:\d+(-\d+)?$", r"^[a-zA-Z0-9_-]+$")
    fit = all(any(re.match(pattern, each) for pattern in wanted) for each in references)
    return severity != "high" or (bool(references) and fit)
