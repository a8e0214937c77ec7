"""Judges and their own family: every cast in which a judge chose between its own family's side and another's."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from madbench.report.cells import UNDEFINED, interval, percent
from madbench.report.sheet import Row, Sheet
from madbench.types import Arm, Estimate

HEAD: Row = ("cast", "own picked %", "other picked %", "preference, points [95 %]", "n")
METRICS = ("picked_own_family", "picked_other_family", "family_preference")


def kin_tables(arms: Sequence[Arm]) -> list[Sheet]:
    """One table for every debate with such a judge: one row a cast, and the casts' mean where there are several.

    Of two seatings the mean leaves out the place that a family argued from; of a judge of each family, how much
    better one of them argues.
    """
    groups: dict[tuple[str, str], list[Arm]] = {}
    for arm in arms:
        if all(_estimate(arm, metric).value is not None for metric in METRICS):
            groups.setdefault((arm.task, arm.arm.removesuffix(f"/{arm.cast}")), []).append(arm)
    return [
        Sheet(f"Judges and their own family: {name}", HEAD, (*map(_row, casts), *_mean(casts)))
        for (_, name), casts in groups.items()
    ]


def _row(arm: Arm) -> Row:
    own, other, found = (_estimate(arm, metric) for metric in METRICS)
    bounds = interval(found.value, found.low, found.high, sign=True)
    return arm.cast, percent(own.value), percent(other.value), bounds, str(found.n)


def _mean(casts: Sequence[Arm]) -> list[Row]:
    if len(casts) < 2:
        return []
    own, other, preference = (
        fmean(_estimate(arm, metric).value or 0.0 for arm in casts) for metric in METRICS
    )
    name = f"mean of {len(casts)} casts"
    return [(name, percent(own), percent(other), percent(preference, sign=True), UNDEFINED)]


def _estimate(arm: Arm, metric: str) -> Estimate:
    return arm.metrics.get(metric, Estimate(None, None, None, 0))
