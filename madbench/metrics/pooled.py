"""Differences between two pooled shares (precision, recall) that come from the same artifacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from madbench.metrics.comparisons import EXACT, FLIPS, MANY, interval_of, sign_flip
from madbench.metrics.estimates import SEED, Floats, Grouped, Ints, sums, undefined
from madbench.types import Estimate

Table = npt.NDArray[np.float64]
"""Clusters by four: ours above and below, theirs above and below."""


@dataclass(frozen=True, slots=True)
class PooledPair:
    """Two ratios of sums over the same rows: `first` and `second` hold what lies above and below, row by row."""

    first: tuple[Floats, Floats]
    second: tuple[Floats, Floats]
    clusters: Ints
    samples: int

    @property
    def table(self) -> Table:
        _, codes = np.unique(self.clusters, return_inverse=True)
        return np.stack([sums(codes, part) for part in (*self.first, *self.second)], axis=1)

    @property
    def defined(self) -> bool:
        """Whether there is anything below in both."""
        return bool(self.first[1].sum() > 0 and self.second[1].sum() > 0)


def difference(pair: PooledPair) -> Estimate:
    """First ratio minus second, with a Student interval over clusters of its linear part (the delta method), widened
    as differences of means are. Undefined where nothing is below one of them.
    """
    if not pair.defined:
        return undefined()
    groups = _linear(pair.table)
    return Estimate(groups.value, *interval_of(groups, widest=1.0), pair.samples)


def _linear(table: Table) -> Grouped:
    """By cluster the pull on the difference of ratios, over the cluster's share of all that is counted."""
    ours, all_ours, theirs, all_theirs = table.T
    size = (all_ours.sum() + all_theirs.sum()) / 2
    first, second = ours.sum() / all_ours.sum(), theirs.sum() / all_theirs.sum()
    below = size * (all_ours / all_ours.sum() + all_theirs / all_theirs.sum()) / 2
    pull = size * (
        (ours - first * all_ours) / all_ours.sum() - (theirs - second * all_theirs) / all_theirs.sum()
    )
    return Grouped(pull + (first - second) * below, below)


def swap_test(pair: PooledPair) -> float | None:
    """Two-sided p of the difference when whole clusters swap sides at random: enumerated where few differ, else drawn
    by seed, or normal. The cluster sign-flip test of a difference of means, for ratios.
    """
    if not pair.defined:
        return None
    table = pair.table
    moved = table[(table[:, :2] != table[:, 2:]).any(axis=1)]
    fixed = table.sum(axis=0) - moved.sum(axis=0)
    seen = abs(float(_ratios(table.sum(axis=0)))) - 1e-9
    if not len(moved):
        return 1.0
    if len(moved) > MANY:
        return sign_flip(_pulls(table))
    if len(moved) <= EXACT:
        swaps = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        return float((np.abs(_swapped(moved, fixed, swaps)) >= seen).mean())
    rng = np.random.default_rng(SEED)
    extreme = sum(
        int((np.abs(_swapped(moved, fixed, rng.integers(0, 2, (FLIPS // 10, len(moved))))) >= seen).sum())
        for _ in range(10)
    )
    return (extreme + 1) / (FLIPS + 1)


def _pulls(table: Table) -> Floats:
    """By cluster the pull on the difference as long as swaps move either ratio but little."""
    ours, all_ours, theirs, all_theirs = table.T
    common = (ours.sum() + theirs.sum()) / (all_ours.sum() + all_theirs.sum())
    return np.asarray(ours - common * all_ours - theirs + common * all_theirs, np.float64)


def _swapped(moved: Table, fixed: Floats, swaps: npt.NDArray[np.integer]) -> Floats:
    """The difference after each line of swaps."""
    kept = 1 - swaps
    return _ratios(kept @ moved + swaps @ moved[:, [2, 3, 0, 1]] + fixed)


def _ratios(totals: Table) -> Floats:
    """First ratio minus second; a ratio over nothing counts as 0."""
    ours, all_ours, theirs, all_theirs = totals.T
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = ours / all_ours, theirs / all_theirs
    return np.asarray(np.nan_to_num(first) - np.nan_to_num(second), np.float64)
