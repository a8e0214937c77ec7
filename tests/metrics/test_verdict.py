"""The one sentence, by its rule."""

from dataclasses import replace

import pytest

from madbench.metrics.verdict import Finding, finding, sentence, spelled, verdict
from madbench.types import Comparison

CONTROL = "self_consistency@equal_calls"


def compared(difference, low, high, p, *, a="debate", b=CONTROL, n=48):
    return Comparison(a, b, "accuracy", difference, low, high, p, n)


BETTER = compared(0.12, 0.04, 0.2, 0.004, n=400)
WORSE = compared(-0.2083, -0.354, -0.063, 0.0063)
EQUAL = compared(0.004, -0.021, 0.031, 0.74, n=1000)
UNCLEAR = compared(0.02, -0.12, 0.16, 0.8, n=8)


@pytest.mark.parametrize(
    ("comparison", "kind"),
    [
        (BETTER, Finding.POSITIVE),
        (WORSE, Finding.NEGATIVE),
        (EQUAL, Finding.NULL),
        (UNCLEAR, Finding.UNDERPOWERED),
        (compared(0.1, 0.01, 0.19, 0.06), Finding.UNDERPOWERED),
        (compared(0.1, -0.01, 0.21, 0.04), Finding.UNDERPOWERED),
        (compared(None, None, None, None, n=0), Finding.UNDERPOWERED),
        (compared(0.03, 0.01, 0.05, 0.2), Finding.NULL),
    ],
)
def test_the_rule(comparison, kind):
    assert finding(comparison) is kind


@pytest.mark.parametrize("comparison", [BETTER, WORSE, EQUAL, UNCLEAR])
def test_every_sentence_names_arm_control_difference_interval_and_n(comparison):
    said = sentence(comparison)
    assert said.endswith(".")
    for part in (
        "debate",
        "self-consistency at its own equal calls",
        f"{100 * comparison.difference:+.1f} points",
        f"{100 * comparison.low:+.1f} to {100 * comparison.high:+.1f}",
        f"n = {comparison.n}",
    ):
        assert part in said


def test_an_interval_over_everything_excludes_nothing():
    assert sentence(compared(0.0, -1.0, 1.0, 1.0, n=1)).endswith("; no difference can be excluded.")


def test_only_the_control_is_put_in_words_not_its_task_or_cast():
    assert spelled("two_digit_sums/self_consistency/smollm2_135m@equal_calls", "debate") == (
        "two_digit_sums/self-consistency/smollm2_135m at its own equal calls"
    )


def test_the_four_sentences_differ_in_what_they_claim():
    assert "more often right" in sentence(BETTER)
    assert "less often right" in sentence(WORSE)
    assert sentence(EQUAL).startswith("No difference shows")
    assert "differences beyond 3.1 points are excluded" in sentence(EQUAL)
    assert sentence(UNCLEAR).startswith("Too few samples")
    assert "only differences beyond 16.0 points are excluded" in sentence(UNCLEAR)


def test_p_is_never_printed_as_zero():
    assert "p < 0.001" in sentence(compared(-0.5, -0.6, -0.4, 0.0000001))
    assert "p = 0.006" in sentence(WORSE)
    assert "p = 1.000" in sentence(compared(0.0, -0.1, 0.1, 1.0))


def test_no_common_samples_no_verdict():
    assert "No verdict" in sentence(compared(None, None, None, None, n=0))


def test_the_verdict_is_on_the_first_arm_that_argued():
    others = compared(0.3, 0.2, 0.4, 0.001, a="self_refine")
    later = compared(0.3, 0.2, 0.4, 0.001, a="critic_profile")
    assert verdict([others, later, WORSE], ["debate", "critic_profile"]) == sentence(WORSE)
    assert "No verdict" in verdict([others], ["debate"])
    assert "No verdict" in verdict([], [])


def test_without_self_consistency_debates_are_told_apart_by_theater():
    less = Comparison("strict", "permissive", "theater_rate", -0.5, -0.7, -0.3, 0.001, 40)
    other = replace(less, metric="theater_no_concession")
    said = verdict([other, less, replace(less, a="other")], ["strict", "permissive", "other"])
    assert said.startswith("No verdict: no arm with interaction")
    assert said.count("Fewer debates are theater with strict than permissive: -50.0 points") == 1
    assert "other" not in said
    assert verdict([less, WORSE], ["strict", "debate"]) == sentence(WORSE)
