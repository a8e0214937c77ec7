"""Which models go well together: every cast of a debate side by side, where a sweep has several."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.report.cells import percent
from madbench.report.review_tables import PRECISION, RECALL, is_argued, is_review
from madbench.report.sheet import Row, Sheet
from madbench.types import Arm

REVIEWS = {
    "recall A %": f"{RECALL}_reviewer_0", "recall B %": f"{RECALL}_reviewer_1", "union %": f"{RECALL}_union",
    "final %": RECALL, "precision %": PRECISION, "theater %": "theater_rate", "convergence %": "convergence",
    "capitulation %": "capitulation_rate", "conceded and true %": "harmful_capitulation",
}  # fmt: skip
"""Columns of debates about claims, and the metric of each."""
QUESTIONS = {
    "accuracy %": "accuracy", "first round %": "accuracy_round_0", "any seat %": "oracle_any",
    "theater %": "theater_rate", "convergence %": "convergence", "changed %": "changed_rate",
    "right to wrong %": "fold_rate", "wrong to right %": "rescue_rate", "uptake %": "uptake_rate",
}  # fmt: skip
"""Columns of debates on questions."""


def pair_tables(arms: Sequence[Arm]) -> list[Sheet]:
    """One table for every debate that several casts held: one row a cast."""
    reviews = [arm for arm in arms if is_argued(arm) and is_review(arm)]
    questions = [arm for arm in arms if not is_review(arm) and _value(arm, "theater_rate") is not None]
    return [*_tables(reviews, REVIEWS), *_tables(questions, QUESTIONS)]


def _tables(arms: Sequence[Arm], columns: dict[str, str]) -> list[Sheet]:
    groups: dict[tuple[str, str], list[Arm]] = {}
    for arm in arms:
        groups.setdefault((arm.task, arm.arm.removesuffix(f"/{arm.cast}")), []).append(arm)
    return [
        Sheet(f"Pairs of models: {name}", ("cast", *columns), tuple(_row(arm, columns) for arm in here))
        for (_, name), here in groups.items()
        if len({arm.cast for arm in here}) > 1
    ]


def _row(arm: Arm, columns: dict[str, str]) -> Row:
    return arm.cast, *(percent(_value(arm, metric)) for metric in columns.values())


def _value(arm: Arm, metric: str) -> float | None:
    estimate = arm.metrics.get(metric)
    return None if estimate is None else estimate.value
