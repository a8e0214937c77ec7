"""Kinds of metrics: rates, means and shares of an arm's rows, each with its name and its meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from madbench.metrics.estimates import Floats, mean, rate, share
from madbench.metrics.rows import Rows
from madbench.types import Estimate

Measure = Callable[[Rows], Estimate]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of an arm, what it means in one line, and how it is had from a table of rows."""

    name: str
    meaning: str
    of: Measure


def rate_of(column: str) -> Measure:
    def of(rows: Rows) -> Estimate:
        values = rows.column(column)
        return rate(values, rows.clusters, rows.counted(values))

    return of


def mean_of(column: str) -> Measure:
    def of(rows: Rows) -> Estimate:
        values = rows.column(column)
        return mean(values, rows.clusters, rows.counted(values))

    return of


def share_of(above: str, below: Callable[[Rows], Floats]) -> Measure:
    def of(rows: Rows) -> Estimate:
        parts, wholes = rows.column(above), below(rows)
        known = ~(np.isnan(parts) | np.isnan(wholes))
        n = rows.counted(np.where(known & (wholes > 0), wholes, np.nan))
        return share(np.where(known, parts, 0.0), np.where(known, wholes, 0.0), rows.clusters, n)

    return of


def column_of(column: str) -> Callable[[Rows], Floats]:
    return lambda rows: rows.column(column)
