"""Numbers with their 95 % intervals: rates, means and ratios of rows that may come in clusters.

Which interval is used where was chosen by simulation; experiments/validity prints the coverage of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from madbench.types import Estimate

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
AnyT = TypeVar("AnyT", bound=np.generic)

LEVEL = 0.95
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
RESAMPLES = 1000
SEED = 20230305
"""Of every bootstrap: the same rows give the same interval."""
EFFORT = 40_000_000
"""Random numbers that one interval may cost."""
BLOCK = 100_000
"""Numbers that a block of resamples holds at most."""


def undefined(n: int = 0) -> Estimate:
    return Estimate(None, None, None, n)


def wilson(successes: float, n: float, z: float = Z) -> tuple[float, float]:
    """Wilson's score interval for a rate of `n` independent items (Wilson, 1927); n may be an effective size."""
    p = successes / n
    middle = p + z * z / (2 * n)
    spread = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return (0.0 if p <= 0 else low), (1.0 if p >= 1 else high)


def numbered(values: npt.NDArray[AnyT]) -> npt.NDArray[np.int32]:
    """Every row's place among the different values, sorted; as np.unique's inverse, in a third of the memory."""
    order = np.argsort(values).astype(np.int32)
    ordered = values[order]
    fresh = np.ones(len(values), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    del ordered
    places = np.empty(len(values), np.int32)
    places[order] = np.cumsum(fresh, dtype=np.int32) - 1
    return places


def picked(values: npt.NDArray[AnyT], kept: npt.NDArray[np.bool_]) -> npt.NDArray[AnyT]:
    """Some of the rows; no copy where they are all."""
    return values if kept.all() else values[kept]


def sums(codes: npt.NDArray[np.integer], weights: Floats) -> Floats:
    """Weights added up by code, 0 to the highest."""
    return np.bincount(codes, weights).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True)
class Grouped:
    """Sums by cluster: a ratio of two of them is every mean, rate and ratio of this room."""

    above: Floats
    below: Floats

    @classmethod
    def of(cls, above: Floats, below: Floats, clusters: Ints) -> Grouped:
        codes = numbered(clusters)
        return cls(sums(codes, above), sums(codes, below))

    @classmethod
    def among(cls, used: npt.NDArray[np.bool_], above: Floats, below: Floats, clusters: Ints) -> Grouped:
        """The same of some of the rows, one column picked after the other."""
        codes = numbered(picked(clusters, used))
        return cls(sums(codes, picked(above, used)), sums(codes, picked(below, used)))

    @property
    def value(self) -> float:
        return float(self.above.sum() / self.below.sum())

    def error(self, *, corrected: bool = True) -> float | None:
        """Standard error of the ratio, clusters being the units drawn (CR1; CR0 if not corrected).

        None for a single cluster.
        """
        size = len(self.above)
        if size < 2:
            return None
        residuals = self.below * -self.value
        residuals += self.above
        error = math.sqrt(float(residuals @ residuals)) / float(self.below.sum())
        return error * (math.sqrt(size / (size - 1)) if corrected else 1.0)


def rate(values: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """A mean of numbers in [0, 1], undefined ones (NaN) left out.

    Wilson for independent right-or-wrong rows; otherwise Wilson at the effective size that the clusters' spread
    implies, with Student's quantile. Never of zero width. `n` is the count of samples to state.
    """
    kept = ~np.isnan(values)
    known = values if kept.all() else np.where(kept, values, 0.0)
    return share(known, kept.astype(np.float64), clusters, n)


def share(above: Floats, below: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """Sum of `above` over sum of `below`, a share in [0, 1], with the interval of `rate`."""
    used = below > 0
    counted = int(used.sum()) if n is None else n
    if not used.any():
        return undefined()
    groups = Grouped.among(used, above, below, clusters)
    value = min(max(groups.value, 0.0), 1.0)
    if _independent(groups):
        low, high = wilson(value * len(groups.above), len(groups.above))
    else:
        low, high = effective_wilson(value, groups.error(), len(groups.above), least=len(groups.above))
    return Estimate(value, low, high, counted)


def _independent(groups: Grouped) -> bool:
    """One right-or-wrong row in every cluster."""
    return bool(np.all(groups.below == 1) and np.all((groups.above == 0) | (groups.above == 1)))


def effective_wilson(value: float, error: float | None, clusters: int, least: int) -> tuple[float, float]:
    """Wilson at the size of independent sample that would have this standard error (Korn and Graubard's device).

    Where the rows show no spread at all, the size is `least`.
    """
    if not error or not 0 < value < 1:
        return wilson(value * least, least)
    effective = max(value * (1 - value) / error**2, 1.0)
    return wilson(value * effective, effective, reach(clusters))


def mean(values: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """A mean with Student's interval over clusters; no interval from a single cluster."""
    kept = ~np.isnan(values)
    counted = int(kept.sum()) if n is None else n
    if not kept.any():
        return undefined()
    groups = Grouped.of(picked(values, kept), np.ones(int(kept.sum())), picked(clusters, kept))
    return around(groups.value, groups.error(), len(groups.above), counted)


def within(estimate: Estimate, least: float, most: float) -> Estimate:
    """The same, its bounds kept to what the number can be."""
    low, high = (
        None if bound is None else min(max(bound, least), most) for bound in (estimate.low, estimate.high)
    )
    return Estimate(estimate.value, low, high, estimate.n)


def around(value: float, error: float | None, clusters: int, n: int) -> Estimate:
    """Value and standard error as a Student interval with as many degrees of freedom as clusters less one."""
    if error is None:
        return Estimate(value, None, None, n)
    margin = reach(clusters) * error
    return Estimate(value, value - margin, value + margin, n)


def ratio(above: Floats, below: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """Sum of `above` over sum of `below`, both positive, with Student's interval on the log scale.

    Undefined when nothing is below; no bounds from a single cluster or a ratio of 0.
    """
    kept = ~(np.isnan(above) | np.isnan(below))
    counted = int(kept.sum()) if n is None else n
    groups = Grouped.among(kept, above, below, clusters)
    if not groups.below.sum():
        return undefined(counted)
    value, error = groups.value, groups.error()
    if not error or value <= 0:
        return Estimate(value, None if error is None else value, None if error is None else value, counted)
    factor = math.exp(reach(len(groups.above)) * error / value)
    return Estimate(value, value / factor, value * factor, counted)


def weighted(parts: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    """Mean and standard error of several groups' (mean, standard error, weight): weights by size for the mean of
    items, equal weights for the mean of groups. The error is that of the same mean.
    """
    total = sum(weight for *_, weight in parts)
    value = sum(weight * mean for mean, _, weight in parts) / total
    return value, math.sqrt(sum((weight * error) ** 2 for _, error, weight in parts)) / total


def reach(clusters: int) -> float:
    """Student's quantile for a 95 % interval from so many clusters (two or more), in standard errors."""
    from scipy import special

    return float(special.stdtrit(clusters - 1, 0.5 + LEVEL / 2))


def affordable(most: int, rows: int) -> int:
    """How many random draws of `rows` numbers to make: `most`, fewer (at least 50) where rows are very many."""
    return max(50, min(most, EFFORT // max(rows, 1)))


def resamples(clusters: int, count: int | None = None) -> Iterator[Floats]:
    """How often each cluster is drawn when as many as there are are drawn with replacement (Efron, 1979): one line a
    resample, in blocks of bounded size. Seeded.
    """
    count = affordable(RESAMPLES, clusters) if count is None else count
    rng, chances = np.random.default_rng(SEED), np.full(clusters, 1 / clusters)
    block = max(1, BLOCK // clusters)
    for start in range(0, count, block):
        yield rng.multinomial(clusters, chances, min(block, count - start)).astype(np.float64)
