"""Reviews against their controls: by recall and by precision, pooled, on the same artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from madbench.metrics.budgets import Control
from madbench.metrics.estimates import Floats, Ints
from madbench.metrics.pairing import Places
from madbench.metrics.pooled import PooledPair, difference, swap_test
from madbench.metrics.review_metrics import Seen
from madbench.metrics.reviews import FINAL, UNION, VOTE
from madbench.metrics.rows import Rows
from madbench.types import Comparison

Parts = tuple[Floats, Floats]
"""What lies above and below of a pooled share, row by row."""
Shares = Mapping[str, Parts]
"""The shares that reviews are compared by: missed_issue_recall and precision."""
NONE: Shares = MappingProxyType({})


def is_reviewed(rows: Rows) -> bool:
    return "known" in rows.columns


def shares(rows: Rows, view: str = FINAL) -> Shares:
    """A view's shares; none of rows that are no reviews."""
    return _shares(Seen.of(rows, view)) if is_reviewed(rows) else NONE


def union(rows: Rows) -> Shares:
    """The shares of all first reviews together, where reviews went on after them."""
    went_on = {"changed", "zero_claims"} & set(rows.columns)
    return shares(rows, UNION) if went_on and f"matched:{UNION}" in rows.columns else NONE


def first_votes(pool: Rows, places: Places, control: Control) -> Shares:
    """The shares of the votes that a budget buys, row by row: `places` are the rows' own in the pool."""
    if f"matched:{VOTE}1" not in pool.columns:
        return NONE
    parts = {k: Seen.of(pool, f"{VOTE}{k}") for k in np.unique(control.votes).tolist()}
    return {
        metric: (
            _chosen(0, metric, parts, places, control.votes),
            _chosen(1, metric, parts, places, control.votes),
        )
        for metric in ("missed_issue_recall", "precision")
    }


def _chosen(side: int, metric: str, parts: Mapping[int, Seen], places: Places, votes: Ints) -> Floats:
    found = np.zeros(len(places))
    for k, seen in parts.items():
        here = votes == k
        found[here] = _shares(seen)[metric][side][places][here]
    return found


def _shares(seen: Seen) -> Shares:
    return {"missed_issue_recall": seen.recall, "precision": seen.precision}


def met(ours: str, theirs: str, metric: str, pair: PooledPair) -> Comparison:
    """One comparison of two pooled shares; p is not adjusted."""
    found = difference(pair)
    return Comparison(ours, theirs, metric, found.value, found.low, found.high, swap_test(pair), found.n)
