"""Metrics of reviews: precision and recall of every view, against known issues; noise floors; what a debate cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from madbench.metrics.estimates import Floats, mean, rate, ratio, share, undefined
from madbench.metrics.pooled import PooledPair, difference
from madbench.metrics.reviews import FINAL, UNION, VOTE
from madbench.metrics.rows import Rows
from madbench.types import Estimate

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "precision": (
            "Findings that match a known issue over findings, pooled, clean artifacts included; second findings of an "
            "issue are dropped. A lower bound, since a true finding that nobody knew of counts as false"
        ),
        "precision_mean": "The same by artifact, mean over artifacts with findings",
        "missed_issue_recall": "Known issues found over known issues, pooled; an absent review misses all",
        "missed_issue_recall_mean": "The same by artifact, mean over artifacts with known issues",
        "missed_issue_rate": "1 - missed_issue_recall",
        "f1": "Harmonic mean of pooled precision and missed_issue_recall",
        "false_alarms_per_clean": "Findings on an artifact without known issues, mean; absent reviews do not count",
        "duplicates_rate": "Share of findings that repeat an issue already found",
        "findings_per_artifact": "Findings on an artifact, mean; absent reviews do not count",
        "precision_noise": "Precision against another artifact's issues: what chance and the matcher give away",
        "recall_noise": "Recall of another artifact's issues, likewise",
        "findings_matched": "Findings that match a known issue, in all",
        "findings_unmatched": "Findings that match none, in all",
        "findings_duplicates": "Findings that repeat an issue already found, in all",
    }
)
COSTS: Mapping[str, str] = MappingProxyType(
    {
        "recall_of_union_gained": "missed_issue_recall of the reviewers' union minus that of the first of them alone.",
        "recall_lost": "missed_issue_recall of the reviewers' union minus that of the final findings.",
        "precision_gained": "Precision of the final findings minus that of the reviewers' union.",
        "known_issues": "Known issues of all artifacts.",
        "findings_uncounted": "Findings of any view that are neither matched, unmatched nor duplicates; must be 0.",
        "tokens_per_matched_issue": "Prompt and output tokens of all episodes over known issues found.",
    }
)


@dataclass(frozen=True, slots=True)
class Seen:
    """One view's counts, row by row: NaN where the review is absent, but for `matched` and `found`, then 0."""

    matched: Floats
    unmatched: Floats
    duplicates: Floats
    found: Floats
    known: Floats

    @classmethod
    def of(cls, rows: Rows, view: str) -> Seen:
        known, matched = rows.column("known"), rows.column(f"matched:{view}")
        matched = np.where(np.isnan(matched) & ~np.isnan(known), 0.0, matched)
        others = (rows.column(f"{count}:{view}") for count in ("unmatched", "duplicates", "found"))
        unmatched, duplicates, found = others
        return cls(matched, unmatched, duplicates, np.where(np.isnan(found), matched, found), known)

    @property
    def reported(self) -> Floats:
        """Findings that count: matched and unmatched."""
        return self.matched + self.unmatched

    @property
    def precision(self) -> tuple[Floats, Floats]:
        """What lies above and below, 0 where the review is absent."""
        given = ~np.isnan(self.unmatched)
        return np.where(given, self.matched, 0.0), np.where(given, self.reported, 0.0)

    @property
    def recall(self) -> tuple[Floats, Floats]:
        return np.nan_to_num(self.found), np.nan_to_num(self.known)


def views(rows: Rows) -> list[str]:
    """The views that are reported, the final one first."""
    found = [view for view in rows.named("matched") if not view.startswith(VOTE)]
    return sorted(found, key=lambda view: (view != FINAL, view))


def name_of(metric: str, view: str) -> str:
    return metric if view == FINAL else f"{metric}_{view}"


def review_metrics(rows: Rows) -> dict[str, Estimate]:
    """Every metric of every view; undefined where no row is a review."""
    found = dict.fromkeys([*MEANINGS, *COSTS], undefined())
    for view in views(rows):
        seen, noise = Seen.of(rows, view), rows.column(f"noise:{view}")
        measured = (
            _precision(rows, seen) | _recall(rows, seen) | _noise(rows, seen, noise) | _totals(rows, seen)
        )
        found |= {name_of(metric, view): measured[metric] for metric in MEANINGS}
    return found | (_costs(rows) if "known" in rows.columns else {})


def meaning(name: str) -> str | None:
    """What a metric of this name says; None if it is none of these."""
    if name in COSTS:
        return COSTS[name]
    for metric in sorted(MEANINGS, key=len, reverse=True):
        if name == metric:
            return f"{MEANINGS[metric]}. Undefined for questions."
        if name.startswith(f"{metric}_"):
            return f"{MEANINGS[metric]}; of {_spelled(name[len(metric) + 1 :])} alone."
    return None


def _spelled(view: str) -> str:
    if seat := re.fullmatch(r"reviewer_(\d+)", view):
        return f"reviewer {seat[1]}"
    return "the union of all first reviews" if view == UNION else f"the view {view}"


def _pooled(rows: Rows, parts: tuple[Floats, Floats]) -> Estimate:
    above, below = parts
    return share(above, below, rows.clusters, rows.counted(np.where(below > 0, below, np.nan)))


def _precision(rows: Rows, seen: Seen) -> dict[str, Estimate]:
    above, below = seen.precision
    every = seen.reported + seen.duplicates
    by_artifact = np.divide(above, below, out=np.full(len(rows), np.nan), where=below > 0)
    false_alarms = np.where(seen.known == 0, every, np.nan)
    return {
        "precision": _pooled(rows, (above, below)),
        "precision_mean": rate(by_artifact, rows.clusters, rows.counted(by_artifact)),
        "false_alarms_per_clean": mean(false_alarms, rows.clusters, rows.counted(false_alarms)),
        "duplicates_rate": _pooled(rows, (np.nan_to_num(seen.duplicates), np.nan_to_num(every))),
        "findings_per_artifact": mean(every, rows.clusters, rows.counted(every)),
        "f1": _pooled(rows, _f1(seen)),
    }


def _f1(seen: Seen) -> tuple[Floats, Floats]:
    """Twice the matched over findings and known issues, which is the harmonic mean of the pooled shares."""
    return 2 * seen.precision[0], seen.precision[1] + seen.recall[1]


def _recall(rows: Rows, seen: Seen) -> dict[str, Estimate]:
    above, below = seen.recall
    by_artifact = np.divide(above, below, out=np.full(len(rows), np.nan), where=below > 0)
    return {
        "missed_issue_recall": _pooled(rows, (above, below)),
        "missed_issue_recall_mean": rate(by_artifact, rows.clusters, rows.counted(by_artifact)),
        "missed_issue_rate": _pooled(rows, (below - above, below)),
    }


def _noise(rows: Rows, seen: Seen, noise: Floats) -> dict[str, Estimate]:
    """Undefined where the task measured no noise floor."""
    known = ~np.isnan(noise)
    hits = np.where(known, noise, 0.0)
    return {
        "precision_noise": _pooled(rows, (hits, np.where(known, seen.precision[1], 0.0))),
        "recall_noise": _pooled(rows, (hits, np.where(known, np.nan_to_num(rows.column("strange")), 0.0))),
    }


def _totals(rows: Rows, seen: Seen) -> dict[str, Estimate]:
    parts = {"matched": seen.precision[0], "unmatched": seen.unmatched, "duplicates": seen.duplicates}
    return {f"findings_{name}": _total(rows, values) for name, values in parts.items()}


def _total(rows: Rows, values: Floats) -> Estimate:
    """A count, which has no interval."""
    known = ~np.isnan(values)
    return (
        Estimate(float(values[known].sum()), None, None, rows.counted(values)) if known.any() else undefined()
    )


def _costs(rows: Rows) -> dict[str, Estimate]:
    """What became of recall and precision between the union and the end, and tokens by issue found."""
    final, union = Seen.of(rows, FINAL), Seen.of(rows, UNION)
    tokens = rows.column("prompt_tokens") + rows.column("output_tokens")
    uncounted = np.where(np.isnan(final.known), np.nan, np.nan_to_num(rows.column("uncounted")))
    found = {
        "known_issues": _total(rows, final.known),
        "findings_uncounted": _total(rows, uncounted),
        "tokens_per_matched_issue": ratio(tokens, final.found, rows.clusters, rows.counted(tokens)),
    }
    if f"matched:{UNION}" not in rows.columns:
        return found
    n = rows.counted(final.known)
    if "matched:reviewer_0" in rows.columns:
        first = Seen.of(rows, "reviewer_0")
        gained = difference(PooledPair(union.recall, first.recall, rows.clusters, n))
        found["recall_of_union_gained"] = gained
    return found | {
        "recall_lost": difference(PooledPair(union.recall, final.recall, rows.clusters, n)),
        "precision_gained": difference(PooledPair(final.precision, union.precision, rows.clusters, n)),
    }
