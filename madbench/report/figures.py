"""The figures of a report as files: readable in print, and equal for equal summaries."""

from __future__ import annotations

import io
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from madbench.report.plots import (
    INK,
    accuracy_against_tokens,
    accuracy_by_round,
    looks_of,
    reliability_diagrams,
)
from madbench.report.reliability import Reliability
from madbench.report.review_plots import recall_and_precision
from madbench.report.tables import shown
from madbench.types import Summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: Mapping[str, object] = MappingProxyType(
    {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.titlesize": 9,
        "axes.titlelocation": "left",
        "axes.linewidth": 0.8,
        "legend.frameon": False,
        "svg.hashsalt": "madbench",
        "pdf.fonttype": 42,
    }
)
DATES: Mapping[str, dict[str, None]] = MappingProxyType(
    {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
)
"""File suffixes, and what is left out of their files so that equal figures are equal bytes."""
Drawn = Mapping[str, bytes]


def draw_figures(summary: Summary, reliability: Mapping[str, Reliability]) -> dict[str, Drawn]:
    """Each figure by name, as bytes by file suffix (png, pdf, svg). A figure with nothing to show is left out."""
    import matplotlib as mpl

    arms = shown(summary.arms)
    looks = looks_of(arms)
    with mpl.rc_context(dict(STYLE)):
        figures = {
            "accuracy_against_tokens": accuracy_against_tokens(arms, looks),
            "accuracy_by_round": accuracy_by_round(arms, looks),
            "recall_and_precision": recall_and_precision(arms, looks),
            "reliability": reliability_diagrams(reliability, looks),
        }
        return {name: _saved(figure) for name, figure in figures.items() if figure is not None}


def _saved(figure: Figure) -> Drawn:
    """The figure, laid out once, in every format; SVG without a ground, for pages of any colour."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    drawn = {}
    for suffix, dates in DATES.items():
        file = io.BytesIO()
        clear = suffix == "svg"
        figure.savefig(file, format=suffix, dpi=200, metadata=dates, transparent=clear)
        drawn[suffix] = file.getvalue()
    return drawn
