"""Calibration on numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.build import record, sample, turn

from madbench.metrics import arm_metrics, measure, tabulate
from madbench.metrics import calibration as cal
from madbench.metrics.sureness import ece as ece_estimate

EXACT = 1e-9


def floats(*values):
    return np.array(values, np.float64)


def width(confidence, right):
    return cal.ece(confidence, right, cal.equal_width(confidence))


def mass(confidence, right):
    return cal.ece(confidence, right, cal.equal_mass(confidence))


def test_certainty_has_a_bin():
    assert width(floats(0.95, 1.0), floats(1, 0)) == pytest.approx(0.475, abs=EXACT)
    assert width(np.ones(4), np.zeros(4)) == mass(np.ones(4), np.zeros(4)) == 1
    assert width(floats(0), floats(1)) == mass(floats(0), floats(1)) == 1


def test_few_samples_are_all_counted():
    confidence, right = floats(0.2, 0.5, 0.9), floats(0, 1, 1)
    assert mass(confidence, right) == pytest.approx((0.2 + 0.5 + 0.1) / 3, abs=EXACT)
    assert cal.ece(confidence, right, cal.equal_mass(confidence, bins=1)) == pytest.approx(0.4 / 3, abs=EXACT)
    assert mass(floats(), floats()) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.integers(1, 100))
def test_every_row_is_in_a_bin_and_equals_share_one(values, bins):
    confidence = np.array(values)
    for number in (cal.equal_mass(confidence, bins), cal.equal_width(confidence, bins)):
        assert len(number) == len(values)
        assert number.min() >= 0
        assert number.max() < bins
        for value in set(values):
            assert len(set(number[confidence == value].tolist())) == 1
        assert list(number[np.argsort(confidence, kind="stable")]) == sorted(number)


def test_equal_mass_is_equal():
    assert np.bincount(cal.equal_mass(np.linspace(0, 1, 100))).tolist() == [10] * 10


def test_bins_weigh_what_they_hold():
    confidence, right = floats(*[0.1] * 9, 0.9), np.zeros(10)
    assert width(confidence, right) == pytest.approx(0.18, abs=EXACT)


@pytest.mark.parametrize(("n", "expected"), [(10, 0.21), (20, 0.16), (50, 0.10), (100, 0.07), (1000, 0.02)])
def test_what_a_perfectly_calibrated_model_would_show(n, expected):
    rng = np.random.default_rng(3)
    found = [
        cal.expected_ece(confidence, cal.equal_width(confidence), draws=60)
        for confidence in 0.5 + 0.5 * rng.random((20, n))
    ]
    assert np.mean(found) == pytest.approx(expected, abs=0.012)


def test_brier_and_its_resolution():
    assert cal.brier(floats(1, 0.5, 0), floats(1, 1, 1)).tolist() == [0, 0.25, 1]
    perfect = cal.resolution(np.array([0, 0, 1, 1]), floats(0, 0, 1, 1))
    useless = cal.resolution(np.array([0, 1, 0, 1]), floats(0, 0, 1, 1))
    assert (perfect, useless) == (0.25, 0)
    assert cal.resolution(np.array([], int), floats()) is None


def test_auroc_counts_ties_half_and_needs_both_kinds():
    assert cal.auroc(floats(0.1, 0.9), floats(0, 1)) == 1
    assert cal.auroc(floats(0.9, 0.1), floats(0, 1)) == 0
    assert cal.auroc(floats(0.5, 0.5, 0.5), floats(0, 1, 1)) == 0.5
    assert cal.auroc(floats(0.2, 0.5, 0.5, 0.9), floats(0, 1, 0, 1)) == pytest.approx(3.5 / 4, abs=EXACT)
    assert cal.auroc(floats(0.5, 0.6), floats(1, 1)) is None


def test_coverage_at_risk_keeps_equals_together():
    assert cal.coverage_at_risk(floats(0.9, 0.8, 0.7), floats(1, 1, 0), risk=0.0) == pytest.approx(2 / 3)
    assert cal.coverage_at_risk(floats(0.9, 0.8, 0.8), floats(1, 1, 0), risk=0.0) == pytest.approx(1 / 3)
    assert cal.coverage_at_risk(floats(0.9, 0.8), floats(0, 1), risk=0.1) == 0
    assert cal.coverage_at_risk(floats(0.9, 0.8), floats(0, 1), risk=0.5) == 1


def test_the_track_record_never_uses_the_row_it_rates():
    labels = ["high"] * 5 + ["low"] * 5
    right = floats(1, 1, 1, 1, 0, 0, 0, 0, 0, 1)
    found = cal.track_record(labels, right, np.arange(10), folds=10)
    assert found[0] == pytest.approx((3 + 0.5) / 5)
    assert found[4] == pytest.approx((4 + 0.5) / 5)
    together = cal.track_record(labels, right, np.array([0] * 5 + [1] * 5), folds=2)
    assert together[0] == pytest.approx((1 + 0.5) / 6), "the whole cluster is out; other labels stand in"
    assert not np.isnan(found).any()
    assert (found > 0).all()
    assert (found < 1).all()


def test_right_share_by_label():
    assert cal.right_by_label(["low", "", "high", "low"], floats(0, 1, 1, 1)) == {
        "high": (1, 1),
        "low": (1, 2),
    }


def rows_of(*records):
    return tabulate(map(measure, records))


def test_sources_are_never_pooled():
    kept = [turn("so B", "B", probability=0.9)]
    first = record("B", [["B"]], kept, of=sample("q0"), confidence={"vote_share": 0.6})
    second = record(
        "C",
        [["C"]],
        [turn("so C", "C", probability=0.4)],
        of=sample("q1"),
        confidence={"stated_label": "high"},
    )
    found = arm_metrics(rows_of(first, second))
    assert found["confidence"].value == pytest.approx(0.65)
    assert found["confidence"].n == 2
    assert found["confidence_vote_share"].value == 0.6
    assert found["confidence_vote_share"].n == 1
    assert found["brier"].value == pytest.approx((0.01 + 0.16) / 2)
    assert found["brier_vote_share"].value == pytest.approx(0.16)
    assert found["ece_stated_number"].value is None
    assert found["ece_stated_number"].n == 0
    assert found["right_share_high"].value == 0


def test_token_probability_is_that_of_the_final_turns_with_the_answer():
    turns = [
        turn("B", "B", probability=0.1),
        turn("C", "C", seat=1, probability=0.2),
        turn("B", "B", round=1, probability=0.8),
        turn("B", "B", seat=1, round=1, probability=0.6),
        turn("C", "C", seat=2, round=1, probability=0.99),
        turn("B", "B", seat=3, round=1, probability=None),
    ]
    found = measure(record("B", [["B", "C"], ["B", "B"]], turns)).numbers["confidence:token_probability"]
    assert found == pytest.approx(0.7)


def test_the_interval_of_ece_holds_zero_for_most_calibrated_models_of_few_samples():
    found = [calibrated_ece(seed) for seed in range(20)]
    assert sum(ece.low == 0 for ece in found) >= 17
    assert all(ece.low < ece.value < ece.high <= 1 for ece in found)


def calibrated_ece(seed):
    rng = np.random.default_rng(seed)
    confidence = 0.5 + 0.5 * rng.random(48)
    right = (rng.random(48) < confidence).astype(float)
    return ece_estimate(confidence, right, cal.equal_mass(confidence), np.arange(48), 48)
