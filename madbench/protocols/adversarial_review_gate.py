"""The revelation gate: nobody is shown another side's review before all sides have committed theirs."""

from __future__ import annotations

from madbench.protocols.replies import Statement
from madbench.types import LeakError


class Gate:
    """Takes one review a side, once, and gives all of them back together or none."""

    def __init__(self, sides: int) -> None:
        self._reviews: list[Statement | None] = [None] * sides

    def commit(self, side: int, review: Statement) -> None:
        """Raises LeakError for a side that has committed already, or that is not of this debate."""
        if not 0 <= side < len(self._reviews):
            raise LeakError(f"gate: no side {side}; there are {len(self._reviews)}")
        if self._reviews[side] is not None:
            raise LeakError(f"gate: side {side} has committed its review already")
        self._reviews[side] = review

    def reveal(self) -> tuple[Statement, ...]:
        """All reviews by side. Raises LeakError while any is missing."""
        missing = [side for side, review in enumerate(self._reviews) if review is None]
        if missing:
            raise LeakError(f"gate: sides {missing} have not committed their reviews")
        return tuple(review for review in self._reviews if review is not None)
