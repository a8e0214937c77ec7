"""An arm's calibration, one source of confidence at a time."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from madbench.metrics import calibration
from madbench.metrics.calibration import Bins
from madbench.metrics.estimates import (
    LEVEL,
    Floats,
    Grouped,
    Ints,
    Z,
    effective_wilson,
    mean,
    numbered,
    picked,
    resamples,
    undefined,
    within,
)
from madbench.metrics.rows import Rows
from madbench.types import Estimate

HEADLINE = "token_probability"
SOURCES = (HEADLINE, "vote_share", "stated_number", "judge_probability")
"""Sources that are numbers. The first is the one that every arm can have, and gives the plain names."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "confidence": "Mean confidence",
        "ece": "Expected calibration error, equal-mass bins",
        "ece_equal_width": "Expected calibration error, ten bins of equal width",
        "ece_expected": "The equal-mass ECE that a perfectly calibrated model would show at this n",
        "brier": "Mean squared distance between confidence and being right",
        "brier_resolution": "Brier resolution over the equal-mass bins: how well confidence separates, 0 (not) to 0.25",
        "auroc": "Chance that a right answer has more confidence than a wrong one",
        "coverage_at_risk": "Largest share of samples, most confident first, of which at most 10 % are wrong",
        "overconfidence": "Mean confidence minus accuracy, on the samples with a confidence",
    }
)
SAID: Mapping[str, str] = MappingProxyType(
    {
        "token_probability": "probability of the answer's tokens, mean over the final turns that gave it",
        "vote_share": "share of the votes cast for the answer",
        "stated_number": "the number that the model stated",
        "judge_probability": "the judge's probability",
        "stated_label": "the label that the model stated, as its share right in the other folds",
    }
)


def name_of(metric: str, source: str) -> str:
    return metric if source == HEADLINE else f"{metric}_{source}"


def meanings() -> dict[str, str]:
    """The definitions of all calibration metrics, each with its source."""
    sources = (*SOURCES, "stated_label")
    return {
        name_of(metric, source): f"{meaning}; source {source} ({SAID[source]})."
        for source in sources
        for metric, meaning in MEANINGS.items()
    }


def sureness(rows: Rows) -> dict[str, Estimate]:
    """Every calibration metric of every source; undefined where no row has a confidence of that source."""
    right, found = rows.column("correct"), dict[str, Estimate]()
    for source in SOURCES:
        found |= _named(source, rows, rows.column(f"confidence:{source}"), right)
    labels = rows.label("stated_label")
    kept = labels != ""
    record = np.full(len(rows), np.nan)
    record[kept] = calibration.track_record(labels[kept].tolist(), right[kept], rows.clusters[kept])
    return found | _named("stated_label", rows, record, right)


def _named(source: str, rows: Rows, confidence: Floats, right: Floats) -> dict[str, Estimate]:
    kept = ~np.isnan(confidence)
    some = picked(confidence, kept), picked(right, kept), picked(rows.clusters, kept)
    found = _measures(*some, rows.different(kept))
    return {name_of(metric, source): found.get(metric, undefined()) for metric in MEANINGS}


def _measures(confidence: Floats, right: Floats, clusters: Ints, n: int) -> dict[str, Estimate]:
    if not len(confidence):
        return {}
    mass, width = calibration.equal_mass(confidence), calibration.equal_width(confidence)
    return {
        "confidence": within(mean(confidence, clusters, n), 0, 1),
        "ece": ece(confidence, right, mass, clusters, n),
        "ece_equal_width": ece(confidence, right, width, clusters, n),
        "ece_expected": _point(calibration.expected_ece(confidence, mass), n),
        "brier": within(mean(calibration.brier(confidence, right), clusters, n), 0, 1),
        "brier_resolution": _point(calibration.resolution(mass, right), n),
        "auroc": auroc(confidence, right, clusters, n),
        "coverage_at_risk": _point(calibration.coverage_at_risk(confidence, right), n),
        "overconfidence": within(mean(confidence - right, clusters, n), -1, 1),
    }


def _point(value: float | None, n: int) -> Estimate:
    """A number without an interval."""
    return Estimate(value, None, None, n)


def ece(confidence: Floats, right: Floats, bins: Bins, clusters: Ints, n: int) -> Estimate:
    """ECE with an interval that allows for its upward bias: noise alone moves it up by no more than the resampled
    gaps move from the observed ones, so the lower bound takes that off; the upper one adds two resampled spreads.
    """
    value = calibration.ece(confidence, right, bins)
    codes = numbered(clusters)
    count = int(codes.max(initial=0)) + 1
    if value is None or count < 2:
        return Estimate(value, None, None, n)
    gaps = confidence - right
    members = [np.flatnonzero(bins == number).astype(np.int32) for number in np.unique(bins)]
    seen = np.array([gaps[rows].sum() for rows in members]) / len(gaps)
    draws = np.concatenate(
        [
            np.stack([weights[:, codes[rows]] @ gaps[rows] for rows in members], axis=1) / len(gaps)
            for weights in resamples(count)
        ]
    )
    noise = np.abs(draws - seen).sum(axis=1)
    low = max(0.0, value - float(np.quantile(noise, 0.5 + LEVEL / 2)))
    return Estimate(value, low, min(1.0, value + Z * float(np.abs(draws).sum(axis=1).std())), n)


def auroc(confidence: Floats, right: Floats, clusters: Ints, n: int) -> Estimate:
    """AUROC with the standard error of its placements, summed by cluster (DeLong, 1988; Obuchowski, 1997)."""
    value = calibration.auroc(confidence, right)
    if value is None:
        return undefined(n)
    hits = right > 0.5
    pulls = np.zeros(len(right))
    pulls[hits] = calibration.placements(confidence[hits], confidence[~hits]) - value
    pulls[~hits] = 1 - calibration.placements(confidence[~hits], confidence[hits]) - value
    pulls /= np.where(hits, hits.sum(), (~hits).sum())
    groups = Grouped.of(pulls, np.full(len(pulls), 1 / len(pulls)), clusters)
    least = int(min(hits.sum(), (~hits).sum()))
    low, high = effective_wilson(value, groups.error(), len(groups.above), least)
    return Estimate(value, low, high, n)
