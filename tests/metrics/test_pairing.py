"""Rows of two arms are paired by sample and draw, or not at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.metrics.pairing import Keys, same_rows
from madbench.types import InputError


def keys(*pairs):
    names, codes = np.unique([sample for sample, _ in pairs], return_inverse=True)
    return Keys(names, codes.astype(np.int32), np.array([draw for _, draw in pairs], np.int64))


def test_rows_are_paired_by_sample_and_draw():
    ours, theirs = keys((b"x", 0), (b"x", 1), (b"y", 0)), keys((b"y", 0), (b"x", 1), (b"x", 0))
    assert same_rows(ours, theirs).tolist() == [2, 1, 0]


@given(
    st.sets(st.tuples(st.sampled_from([b"a", b"bb", b"ccc"]), st.integers(-(2**62), 2**62)), min_size=1),
    st.data(),
)
def test_every_row_finds_its_partner(rows, data):
    ours, theirs = data.draw(st.permutations(sorted(rows))), data.draw(st.permutations(sorted(rows)))
    assert [theirs[place] for place in same_rows(keys(*ours), keys(*theirs))] == ours


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        ([(b"x", 0)], "1 only in the first, 0 only in the second, e.g. y"),
        ([(b"x", 0), (b"y", 0), (b"zz", 0)], "0 only in the first, 1 only in the second, e.g. zz"),
        ([(b"x", 0), (b"y", 1)], "1 only in the first, 1 only in the second, e.g. y"),
        ([(b"x", 0), (b"y", 0), (b"y", 0)], "0 only in the first, 0 only in the second, e.g. x"),
    ],
)
def test_unequal_samples_are_refused(theirs, told):
    with pytest.raises(InputError, match=f"same samples.*{told}"):
        same_rows(keys((b"x", 0), (b"y", 0)), keys(*theirs))


def test_a_row_that_is_there_twice_counts_once():
    assert keys((b"x", 0), (b"x", 1), (b"x", 0)).distinct == 2
