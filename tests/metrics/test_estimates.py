"""Estimates on numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.metrics.estimates import Grouped, mean, rate, ratio, resamples, share, weighted, wilson

EXACT = 1e-9


def floats(*values):
    return np.array(values, np.float64)


def alone(n):
    return np.arange(n)


def grouped(values, clusters):
    return Grouped.of(values, np.ones(len(values)), clusters)


def test_no_success_is_not_certainty():
    assert wilson(0, 25) == pytest.approx((0, 0.13319225), abs=1e-8)
    assert wilson(0, 5000) == pytest.approx((0, 0.0007677), abs=1e-7)
    assert wilson(25, 25)[1] == 1
    nothing = rate(np.zeros(25), alone(25))
    assert (nothing.value, nothing.low) == (0, 0)
    assert nothing.high == pytest.approx(3.841458820694124 / 28.841458820694124, abs=EXACT)


def test_one_row_and_no_row():
    one = mean(floats(7), alone(1))
    assert (one.value, one.low, one.high, one.n) == (7, None, None, 1)
    none = mean(floats(), alone(0))
    assert (none.value, none.low, none.high, none.n) == (None, None, None, 0)
    assert rate(floats(np.nan), alone(1)).value is None
    single = rate(floats(1), alone(1))
    assert single.value == 1
    assert 0.2 < single.low < 0.21


def test_repeats_of_a_question_are_no_new_questions():
    values, clusters = np.repeat(floats(1, 0, 1, 0), 5), np.repeat(alone(4), 5)
    assert grouped(values, clusters).error() == pytest.approx(math.sqrt(1 / 12), abs=EXACT)
    assert grouped(values, clusters).error(corrected=False) == pytest.approx(0.25, abs=EXACT)
    repeated, once = mean(values, clusters), mean(floats(1, 0, 1, 0), alone(4))
    assert (repeated.low, repeated.high) == pytest.approx((once.low, once.high), abs=EXACT)


def test_the_error_of_a_pooled_mean_is_that_of_the_same_mean():
    nine = (0.9, math.sqrt(0.09 / 899), 900)
    half = (0.5, math.sqrt(0.25 / 99), 100)
    assert weighted([nine, half]) == pytest.approx((0.86, 0.010312), abs=1e-6)
    assert weighted([(*nine[:2], 1), (*half[:2], 1)]) == pytest.approx((0.70, 0.025620), abs=1e-6)


def test_resampling_draws_clusters_with_replacement_at_full_size():
    (weights,) = resamples(5)
    assert (weights.sum(axis=1) == 5).all()
    assert weights.max() > 1
    low, high = np.percentile(weights @ floats(0, 10, 20, 30, 40) / 5, [2.5, 97.5])
    assert low < 10
    assert high > 30
    assert np.array_equal(weights, next(iter(resamples(5))))
    blocks = list(resamples(30_000, count=70))
    assert sum(map(len, blocks)) == 70
    assert max(block.size for block in blocks) <= 1_000_000


def test_copies_leave_every_interval_as_it_was():
    values = floats(0, 0.25, 0.5, 1, 0.75, 0.5)
    copies, clusters = np.tile(values, 5), np.tile(alone(6), 5)
    for estimate in (rate, mean, lambda v, c: ratio(v + 1, np.ones(len(v)), c)):
        few, many = estimate(values, alone(6)), estimate(copies, clusters)
        assert (few.value, few.low, few.high) == pytest.approx((many.value, many.low, many.high), abs=EXACT)


def test_rates_of_clusters_never_have_zero_width():
    for value in (0.0, 1.0):
        found = rate(np.full(48, value), np.repeat(alone(6), 8))
        assert (found.low, found.high) == wilson(value * 6, 6)
    assert rate(np.full(8, 0.5), alone(8)).high - rate(np.full(8, 0.5), alone(8)).low > 0.3


def test_a_ratio_with_nothing_below_is_undefined():
    tokens = floats(10, 20, 30)
    assert ratio(tokens, np.zeros(3), alone(3)).value is None
    found = ratio(tokens, floats(1, 0, 1), alone(3))
    assert found.value == 30
    assert 0 < found.low < 30 < found.high
    assert ratio(floats(10), floats(1), alone(1)).low is None


def test_a_share_ignores_rows_with_nothing_below():
    found = share(floats(1, 5, 0), floats(2, 0, 2), alone(3))
    assert (found.value, found.n) == (0.25, 2)


def test_n_counts_what_it_is_told_to_count():
    assert rate(floats(1, 0, np.nan), alone(3)).n == 2
    assert rate(floats(1, 0, np.nan), alone(3), n=1).n == 1


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, math.nan]), min_size=1, max_size=30), st.integers(1, 7))
def test_rates_stay_in_bounds_and_hold_their_value(values, size):
    found = rate(np.array(values), np.arange(len(values)) // size)
    if found.value is not None:
        assert 0 <= found.low <= found.value + EXACT
        assert found.value - EXACT <= found.high <= 1
        assert found.low < found.high
