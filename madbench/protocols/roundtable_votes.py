"""When a vote carries: over all seats, so that a vote that was not cast helps nobody; a tie never carries."""

from collections.abc import Sequence
from typing import Literal

from madbench.protocols.roundtable_forms import Vote

Threshold = Literal["majority", "two_thirds", "unanimity"]
"""More than half, at least two thirds, all."""


def carried(votes: Sequence[Vote | None], threshold: Threshold) -> bool:
    """Whether enough of the seats agree; None is a seat without a valid vote."""
    seats, agreeing = len(votes), sum(vote is not None and vote.agrees for vote in votes)
    return {
        "majority": 2 * agreeing > seats,
        "two_thirds": agreeing > 0 and 3 * agreeing >= 2 * seats,
        "unanimity": 0 < seats == agreeing,
    }[threshold]
