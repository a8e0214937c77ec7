"""Numbers with their 95 % intervals: rates, means and ratios of rows that may come in clusters.

Which interval is used where was chosen by simulation; experiments/validity prints the coverage of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from madbench.types import Estimate

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEVEL = 0.95
Z = float(stats.norm.ppf(0.5 + LEVEL / 2))
RESAMPLES = 2000
SEED = 20230305
"""Of every bootstrap: the same rows give the same interval."""
MANY = 2000
"""Beyond so many clusters a bootstrap is the normal approximation, only slower."""


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


def sums(codes: Ints, weights: Floats) -> Floats:
    """Weights added up by code, 0 to the highest."""
    return np.bincount(codes, weights).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Grouped:
    """Sums by cluster: a ratio of two of them is every mean, rate and ratio of this room."""

    above: Floats
    below: Floats

    @classmethod
    def of(cls, above: Floats, below: Floats, clusters: Ints) -> Grouped:
        _, codes = np.unique(clusters, return_inverse=True)
        return cls(sums(codes, above), sums(codes, below))

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
        residuals = self.above - self.value * self.below
        error = math.sqrt(float(residuals @ residuals)) / float(self.below.sum())
        return error * (math.sqrt(size / (size - 1)) if corrected else 1.0)


def rate(values: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """A mean of numbers in [0, 1], undefined ones (NaN) left out.

    Wilson for independent right-or-wrong rows; otherwise Wilson at the effective size that the clusters' spread
    implies, with Student's quantile. Never of zero width. `n` is the count of samples to state.
    """
    kept = ~np.isnan(values)
    return share(np.where(kept, values, 0.0), kept.astype(np.float64), clusters, n)


def share(above: Floats, below: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """Sum of `above` over sum of `below`, a share in [0, 1], with the interval of `rate`."""
    used = below > 0
    counted = int(used.sum()) if n is None else n
    if not used.any():
        return undefined()
    groups = Grouped.of(above[used], below[used], clusters[used])
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
    return wilson(value * effective, effective, float(stats.t.ppf(0.5 + LEVEL / 2, clusters - 1)))


def mean(values: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """A mean with Student's interval over clusters; no interval from a single cluster."""
    kept = ~np.isnan(values)
    counted = int(kept.sum()) if n is None else n
    if not kept.any():
        return undefined()
    groups = Grouped.of(values[kept], np.ones(int(kept.sum())), clusters[kept])
    return around(groups.value, groups.error(), len(groups.above), counted)


def around(value: float, error: float | None, clusters: int, n: int) -> Estimate:
    """Value and standard error as a Student interval with as many degrees of freedom as clusters less one."""
    if error is None:
        return Estimate(value, None, None, n)
    reach = float(stats.t.ppf(0.5 + LEVEL / 2, clusters - 1)) * error
    return Estimate(value, value - reach, value + reach, n)


def ratio(above: Floats, below: Floats, clusters: Ints, n: int | None = None) -> Estimate:
    """Sum of `above` over sum of `below` with a seeded cluster bootstrap; undefined when nothing is below.

    A bound that the resamples do not determine (nothing below in too many of them) is None.
    """
    kept = ~(np.isnan(above) | np.isnan(below))
    counted = int(kept.sum()) if n is None else n
    groups = Grouped.of(above[kept], below[kept], clusters[kept])
    if not groups.below.sum():
        return undefined(counted)
    if len(groups.above) > MANY:
        return around(groups.value, groups.error(), len(groups.above), counted)
    low, high = bootstrap(lambda pick: _quotients(groups, pick), len(groups.above))
    return Estimate(groups.value, low, high, counted)


def _quotients(groups: Grouped, picks: Ints) -> Floats:
    above, below = groups.above[picks].sum(axis=1), groups.below[picks].sum(axis=1)
    quotients: Floats = np.divide(above, below, out=np.full(len(picks), np.inf), where=below > 0)
    return quotients


def bootstrap(
    statistics: Callable[[Ints], Floats], clusters: int, resamples: int = RESAMPLES
) -> tuple[float | None, float | None]:
    """Percentile interval over resampled clusters, as many as there are, drawn with replacement (Efron, 1979).

    `statistics` takes cluster numbers (resamples by clusters) and gives one value a resample. None bounds: a single
    cluster, or values that are not finite.
    """
    if clusters < 2:
        return None, None
    picks = np.random.default_rng(SEED).integers(clusters, size=(resamples, clusters))
    return percentiles(statistics(picks))


def percentiles(values: Floats) -> tuple[float | None, float | None]:
    """The middle 95 % of resampled values; None for a bound that is not finite."""
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(values, [tail, 100 - tail], method="inverted_cdf")
    return finite(float(low)), finite(float(high))


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
