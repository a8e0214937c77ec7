"""How well a confidence says whether an answer is right. One source of confidence at a time, never pooled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from madbench.metrics.estimates import SEED, affordable, numbered

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bins = npt.NDArray[np.int16]
BINS = 10
DRAWS = 400


def equal_mass(confidence: Floats, bins: int = BINS) -> Bins:
    """Bin numbers such that bins hold equally many rows; equal confidences share the lowest of theirs. Few rows,
    fewer bins.
    """
    alike = numbered(confidence)
    size, sizes = len(confidence), np.bincount(alike)
    firsts = np.cumsum(sizes) - sizes
    return (firsts * min(bins, size) // max(size, 1)).astype(np.int16)[alike]


def equal_width(confidence: Floats, bins: int = BINS) -> Bins:
    """Bin numbers of equal parts of [0, 1], each without its upper edge; 1.0 belongs to the last."""
    return np.minimum((confidence * bins).astype(np.int16), bins - 1)


def ece(confidence: Floats, right: Floats, bins: Bins) -> float | None:
    """Expected calibration error in [0, 1] (Naeini et al., 2015): the bins' distances between mean confidence and
    share right, weighted by size. Every row is in a bin. None without rows.
    """
    if not len(confidence):
        return None
    gaps = np.bincount(bins, confidence - right)
    return float(np.abs(gaps).sum() / len(confidence))


def expected_ece(confidence: Floats, bins: Bins, draws: int | None = None) -> float | None:
    """The ECE that a perfectly calibrated model would show with these confidences: noise, at this n. Seeded."""
    if not len(confidence):
        return None
    draws = affordable(DRAWS, len(confidence)) if draws is None else draws
    rng, total = np.random.default_rng(SEED), 0.0
    for _ in range(draws):
        total += ece(confidence, (rng.random(len(confidence)) < confidence).astype(np.float64), bins) or 0.0
    return total / draws


def brier(confidence: Floats, right: Floats) -> Floats:
    """Squared distance between confidence and being right, row by row (Brier, 1950)."""
    return np.asarray((confidence - right) ** 2, np.float64)


def resolution(groups: npt.NDArray[np.integer], right: Floats) -> float | None:
    """Brier resolution (Murphy, 1973): how far the groups' shares right lie from the whole's, squared, by size.

    Groups are bins, or labels that stand for no number. In [0, 0.25]; None without rows.
    """
    if not len(right):
        return None
    sizes = np.bincount(groups)
    shares = np.bincount(groups, right)[sizes > 0] / sizes[sizes > 0]
    return float((sizes[sizes > 0] * (shares - right.mean()) ** 2).sum() / len(right))


def placements(ours: Floats, theirs: Floats) -> Floats:
    """For each of ours the share of theirs below it, ties half."""
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, side="left")
    below += np.searchsorted(ordered, ours, side="right")
    return below / (2 * len(theirs))


def auroc(confidence: Floats, right: Floats) -> float | None:
    """Chance that a right row has more confidence than a wrong one, ties half; None unless both exist."""
    hits = right > 0.5
    if hits.all() or not hits.any():
        return None
    return float(placements(confidence[hits], confidence[~hits]).mean())


def right_by_label(labels: Sequence[str], right: Floats) -> dict[str, tuple[int, int]]:
    """Rows right and rows in all, of every label that was stated (blank: none was)."""
    found = np.array(labels)
    return {
        str(label): (int(right[found == label].sum()), int((found == label).sum()))
        for label in np.unique(found)
        if label
    }


def track_record(labels: Sequence[str], right: Floats, clusters: Ints, folds: int = 5) -> Floats:
    """Labels turned to probabilities by the share right of the same label in the other folds (cross-fitted).

    Clusters stay whole. A label unseen elsewhere gets the other folds' overall share; shares are smoothed by half
    a row right and half a row wrong, so none is 0 or 1.
    """
    found, values = np.array(labels), np.full(len(right), np.nan)
    codes = numbered(clusters)
    fold_of = np.random.default_rng(SEED).permutation(int(codes.max(initial=0)) + 1)[codes] % folds
    for fold in range(folds):
        inside, outside = fold_of == fold, fold_of != fold
        for label in np.unique(found[inside]):
            alike = outside & (found == label)
            pool = alike if alike.any() else outside
            values[inside & (found == label)] = (right[pool].sum() + 0.5) / (pool.sum() + 1)
    return values


def coverage_at_risk(confidence: Floats, right: Floats, risk: float = 0.1) -> float | None:
    """The largest share of rows, most confident first, of which no more than `risk` are wrong (El-Yaniv and Wiener,
    2010). Rows of equal confidence are kept or left together. None without rows.
    """
    if not len(confidence):
        return None
    levels = numbered(confidence)
    kept = np.bincount(levels)[::-1].cumsum()
    wrong = np.bincount(levels, 1 - right)[::-1].cumsum()
    held = kept[wrong <= risk * kept + 1e-12]
    return float(held.max(initial=0)) / len(levels)


def reliability(confidence: Floats, right: Floats, bins: Bins) -> list[tuple[float, float, int]]:
    """Every filled bin's mean confidence, share right and size: what a reliability diagram shows."""
    return [
        (
            float(confidence[bins == number].mean()),
            float(right[bins == number].mean()),
            int((bins == number).sum()),
        )
        for number in np.unique(bins)
    ]
