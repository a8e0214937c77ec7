"""One plain sentence on whether an arm beats its control, by a fixed rule."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from madbench.metrics.comparisons import excludable
from madbench.types import Comparison, Integrity

ALPHA = 0.05
MARGIN = 0.05
"""Differences of accuracy this small hardly matter: an interval inside +-5 points shows no difference that does."""


class Finding(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"
    NULL = "null"
    UNDERPOWERED = "underpowered"


def finding(comparison: Comparison) -> Finding:
    """Positive or negative: the test rejects at 5 % and the interval lies on one side of 0. Otherwise null if the
    interval excludes differences beyond 5 points either way, else underpowered.
    """
    low, high, p = comparison.low, comparison.high, comparison.p
    if low is None or high is None or p is None:
        return Finding.UNDERPOWERED
    if p < ALPHA and low > 0:
        return Finding.POSITIVE
    if p < ALPHA and high < 0:
        return Finding.NEGATIVE
    return Finding.NULL if max(abs(low), abs(high)) <= MARGIN else Finding.UNDERPOWERED


def sentence(comparison: Comparison) -> str:
    """What the comparison shows, with the arm, the control, difference, interval, p and n."""
    pair = f"{comparison.a} than {spelled(comparison.b, comparison.a)}"
    if comparison.difference is None:
        return (
            f"No verdict on {comparison.a} against {spelled(comparison.b, comparison.a)}: no samples in both."
        )
    numbers = _numbers(comparison)
    limit = excludable(comparison.low, comparison.high)
    found = finding(comparison)
    if found is Finding.POSITIVE:
        return f"Answers are more often right with {pair}: {numbers}."
    if found is Finding.NEGATIVE:
        return f"Answers are less often right with {pair}: {numbers}."
    reach = (
        "no difference can be excluded"
        if limit is None or limit >= 1
        else f"only differences beyond {100 * limit:.1f} points are excluded"
    )
    against = f"{comparison.a} and {spelled(comparison.b, comparison.a)}"
    if found is Finding.NULL and limit is not None:
        excluded = f"differences beyond {100 * limit:.1f} points are excluded"
        return f"No difference shows between {against}: {numbers}; {excluded}."
    return f"Too few samples to tell {against} apart: {numbers}; {reach}."


def spelled(control: str, arm: str) -> str:
    """A control's name in words: budgets are the arm's own."""
    base, _, budget = control.partition("@")
    base = base.replace("self_consistency", "self-consistency")
    words = {
        "equal_calls": f"{base} at its own equal calls",
        "equal_tokens": f"{base} at its own equal tokens",
        "equal_flops": f"{base} at its own equal FLOPs",
        "round_0": "the majority of its own first answers",
    }
    return words.get(budget, control)


def verdict(comparisons: Sequence[Comparison], arms: Sequence[str]) -> str:
    """The sentence on the first of `arms` that was compared with self-consistency at its own equal calls.

    `arms` are those whose seats heard each other, in the order of the sweep.
    """
    equal = {c.a: c for c in comparisons if c.b.endswith("@equal_calls") and c.metric == "accuracy"}
    first = next((arm for arm in arms if arm in equal), None)
    if first is None:
        return (
            "No verdict: no arm with interaction was compared with self-consistency at its own equal calls."
        )
    return sentence(equal[first])


def caution(integrity: Sequence[Integrity]) -> str:
    """What a sentence on accuracy must not leave out: episodes that failed rather than answered wrongly."""
    failed = [f"{row.errored} of {row.found} episodes of {row.arm}" for row in integrity if row.errored]
    return f" Failed, and counted as wrong: {', '.join(failed)}." if failed else ""


def _numbers(comparison: Comparison) -> str:
    def points(value: float | None) -> str:
        return "unknown" if value is None else f"{100 * value:+.1f}"

    p = comparison.p
    tested = "p unknown" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    interval = f"95 % interval {points(comparison.low)} to {points(comparison.high)}"
    return f"{points(comparison.difference)} points ({interval}, {tested}, n = {comparison.n})"
