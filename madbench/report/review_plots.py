"""What the figures show of reviews: how precise and how complete every arm is, before and after its debate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from madbench.metrics.review_metrics import name_of
from madbench.metrics.reviews import FINAL, UNION
from madbench.report.plots import Look, bars, name_in_figure, new_axes, percent_of
from madbench.report.review_tables import NOTHING, is_review
from madbench.report.tables import label
from madbench.types import Arm, Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[Estimate, Estimate]
"""Recall, and precision."""


def recall_and_precision(arms: Sequence[Arm], looks: Mapping[str, Look]) -> Figure | None:
    """One filled point an arm, with 95 % intervals both ways; a line leads to it from the hollow point of the union of
    its first reviews, where it has one: what the debate did.
    """
    points = [(label(arm, arms), _point(arm, FINAL), _point(arm, UNION)) for arm in arms if is_review(arm)]
    points = [(name, final, union) for name, final, union in points if _is_there(final)]
    if not points:
        return None
    figure, axes = new_axes(6.3, 3.9)
    for name, final, union in points:
        _draw(axes, looks[name], name, final, union)
    axes.set_xlabel("known issues found, % (95 % interval)")
    axes.set_ylabel("precision, % (95 % interval)")
    figure.legend(loc="outside right center")
    return figure


def _draw(axes: Axes, look: Look, name: str, final: Point, union: Point) -> None:
    (colour, marker), (recall, precision) = look, final
    axes.errorbar(
        [percent_of(recall)], [percent_of(precision)], xerr=bars([recall]), yerr=bars([precision]), color=colour,
        marker=marker, markersize=6, capsize=2, linewidth=1, linestyle="none", label=name_in_figure(name),
    )  # fmt: skip
    if _is_there(union):
        path = [percent_of(union[0]), percent_of(recall)], [percent_of(union[1]), percent_of(precision)]
        axes.plot(*path, color=colour, linewidth=1, linestyle=(0, (2, 2)))
        axes.plot(
            [path[0][0]], [path[1][0]], color=colour, marker=marker, markersize=6, markerfacecolor="none"
        )


def _point(arm: Arm, view: str) -> Point:
    recall, precision = (
        arm.metrics.get(name_of(metric, view), NOTHING) for metric in ("missed_issue_recall", "precision")
    )
    return recall, precision


def _is_there(point: Point) -> bool:
    return all(estimate.value is not None for estimate in point)
