"""Single cells of tables: numbers as a paper prints them, and text that shows every control character."""

from __future__ import annotations

import math

from madbench.types import Estimate
from madbench.types.spelling import HIDDEN as HIDDEN
from madbench.types.spelling import JOINERS as JOINERS
from madbench.types.spelling import plain as plain

UNDEFINED = "–"


def defined(value: float | None) -> float | None:
    """The value, or None where it is missing or not a finite number."""
    return value if value is not None and math.isfinite(value) else None


def percent(value: float | None, *, sign: bool = False) -> str:
    """A share in [-1, 1] as percent (or percentage points) with one decimal."""
    value = defined(value)
    if value is None:
        return UNDEFINED
    rounded = round(100 * value, 1) + 0.0
    return f"{rounded:+.1f}" if sign and rounded else f"{rounded:.1f}"


def decimals(value: float | None) -> str:
    """A number in [0, 1] with three decimals and no leading zero, as errors and p values are printed."""
    value = defined(value)
    return UNDEFINED if value is None else f"{value:.3f}".removeprefix("0")


def p_value(value: float | None) -> str:
    value = defined(value)
    return "<.001" if value is not None and value < 0.001 else decimals(value)


def whole(value: float | None) -> str:
    """A count, or a mean of large ones."""
    value = defined(value)
    return UNDEFINED if value is None else f"{value:,.0f}"


def amount(value: float | None) -> str:
    """A mean of counts: one decimal below 100, whole numbers above."""
    value = defined(value)
    return whole(value) if value is None or abs(value) >= 99.95 else f"{value:.1f}"


def interval(value: float | None, low: float | None, high: float | None, *, sign: bool = False) -> str:
    """Percent with its interval: `47.9 [34.5, 61.7]`."""
    if defined(value) is None:
        return UNDEFINED
    return f"{percent(value, sign=sign)} [{percent(low, sign=sign)}, {percent(high, sign=sign)}]"


def figures(estimate: Estimate) -> str:
    """A number of any unit with three significant figures, and its interval."""
    value, *ends = (defined(number) for number in (estimate.value, estimate.low, estimate.high))
    if value is None:
        return UNDEFINED
    return f"{value:.3g}" if None in ends else f"{value:.3g} [{ends[0]:.3g}, {ends[1]:.3g}]"


def share(estimate: Estimate) -> str:
    return interval(estimate.value, estimate.low, estimate.high)
