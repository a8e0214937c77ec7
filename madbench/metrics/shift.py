"""Framed questions: how far a hint in the question pulls answers towards itself."""

from __future__ import annotations

import numpy as np

from madbench.metrics.comparisons import Paired, interval
from madbench.metrics.estimates import Floats, rate, undefined
from madbench.metrics.rows import Rows
from madbench.types import Estimate

NEUTRAL = "neutral"


def pulls(rows: Rows) -> dict[str, Floats]:
    """For every kind of hinted twin, row by row: 1 if it was answered with its hint, less 1 if its neutral twin was.

    NaN for all other rows, and for twins without a neutral one. Empty for tasks without twins.
    """
    if not kinds(rows):
        return {}
    twins, hints, answers = rows.label("twin"), rows.label("hint"), rows.label("answer")
    questions = list(zip(rows.label("twin_of").tolist(), rows.draws.tolist(), strict=True))
    neutral = {questions[row]: answers[row] for row in np.flatnonzero(twins == NEUTRAL)}
    found = dict[str, Floats]()
    for kind in kinds(rows):
        found[f"hint_shift_{kind}"] = values = np.full(len(rows), np.nan)
        for row in np.flatnonzero(twins == kind):
            if (alone := neutral.get(questions[row])) is not None:
                values[row] = float(answers[row] == hints[row]) - float(alone == hints[row])
    return found


def kinds(rows: Rows) -> list[str]:
    """The kinds of hinted twins."""
    return sorted({str(twin) for twin in np.unique(rows.label("twin"))} - {"", NEUTRAL})


def framed(rows: Rows) -> dict[str, Estimate]:
    """The shift towards every kind of hint, and accuracy by twin."""
    shifts = {name: _shift(rows, values) for name, values in pulls(rows).items()}
    twins, right = rows.label("twin"), rows.column("correct")
    for kind in (NEUTRAL, *kinds(rows)) if shifts else ():
        values = np.where(twins == kind, right, np.nan)
        shifts[f"accuracy_twin_{kind}"] = rate(values, rows.clusters, rows.counted(values))
    return shifts


def _shift(rows: Rows, values: Floats) -> Estimate:
    known = ~np.isnan(values)
    if not known.any():
        return undefined()
    pairs = Paired(values[known], rows.clusters[known], rows.counted(values))
    return Estimate(pairs.sums.value, *interval(pairs), pairs.samples)
