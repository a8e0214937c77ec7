"""Calibration of findings: the confidence a reviewer states against whether the finding matches a known issue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from madbench.metrics.estimates import (
    LEVEL,
    Floats,
    Grouped,
    Ints,
    Z,
    around,
    resamples,
    share,
    sums,
    undefined,
)
from madbench.metrics.reviews import TENTHS
from madbench.metrics.rows import Rows
from madbench.metrics.sureness import auroc
from madbench.types import Estimate

Table = npt.NDArray[np.float64]

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "confidence_finding": "Mean confidence of a finding",
        "ece_finding": "Expected calibration error of findings, ten bins of equal width",
        "brier_finding": "Mean squared distance between a finding's confidence and its matching a known issue",
        "auroc_finding": "Chance that a finding that matches is of a higher tenth of confidence than one that does not",
        "overconfidence_finding": "Mean confidence minus the share of these findings that match",
    }
)
SOURCE = "source: the number stated with a finding, in the reviewers' first findings, duplicates left out"


def meanings() -> dict[str, str]:
    return {name: f"{meaning}; {SOURCE}." for name, meaning in MEANINGS.items()}


@dataclass(frozen=True, slots=True)
class Tenths:
    """Findings by episode and tenth of stated confidence: how many, how many matched, and the sum of confidence."""

    n: Table
    matched: Table
    confidence: Table

    @classmethod
    def of(cls, rows: Rows) -> Tenths:
        def table(name: str) -> Table:
            found = rows.named(f"sure:{name}")
            none = np.zeros(len(rows))
            return np.stack([np.nan_to_num(found.get(str(tenth), none)) for tenth in range(TENTHS)], axis=1)

        return cls(table("n"), table("matched"), table("thousandths") / 1000)


def finding_confidence(rows: Rows) -> dict[str, Estimate]:
    """ECE, Brier, AUROC and overconfidence of findings, clustered as the rows are; undefined without confidences."""
    if not rows.named("sure:n"):
        return dict.fromkeys(MEANINGS, undefined())
    tenths = Tenths.of(rows)
    total = tenths.n.sum(axis=1)
    if not total.sum():
        return dict.fromkeys(MEANINGS, undefined())
    n = rows.counted(np.where(total > 0, total, np.nan))
    gaps = tenths.confidence - tenths.matched
    return {
        "confidence_finding": share(tenths.confidence.sum(axis=1), total, rows.clusters, n),
        "ece_finding": _ece(gaps, total, rows.clusters, n),
        "brier_finding": share(np.nan_to_num(rows.column("sure:squares")), total, rows.clusters, n),
        "auroc_finding": _auroc(tenths, rows.clusters, n),
        "overconfidence_finding": _mean(gaps.sum(axis=1), total, rows.clusters, n),
    }


def _mean(above: Floats, below: Floats, clusters: Ints, n: int) -> Estimate:
    """A mean over findings, as one over rows that each stand for all of their findings."""
    used = below > 0
    groups = Grouped.among(used, above, below, clusters)
    return around(groups.value, groups.error(), len(groups.above), n)


def _ece(gaps: Table, total: Floats, clusters: Ints, n: int) -> Estimate:
    """ECE with the interval of an answer's ECE: the lower bound takes off what noise alone adds."""
    _, codes = np.unique(clusters, return_inverse=True)
    count = int(codes.max(initial=0)) + 1
    by_cluster = np.stack([sums(codes, column) for column in gaps.T], axis=1) / total.sum()
    seen = by_cluster.sum(axis=0)
    value = float(np.abs(seen).sum())
    if count < 2:
        return Estimate(value, None, None, n)
    draws = np.concatenate([weights @ by_cluster for weights in resamples(count)])
    noise = np.abs(draws - seen).sum(axis=1)
    low = max(0.0, value - float(np.quantile(noise, 0.5 + LEVEL / 2)))
    return Estimate(value, low, min(1.0, value + Z * float(np.abs(draws).sum(axis=1).std())), n)


def _auroc(tenths: Tenths, clusters: Ints, n: int) -> Estimate:
    """Findings of one tenth are tied."""
    hits, misses = (table.astype(np.int64) for table in (tenths.matched, tenths.n - tenths.matched))
    rows, bins = np.nonzero(tenths.n)
    parts = [np.repeat(np.arange(len(rows)), counts[rows, bins]) for counts in (hits, misses)]
    places = np.concatenate(parts)
    right = np.repeat((1.0, 0.0), [len(part) for part in parts])
    return auroc(bins[places].astype(np.float64), right, clusters[rows[places]], n)
