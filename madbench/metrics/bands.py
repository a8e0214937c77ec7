"""Where a debate's numbers lie outside of what its source calls healthy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from madbench.types import Estimate


@dataclass(frozen=True, slots=True)
class Band:
    """From `low` to `high`, ends included, and what it tells to lie outside."""

    metric: str
    low: float
    high: float
    below: str
    above: str


BANDS = (
    Band("convergence", 0.3, 0.7, "almost nothing is settled", "almost everything is given in to"),
    Band("theater_rate", 0.0, 0.3, "", "the arguing is mostly for show"),
    Band("stop_budget", 0.0, 0.2, "", "too many debates end for want of budget"),
    Band(
        "capitulation_rate",
        0.0,
        0.2,
        "",
        "sides give in at once, so that a strong score may rest on one reviewer",
    ),
)
"""As AdversarialDebate's roadmap draws them; the last one is our own, after the failure of its strongest pair."""


def outside(metrics: Mapping[str, Estimate]) -> list[str]:
    """One line for every number of a debate about claims that lies outside its band; none for other arms."""
    if (claims := metrics.get("claims")) is None or claims.value is None:
        return []
    found = [(band, metrics[band.metric].value) for band in BANDS if band.metric in metrics]
    return [
        _line(band, value)
        for band, value in found
        if value is not None and not band.low <= value <= band.high
    ]


def _line(band: Band, value: float) -> str:
    healthy = (
        f"{100 * band.low:.0f} to {100 * band.high:.0f} %" if band.low else f"up to {100 * band.high:.0f} %"
    )
    told = band.below if value < band.low else band.above
    return f"{band.metric} {100 * value:.0f} % (healthy: {healthy}): {told}."
