"""Paired comparisons on numbers worked out by hand."""

import numpy as np
import pytest

from madbench.metrics.comparisons import (
    Paired,
    excludable,
    holm,
    interval,
    joint_clusters,
    mcnemar,
    p_value,
    sign_flip,
)


def pairs(first_only, second_only, same, size=1):
    values = np.array([1.0] * first_only + [-1.0] * second_only + [0.0] * same)
    return Paired(values, np.arange(len(values)) // size, len(values))


def test_mcnemar_is_exact():
    assert mcnemar(14, 4) == pytest.approx(0.0308837890625, abs=1e-12)
    assert mcnemar(0, 0) == 1
    assert mcnemar(5, 5) == 1
    assert p_value(pairs(14, 4, 82)) == pytest.approx(0.0308837890625, abs=1e-12)


def test_sign_flips_equal_mcnemar_where_both_apply():
    for a, b in [(6, 1), (3, 3), (9, 2)]:
        assert sign_flip(np.array([1.0] * a + [-1.0] * b)) == pytest.approx(mcnemar(a, b), abs=1e-12)
    many = sign_flip(np.array([1.0] * 30 + [-1.0] * 12))
    assert many == pytest.approx(mcnemar(30, 12), abs=0.004)
    assert many == sign_flip(np.array([1.0] * 30 + [-1.0] * 12))


def test_no_difference_anywhere_is_no_evidence():
    assert sign_flip(np.zeros(5)) == p_value(pairs(0, 0, 9)) == 1


def test_clusters_are_flipped_whole():
    assert p_value(pairs(10, 0, 0, size=5)) == 0.5, "two clusters can only agree or not"
    assert p_value(pairs(10, 0, 0)) == pytest.approx(2 / 1024)


def test_the_interval_has_width_even_where_nothing_differs():
    low, high = interval(pairs(0, 0, 20))
    assert low == pytest.approx(-high)
    assert 0 < high < 0.2
    assert interval(pairs(1, 0, 0)) == (-1, 1)
    assert interval(pairs(20, 0, 0))[1] == 1


def test_copies_do_not_narrow_the_interval():
    once = np.array([1.0, 0, 0, -1, 1, 0, 1, 0])
    copies = Paired(np.tile(once, 5), np.tile(np.arange(8), 5), 8)
    alone = interval(Paired(once, np.arange(8), 8))
    assert interval(copies)[1] - interval(copies)[0] > 0.7 * (alone[1] - alone[0])


def test_clusters_of_both_arms_are_joined():
    found = joint_clusters(np.array([5, 5, 6, 7, 8]), np.array([1, 2, 2, 3, 4]))
    assert found[0] == found[1] == found[2]
    assert len(set(found.tolist())) == 3


def test_holm():
    assert holm([0.01, 0.04, 0.03, None]) == [
        pytest.approx(0.03),
        pytest.approx(0.06),
        pytest.approx(0.06),
        None,
    ]
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_excludable():
    assert excludable(-0.02, 0.07) == 0.07
    assert excludable(None, 0.07) is None
