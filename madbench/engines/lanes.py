"""Lanes: requests of runs that share a model, and how rows are shared between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from contextvars import ContextVar

LANE: ContextVar[Hashable] = ContextVar("lane", default="")
"""The run that asks: set once in its task, seen by whatever that task starts."""


def shares(waiting: Iterable[Hashable], busy: Iterable[Hashable], room: int) -> Counter[Hashable]:
    """How many of so many free rows each lane gets (max-min fairness): a free row goes to the lane that has the fewest,
    of equals to the one that is named first.

    So a run that asks one question after another goes on while those that asked all at once wait in a long line, and
    does not come last, alone in a small batch.
    """
    left, rows, given = Counter(waiting), Counter(busy), Counter[Hashable]()
    for _ in range(min(room, left.total())):
        lane = min(left, key=lambda one: rows[one] + given[one])
        given[lane] += 1
        left[lane] -= 1
        if not left[lane]:
            del left[lane]
    return given
