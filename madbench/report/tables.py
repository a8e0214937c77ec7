"""The tables of a summary: arms, comparisons, integrity."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.report.cells import (
    UNDEFINED,
    amount,
    decimals,
    figures,
    interval,
    p_value,
    percent,
    share,
    whole,
)
from madbench.report.judges import kin_tables
from madbench.report.pairs import pair_tables
from madbench.report.review_tables import (
    REVIEWS,
    arguing_tables,
    findings_table,
    is_review,
    review_row,
    sureness_table,
    view_table,
)
from madbench.report.sheet import Row, Sheet
from madbench.types import Arm, Comparison, Estimate, Integrity, Summary

NOTHING = Estimate(None, None, None, 0)
CONTROL = "@equal_calls"
"""How the control ends that every arm is set against: as many votes as the arm made calls, sample by sample."""
ARMS: Row = (
    "arm", "accuracy %\n[95 %]", "n", "unpar-\nsed %", "thea-\nter %", "conver-\ngence %", "ECE", "calls",
    "tokens", "tokens\n/ right", "to equal calls,\npoints [95 %]", "p",
)  # fmt: skip
NUMBERS = (
    "accuracy",
    "unparsed_rate",
    "theater_rate",
    "convergence",
    "ece",
    "calls",
    "tokens_per_right_answer",
)
"""The metrics that an arm's row prints, the sum of its tokens aside."""
COMPARISONS: Row = ("a - b", "metric", "difference,\npoints [95 %]", "p", "n")
INTEGRITY: Row = ("arm", "planned", "found", "errored", "unparsed", "lost", "leaks", "quoted")


def arm_tables(summary: Summary) -> list[Sheet]:
    """One table for each task and cast, one row for each arm."""
    arms = shown(summary.arms)
    groups = list(dict.fromkeys((arm.task, arm.cast) for arm in arms))
    return [
        _arm_table(summary, [arm for arm in arms if (arm.task, arm.cast) == group], f"{group[0]}, {group[1]}")
        for group in groups
    ]


def _arm_table(summary: Summary, arms: Sequence[Arm], title: str) -> Sheet:
    """Reviews have columns of their own: nothing is right or wrong about a whole review."""
    every = shown(summary.arms)
    if any(map(is_review, arms)):
        rows = [review_row(label(arm, every), arm, tokens(arm), summary.comparisons) for arm in arms]
        return Sheet(title, REVIEWS, tuple(rows))
    lines = [(label(arm, every), *_numbers(arm), *_control(arm, summary.comparisons)) for arm in arms]
    return Sheet(title, ARMS, tuple(lines))


def debate_tables(summary: Summary) -> list[Sheet]:
    """Of debates about claims whether the arguing was real, how objections were met, and what happened by round."""
    return arguing_tables(_labelled(summary))


def detail_tables(summary: Summary) -> list[Sheet]:
    """Of reviews every view and how sure their authors were; of debates every cast, and whom its judge favoured."""
    named, arms = _labelled(summary), shown(summary.arms)
    return [view_table(named), sureness_table(named), *pair_tables(arms), *kin_tables(arms)]


def counted_table(summary: Summary) -> Sheet:
    """Findings = matched + unmatched + duplicates."""
    return findings_table(_labelled(summary))


def _labelled(summary: Summary) -> list[tuple[str, Arm]]:
    arms = shown(summary.arms)
    return [(label(arm, arms), arm) for arm in arms]


def comparison_table(summary: Summary) -> Sheet:
    """Every comparison made, percentages for shares."""
    return Sheet(
        "Paired differences on the same samples",
        COMPARISONS,
        tuple(
            (
                f"{c.a} - {c.b}",
                c.metric,
                interval(c.difference, c.low, c.high, sign=True),
                p_value(c.p),
                str(c.n),
            )
            for c in summary.comparisons
        ),
    )


def integrity_table(summary: Summary) -> Sheet:
    return Sheet(
        "Integrity",
        INTEGRITY,
        tuple(
            (
                row.arm,
                *map(str, (row.planned, row.found, row.errored, row.unparsed, row.lost, row.leaks)),
                _quoted(row, summary),
            )
            for row in summary.integrity
        ),
    )


def _quoted(row: Integrity, summary: Summary) -> str:
    """The count, and its share of all turns that a forbidden channel ends at."""
    rates = (
        arm.metrics.get("quoted_rate", NOTHING).value for arm in shown(summary.arms) if arm.arm == row.arm
    )
    rate = next(rates, None)
    return str(row.quoted) if not rate else f"{row.quoted} ({percent(rate)} %)"


def metric_table(summary: Summary) -> Sheet:
    """Every metric that is defined in some arm, as it is in summary.json: fractions, not percentages."""
    arms = shown(summary.arms)
    names = sorted(
        {name for arm in arms for name, estimate in arm.metrics.items() if estimate.value is not None}
    )
    return Sheet(
        "All metrics: value [95 % interval]",
        ("metric", *(label(arm, arms) for arm in arms)),
        tuple((name, *(figures(arm.metrics.get(name, NOTHING)) for arm in arms)) for name in names),
    )


def shown(arms: Sequence[Arm]) -> list[Arm]:
    """The arms that a table shows: all seeds pooled, or the seeds themselves where nothing is pooled."""
    pooled = {_key(arm) for arm in arms if arm.seed is None}
    return [arm for arm in arms if arm.seed is None or _key(arm) not in pooled]


def label(arm: Arm, among: Sequence[Arm]) -> str:
    """The arm's name, with its seed where several seeds stand side by side."""
    twins = sum(_key(other) == _key(arm) for other in among)
    return arm.arm if twins <= 1 or arm.seed is None else f"{arm.arm} seed {arm.seed}"


def tokens(arm: Arm) -> float | None:
    """Prompt plus output tokens of one episode, mean."""
    prompt, output = (arm.metrics.get(name, NOTHING).value for name in ("prompt_tokens", "output_tokens"))
    return None if prompt is None or output is None else prompt + output


def _key(arm: Arm) -> tuple[str, str, str]:
    return arm.arm, arm.task, arm.cast


def _numbers(arm: Arm) -> Row:
    accuracy, unparsed, theater, convergence, ece, calls, per_right = (
        arm.metrics.get(name, NOTHING) for name in NUMBERS
    )
    return (
        share(accuracy),
        str(accuracy.n),
        percent(unparsed.value),
        percent(theater.value),
        percent(convergence.value),
        decimals(ece.value),
        amount(calls.value),
        whole(tokens(arm)),
        whole(per_right.value),
    )


def _control(arm: Arm, comparisons: Sequence[Comparison]) -> Row:
    """The paired difference to the votes that the arm's own calls would have bought."""
    for c in comparisons:
        if (c.a, c.metric) == (arm.arm, "accuracy") and c.b.endswith(CONTROL):
            return interval(c.difference, c.low, c.high, sign=True), p_value(c.p)
    return UNDEFINED, UNDEFINED
