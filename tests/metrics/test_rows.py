"""Columns hold what was measured, exactly and small."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.build import debate, sample, votes

from madbench.metrics import Measured, MeasuredRun, arm_metrics, measure, summarise, tabulate
from madbench.metrics.rows import join
from madbench.types import RowId


def row(name="q", **numbers):
    return Measured(RowId(name), name, numbers)


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers(-(2**40), 2**40)), min_size=1))
def test_numbers_come_back_exactly(values):
    assert tabulate(row(x=value) for value in values).column("x").tolist() == [
        float(value) for value in values
    ]


def test_a_column_takes_what_its_different_values_need():
    rows = tabulate(
        row(f"q{i}", alike=1 / 3, flag=float(i % 2), tokens=float(i), large=float(i + 10**6), share=i / 3)
        for i in range(3000)
    )
    taken = {name: column.nbytes // 3000 for name, column in rows.columns.items()}
    assert taken == {"alike": 0, "flag": 1, "tokens": 4, "large": 4, "share": 8}


@pytest.mark.parametrize("different", [1, 2, 256, 257, 70_000])
def test_words_come_back(different):
    words = [f"word {i % different}" for i in range(70_500)]
    rows = tabulate(Measured(RowId("q"), "q", {}, {"said": word}) for word in words)
    assert rows.label("said").tolist() == words


def test_what_is_absent_is_undefined():
    rows = join([tabulate([row("a", x=1.0)]), tabulate([row("b", y=2.0)])])
    assert np.isnan(rows.column("x")).tolist() == [False, True]
    assert np.isnan(rows.column("z")).all()
    assert rows.label("ending").tolist() == ["", ""]


def test_more_rows_than_a_chunk_keep_their_order():
    rows = tabulate(row(f"q{i}", x=float(i)) for i in range(2500))
    assert rows.column("x").tolist() == list(range(2500))
    assert rows.keys.at(2400) == (b"q2400", 0)


def test_no_rows():
    assert len(tabulate([])) == 0
    assert tabulate([]).column("x").tolist() == []


def test_pools_survive_joining():
    few = [measure(votes(["B", "C", None], charged=2, of=sample(f"q{i}"))) for i in range(3)]
    rows = join([tabulate(few[:1]), tabulate(few[1:])])
    assert rows.pools.depths.tolist() == [3, 3, 3]
    found = rows.pools.majorities(np.array([2, 1, 0], np.intp), np.array([1, 2, 3]))
    assert found.tolist() == [1, 0.5, 0.5]


def distinct_debates(count):
    """Debates of which every number that can differ does."""
    draw = np.random.default_rng(count).random
    said = [[(f"Reason {seat}. Answer: B", "B") for seat in range(3)] for _ in range(3)]
    one = measure(debate(said, of=sample("synthetic-0123456789abcdef")))
    for index in range(count):
        counts = {
            name: index + float(draw() * 1000 // 1)
            for name in one.numbers
            if name.startswith(("prompt", "output", "attended"))
        }
        shares = {
            "repetition": draw(),
            "confidence:token_probability": draw(),
            "correct": float(draw() > 0.4),
        }
        yield Measured(
            RowId(f"synthetic-{index:016x}"),
            f"synthetic-{index}",
            {**one.numbers, **counts, **shares},
            one.labels,
        )


def most_held(count):
    """Bytes at the peak of all that is done with so many debates once they are measured, and those kept."""
    tracemalloc.start()
    rows = tabulate(distinct_debates(count))
    kept, _ = tracemalloc.get_traced_memory()
    arm_metrics(rows)
    summarise("much", [MeasuredRun("debate", "toy", "debate", "small", 0, count, rows)])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most, kept


def test_memory_grows_by_less_than_200_bytes_an_episode():
    most_held(100)  # modules and whatever else is made once
    (few, _), (many, kept) = most_held(3000), most_held(8000)
    assert (many - few) / 5000 < 200
    assert kept / 8000 < 150
    assert few < 5_000_000
