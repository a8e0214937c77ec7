"""Two verdicts, apart: is the pipeline whole, and did each protocol do what it claims."""

from __future__ import annotations

from madbench.report.cells import interval, percent, plain
from madbench.report.review_tables import is_argued
from madbench.report.tables import NOTHING, label, shown
from madbench.types import Arm, Estimate, Integrity, Summary

LINE = 0.5
"""A debate arm is theater when the interval of its theater rate lies above this, real when below."""


def pipeline_verdict(summary: Summary) -> str:
    """One sentence: every planned row is there and nothing leaked, or what is amiss in which arm."""
    planned, found = (sum(getattr(row, key) for row in summary.integrity) for key in ("planned", "found"))
    if not summary.integrity:
        return "The pipeline was not audited: no integrity rows."
    counts = f"{found} of {planned} planned rows found"
    if is_whole(summary):
        return f"The pipeline is whole: {counts}, none errored, none lost, no leaks."
    faults = [fault for row in summary.integrity for fault in _faults(row)] + _uncounted(summary)
    return f"The pipeline is NOT whole ({counts}): " + "; ".join(faults) + "."


def is_whole(summary: Summary) -> bool:
    """Whether integrity was audited, and nothing is amiss in any arm."""
    whole = bool(summary.integrity) and not any(_faults(row) for row in summary.integrity)
    return whole and not _uncounted(summary)


def _uncounted(summary: Summary) -> list[str]:
    """Arms of which findings are neither matched, unmatched nor duplicates."""
    arms = shown(summary.arms)
    counts = [(label(arm, arms), arm.metrics.get("findings_uncounted", NOTHING).value) for arm in arms]
    return [f"{plain(name)} {count:.0f} findings uncounted" for name, count in counts if count]


def _faults(row: Integrity) -> list[str]:
    missing = row.planned - row.found
    counts = {
        "missing": max(missing, 0),
        "more than planned": max(-missing, 0),
        "errored": row.errored,
        "lost": row.lost,
        "leaks": row.leaks,
    }
    return [f"{plain(row.arm)} {count} {what}" for what, count in counts.items() if count]


def protocol_verdicts(summary: Summary) -> list[str]:
    """One sentence for each arm with interaction: whether its arguing was real, by a fixed rule."""
    arms = shown(summary.arms)
    return [
        f"{plain(label(arm, arms))}: {_claim(rate)}{_minds(arm)}"
        for arm in arms
        if (rate := arm.metrics.get("theater_rate")) is not None and rate.value is not None
    ]


def _minds(arm: Arm) -> str:
    """Of debates about claims: how many had no answer that says something, and did anyone change their mind?"""
    if not is_argued(arm):
        return ""
    hollow, still, changed = (
        percent(arm.metrics[name].value)
        for name in ("theater_no_valid_answer", "theater_no_state_change", "changed_mind_rate")
    )
    return (
        f" No valid answer in {hollow} %, nothing changed in {still} %; somebody gave up a claim or an objection in "
        f"{changed} % of debates."
    )


def _claim(rate: Estimate) -> str:
    found = f"theater in {interval(rate.value, rate.low, rate.high)} % of episodes on {rate.n} samples"
    low, high = rate.low, rate.high
    if low is not None and low > LINE:
        return f"mostly theater ({found}): read its score as that of the first answers."
    if high is not None and high < LINE:
        return f"the arguing was real in most episodes ({found})."
    return f"too few samples to say whether the arguing was real ({found})."
