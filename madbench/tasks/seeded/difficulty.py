"""How hard a fault is to find: by its kind, and by how much there is to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from madbench.tasks.seeded.sites import Kind

Difficulty = Literal["easy", "medium", "hard"]
PLAIN: frozenset[Kind] = frozenset(
    {"lost_return", "negated_condition", "wrong_variable", "swapped_arguments", "wrong_jump", "lost_update"}
)
"""Kinds that break most calls, or read wrongly."""
SUBTLE: frozenset[Kind] = frozenset(
    {"off_by_one", "boundary", "wrong_constant", "wrong_default", "dropped_guard", "resource_leak"}
)
"""Kinds that read well, or of which nothing is to be read."""
SHORT, MEDIUM = 15, 35
"""Lines of an artifact."""


def difficulty(kind: Kind, lines: int) -> Difficulty:
    """0 to 2 points for the kind, 0 to 2 for the lines; at most 1 is easy, 2 is medium."""
    points = (kind not in PLAIN) + (kind in SUBTLE) + (lines > SHORT) + (lines > MEDIUM)
    return "easy" if points <= 1 else "medium" if points == 2 else "hard"


def hardest(kinds: Iterable[Kind], lines: int) -> Difficulty | None:
    """The difficulty of the hardest of an artifact's faults; None for a clean one."""
    order: tuple[Difficulty, ...] = ("hard", "medium", "easy")
    found = {difficulty(kind, lines) for kind in kinds}
    return next((level for level in order if level in found), None)
