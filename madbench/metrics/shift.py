"""Framed questions: how far a hint in the question pulls answers towards itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from madbench.metrics.comparisons import Paired, interval
from madbench.metrics.rows import Rows
from madbench.types import Estimate

NEUTRAL = "neutral"


def shifts(rows: Rows) -> dict[str, Estimate]:
    """For every kind of hinted twin: the share of answers equal to its hint, minus that share among its neutral twins.

    Paired by cluster (the twins of one question); 0 is no pull, 1 full. Clusters without a neutral twin are left
    out. Empty for tasks without twins.
    """
    twins = rows.label("twin")
    return {
        f"hint_shift_{kind}": _shift(rows, twins, str(kind))
        for kind in np.unique(twins[(twins != "") & (twins != NEUTRAL)])
    }


def _shift(rows: Rows, twins: np.ndarray[tuple[int], np.dtype[np.str_]], kind: str) -> Estimate:
    hints, answers = rows.label("hint"), rows.label("answer")
    neutral: Mapping[tuple[int, int], str] = {
        (int(rows.clusters[row]), int(rows.draws[row])): str(answers[row])
        for row in np.flatnonzero(twins == NEUTRAL)
    }
    pairs = [
        (row, neutral[key])
        for row in np.flatnonzero(twins == kind)
        if (key := (int(rows.clusters[row]), int(rows.draws[row]))) in neutral
    ]
    if not pairs:
        return Estimate(None, None, None, 0)
    moved = [float(answers[row] == hints[row]) - float(alone == hints[row]) for row, alone in pairs]
    places = [row for row, _ in pairs]
    found = Paired(np.array(moved), rows.clusters[places], len(np.unique(rows.samples[places])))
    return Estimate(found.sums.value, *interval(found), found.samples)
