"""One plain sentence on whether an arm beats its control, by a fixed rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from madbench.metrics.comparisons import excludable
from madbench.types import Comparison, Integrity

ALPHA = 0.05
THEATER = "theater_rate"
MARGIN = 0.05
"""Differences this small (of accuracy, recall or precision) hardly matter: an interval inside +-5 points shows none
that does.
"""


SAID: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "accuracy": ("Answers are more often right", "Answers are less often right", ""),
        "missed_issue_recall": (
            "More of the known issues are found",
            "Fewer of the known issues are found",
            " in known issues found",
        ),
        "precision": (
            "Findings more often match a known issue",
            "Findings less often match a known issue",
            " in precision",
        ),
        THEATER: ("More debates are theater", "Fewer debates are theater", " in theater"),
    }
)
"""By metric how a sentence says more, less, and what no difference is in."""


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
    more, less, measure = SAID.get(comparison.metric, SAID["accuracy"])
    if found is Finding.POSITIVE:
        return f"{more} with {pair}: {numbers}."
    if found is Finding.NEGATIVE:
        return f"{less} with {pair}: {numbers}."
    reach = (
        "no difference can be excluded"
        if limit is None or limit >= 1
        else f"only differences beyond {100 * limit:.1f} points are excluded"
    )
    against = f"{comparison.a} and {spelled(comparison.b, comparison.a)}"
    if found is Finding.NULL and limit is not None:
        excluded = f"differences beyond {100 * limit:.1f} points are excluded"
        return f"No difference{measure} shows between {against}: {numbers}; {excluded}."
    return f"Too few samples to tell {against} apart{measure}: {numbers}; {reach}."


def spelled(control: str, arm: str) -> str:
    """A control's name in words: budgets are the arm's own."""
    base, _, budget = control.partition("@")
    base = base.replace("self_consistency", "self-consistency")
    words = {
        "equal_calls": f"{base} at its own equal calls",
        "equal_tokens": f"{base} at its own equal tokens",
        "equal_flops": f"{base} at its own equal FLOPs",
        "round_0": "the majority of its own first answers",
        "union": "the union of its own first reviews",
    }
    return words.get(budget, control)


def verdict(comparisons: Sequence[Comparison], arms: Sequence[str]) -> str:
    """The sentence on the first of `arms` that was compared with self-consistency at its own equal calls; on reviews
    two, by known issues found and by precision. In a sweep without self-consistency, on how far the first arms that
    differ in a setting differ in theater.

    `arms` are those whose seats heard each other, in the order of the sweep.
    """
    scores = [c for c in comparisons if c.b.endswith("@equal_calls") and c.metric != THEATER]
    met = [[c for c in scores if c.a == arm and c.metric in SAID] for arm in arms]
    if first := next(filter(None, met), []):
        return " ".join(map(sentence, first))
    nothing = "No verdict: no arm with interaction was compared with self-consistency at its own equal calls."
    theater = [c for c in comparisons if c.metric == THEATER]
    return " ".join([nothing, *map(sentence, theater[:1])])


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
