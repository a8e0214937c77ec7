"""Bounds stay within what a number can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madbench.metrics import Measured, arm_metrics, tabulate
from madbench.types import RowId

LEAST = {"brier": 0, "confidence": 0, "overconfidence": -1, "ece": 0, "auroc": 0}


def rows(pairs):
    return tabulate(
        Measured(
            RowId(f"q{i}"),
            f"q{i}",
            {"correct": float(right), "confidence:token_probability": sure, "parsed": 1.0},
        )
        for i, (sure, right) in enumerate(pairs)
    )


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.5, 0.99, 1.0]), st.booleans()), min_size=1, max_size=8)
)
def test_means_of_shares_have_bounds_that_are_shares(pairs):
    found = arm_metrics(rows(pairs))
    for name, least in LEAST.items():
        bounds = [found[name].low, found[name].high]
        assert all(bound is None or least <= bound <= 1 for bound in bounds), (name, bounds)


@pytest.mark.parametrize("name", ["brier", "confidence"])
def test_a_bound_that_would_leave_the_range_stops_at_its_end(name):
    found = arm_metrics(rows([(0.99, False), (0.01, False), (0.0, False)]))[name]
    assert found.low == 0
    assert np.isclose(found.value, {"brier": (0.99**2 + 0.01**2) / 3, "confidence": 1 / 3}[name])
