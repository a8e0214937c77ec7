"""What the figures show. Arms are told apart by shape as well as by colour (Okabe and Ito's safe set)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, takewhile
from typing import TYPE_CHECKING

from madbench.report.cells import plain
from madbench.report.reliability import Bin, Reliability
from madbench.report.tables import NOTHING, label, tokens
from madbench.types import Arm, Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f7f7f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
INK = "#1c1c1a"
"""The one colour of text and axes; a page replaces it by its own."""
LONGEST = 40
"""Characters of a name in a figure."""
PANELS = 36
"""Reliability diagrams in one figure, at most."""
Look = tuple[str, str]
"""A colour and a marker."""


def looks_of(arms: Sequence[Arm]) -> dict[str, Look]:
    """One look an arm, the same in every figure."""
    return {label(arm, arms): _look(number) for number, arm in enumerate(arms)}


def _look(number: int) -> Look:
    return COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]


def _look_of(run: str, looks: Mapping[str, Look]) -> Look:
    """The look of the arm whose run this is: a run's name may have the cast and the seed after the arm's."""
    return next((look for name, look in looks.items() if f"{run}/".startswith(f"{name}/")), _look(0))


def accuracy_against_tokens(arms: Sequence[Arm], looks: Mapping[str, Look]) -> Figure | None:
    """One point an arm, 95 % intervals upright; tokens of one episode on a logarithmic axis."""
    points = [(label(arm, arms), tokens(arm), arm.metrics.get("accuracy", NOTHING)) for arm in arms]
    points = [
        (name, spent, accuracy) for name, spent, accuracy in points if spent and accuracy.value is not None
    ]
    if not points:
        return None
    figure, axes = new_axes(6.3, 3.6)
    for name, spent, accuracy in points:
        colour, marker = looks[name]
        axes.errorbar(
            [spent or 0.0], [percent_of(accuracy)], yerr=bars([accuracy]), color=colour, marker=marker, markersize=6,
            capsize=3, linewidth=1.2, linestyle="none", label=name_in_figure(name),
        )  # fmt: skip
    _logarithmic(axes)
    axes.set_xlabel("prompt + output tokens of one episode, mean (logarithmic)")
    axes.set_ylabel("accuracy, % (95 % interval)")
    figure.legend(loc="outside right center")
    return figure


def accuracy_by_round(arms: Sequence[Arm], looks: Mapping[str, Look]) -> Figure | None:
    """Accuracy of the majority after each round, for the arms that have rounds."""
    curves = {label(arm, arms): _rounds(arm) for arm in arms}
    several = {name: curve for name, curve in curves.items() if len(curve) > 1}
    if not several:
        return None
    figure, axes = new_axes(5.6, 3.4)
    for number, (name, curve) in enumerate(several.items()):
        colour, marker = looks[name]
        aside = 0.03 * (number - (len(several) - 1) / 2)
        axes.errorbar(
            [place + aside for place in range(len(curve))], [percent_of(point) for point in curve], yerr=bars(curve),
            color=colour, marker=marker, markersize=5, capsize=3, linewidth=1.2, label=name_in_figure(name),
        )  # fmt: skip
    axes.set_xticks(range(max(map(len, several.values()))))
    axes.set_xlabel("round (0: alone)")
    axes.set_ylabel("accuracy of the majority, % (95 % interval)")
    figure.legend(loc="outside right center")
    return figure


def _rounds(arm: Arm) -> list[Estimate]:
    """The arm's accuracy after each round, as far as it has rounds."""
    found = (arm.metrics.get(f"accuracy_round_{number}", NOTHING) for number in count())
    return list(takewhile(lambda point: point.value is not None, found))


def reliability_diagrams(reliability: Mapping[str, Reliability], looks: Mapping[str, Look]) -> Figure | None:
    """One panel a run and source of confidence: share right against confidence, with n over every bin."""
    from matplotlib.figure import Figure

    every = [(name, *source) for name, tally in reliability.items() for source in tally.sources.items()]
    panels = every[:PANELS]
    if not panels:
        return None
    columns = min(len(panels), 3 if len(panels) <= 9 else 6)
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(2.5 * columns + 0.3, 2.6 * rows + 0.2), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, (name, source, bins) in zip(grid.flat, panels, strict=False):
        _panel(axes, bins, _look_of(name, looks))
        axes.set_title(
            f"{name_in_figure(name)}\n{name_in_figure(source)}, n = {sum(here.n for here in bins):,}"
        )
    left_out = f" (the first {PANELS} of {len(every)} panels)" if len(every) > PANELS else ""
    figure.supxlabel(f"confidence{left_out}", fontsize=9)
    figure.supylabel("share right", fontsize=9)
    return figure


def _panel(axes: Axes, bins: Sequence[Bin], look: Look) -> None:
    colour, marker = look
    filled = [here for here in bins if here.n]
    places, heights = [here.confidence / here.n for here in filled], [here.right / here.n for here in filled]
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.plot(places, heights, color=colour, marker=marker, markersize=4, linewidth=1.2)
    for place, height, here in zip(places, heights, filled, strict=True):
        above = height < 0.9
        axes.annotate(
            f"{here.n:,}", (place, height), (0, 5 if above else -5), textcoords="offset points", ha="center",
            va="bottom" if above else "top", fontsize=7,
        )  # fmt: skip
    axes.set(xlim=(-0.05, 1.05), ylim=(-0.05, 1.05), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure, in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(visible=True, alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _logarithmic(axes: Axes) -> None:
    """A logarithmic axis with plain numbers: it rarely spans enough for powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def name_in_figure(text: str) -> str:
    """A name as it stands, as far as a figure has room for it: a dollar sign would start a formula."""
    text = plain(text)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return text.replace("$", r"\$")


def percent_of(point: Estimate) -> float:
    """The value in percent; not a number where it is undefined."""
    return 100 * point.value if point.value is not None else float("nan")


def bars(points: Sequence[Estimate]) -> list[list[float]]:
    """How far each interval reaches below and above its value; nowhere, where it is undefined."""
    below = [_reach(point.value, point.low) for point in points]
    above = [_reach(point.value, point.high) for point in points]
    return [below, above]


def _reach(value: float | None, bound: float | None) -> float:
    return 0.0 if value is None or bound is None else abs(100 * (value - bound))
