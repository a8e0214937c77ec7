"""Which prompts run together, so that little is spent on padding."""

from __future__ import annotations

from collections.abc import Sequence

_CELLS = 4096
"""Tokens of a pass at most, padding included."""
_PASS = 48
"""What a pass of its own costs, in tokens."""


def passes(lengths: Sequence[int]) -> list[slice]:
    """Ascending lengths cut into runs that are padded to their longest: the cut that costs least.

    A run costs its tokens, padding included, and _PASS; only one alone may exceed _CELLS.
    """
    costs, starts = [0], [0]
    for stop, longest in enumerate(lengths, 1):
        first = min(stop - 1, max(0, stop - _CELLS // max(1, longest)))
        start = min(range(first, stop), key=lambda i: costs[i] + (stop - i) * longest)
        costs.append(costs[start] + (stop - start) * longest + _PASS)
        starts.append(start)
    runs, stop = [], len(lengths)
    while stop:
        runs.append(slice(starts[stop], stop))
        stop = starts[stop]
    return runs[::-1]
