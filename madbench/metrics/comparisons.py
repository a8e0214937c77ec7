"""Two arms on the same samples: paired difference, interval and test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from madbench.metrics.estimates import SEED, Floats, Grouped, Ints, numbered, reach

FLIPS = 10_000
EXACT = 12
"""Up to so many clusters with a difference, all sign flips are enumerated."""
MANY = 1000
"""Beyond so many, random signs add up to a normal variable."""
FEW = 20
"""Fewer clusters than this deserve a warning wherever rows are clustered."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Differences of one number between two arms, row by row, and the clusters that both arms' rows come in."""

    differences: Floats
    clusters: Ints
    samples: int

    @property
    def grouped(self) -> bool:
        """Whether any cluster holds more than one row."""
        return len(np.unique(self.clusters)) < len(self.clusters)

    @property
    def sums(self) -> Grouped:
        return Grouped.of(self.differences, np.ones(len(self.differences)), self.clusters)


def joint_clusters(first: Ints, second: Ints) -> Ints:
    """The finest clusters in which rows that share a cluster of either arm lie together."""
    ours, theirs = numbered(first), numbered(second)
    if np.array_equal(ours, theirs):
        return first
    from scipy import sparse
    from scipy.sparse import csgraph

    count = int(ours.max(initial=-1)) + 1
    total = count + int(theirs.max(initial=-1)) + 1
    graph = sparse.coo_matrix((np.ones(len(ours)), (ours, theirs + count)), shape=(total, total))
    return np.asarray(csgraph.connected_components(graph, directed=False)[1][ours], np.int64)


def interval(pairs: Paired) -> tuple[float, float]:
    """95 % interval of the mean difference: Student's over clusters, after one more cluster of average size in each
    direction (Agresti and Min, 2005, for single pairs). Never of zero width, within what differences can be.

    A percentile bootstrap of the pairs covers less than it says where few pairs differ or clusters are few.
    """
    widest = 2.0 if np.abs(pairs.differences).max(initial=0) > 1 else 1.0
    return interval_of(pairs.sums, widest=widest)


def interval_of(groups: Grouped, *, widest: float) -> tuple[float, float]:
    """The same of sums by cluster; differences reach from -widest to widest."""
    size = float(groups.below.mean())
    nudge = math.sqrt(size)
    more = Grouped(np.append(groups.above, (nudge, -nudge)), np.append(groups.below, (size, size)))
    del groups  # as large as the copy: not held beside it
    margin = reach(len(more.above)) * (more.error() or 0.0)
    return max(-widest, more.value - margin), min(widest, more.value + margin)


def mcnemar(first_only: int, second_only: int) -> float:
    """Exact two-sided McNemar test from the discordant pairs (McNemar, 1947); 1 without any."""
    discordant = first_only + second_only
    from scipy import special

    return min(1.0, 2 * float(special.bdtr(min(first_only, second_only), discordant, 0.5)))


def p_value(pairs: Paired) -> float:
    """Exact McNemar for independent right-or-wrong pairs; otherwise sign flips of whole clusters."""
    differences = pairs.differences
    if not pairs.grouped and np.all(np.isin(differences, (-1.0, 0.0, 1.0))):
        return mcnemar(int((differences > 0).sum()), int((differences < 0).sum()))
    return sign_flip(pairs.sums.above)


def sign_flip(sums: Floats) -> float:
    """Two-sided p of clusters' differences under random signs: enumerated, drawn by seed, or normal."""
    moved = sums[np.abs(sums) > 1e-12]
    if not len(moved):
        return 1.0
    if len(moved) > MANY:
        return math.erfc(abs(moved.sum()) / math.sqrt(2 * moved @ moved))
    seen = abs(float(moved.sum())) - 1e-9
    if len(moved) <= EXACT:
        signs = 1 - 2 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
        return float((np.abs(signs @ moved) >= seen).mean())
    rng = np.random.default_rng(SEED)
    extreme = sum(
        int((np.abs(rng.choice((-1.0, 1.0), (FLIPS // 10, len(moved))) @ moved) >= seen).sum())
        for _ in range(10)
    )
    return (extreme + 1) / (FLIPS + 1)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) adjusted p-values in the given order; None stays None and does not count."""
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * value))
        adjusted[place] = highest
    return adjusted


def excludable(low: float | None, high: float | None) -> float | None:
    """The smallest absolute difference that the data exclude: the interval's farther end."""
    return None if low is None or high is None else max(abs(low), abs(high))
