"""Controls of equal budget, sample by sample."""

import numpy as np
import pytest
from metrics.build import debate, record, sample, turn, votes

from madbench.metrics import measure, tabulate
from madbench.metrics.budgets import Shape, equal_calls, equal_flops, equal_tokens


def pool(*answers, tokens=(100, 10)):
    return tabulate([measure(votes(list(answers), charged=2, tokens=tokens))]).pools


def arm(calls, tokens=(100, 10), *, spare=0):
    turns = [turn("B", "B", seat=seat, tokens=tokens) for seat in range(calls)]
    turns += [turn("B", "B", seat=calls + seat, round=1, spare=True) for seat in range(spare)]
    return tabulate([measure(record("B", [["B"]], turns))])


HERE = np.array([0], np.intp)
ANSWERS = ("C", "B", "B", "C", "C")


@pytest.mark.parametrize(("calls", "right"), [(1, 0), (2, 0.5), (3, 1), (4, 0.5), (5, 0)])
def test_equal_calls_are_the_first_votes(calls, right):
    control = equal_calls(pool(*ANSWERS), HERE, arm(calls, spare=7))
    assert (control.right.tolist(), control.votes.tolist(), control.capped) == ([right], [calls], 0)


def test_a_short_pool_is_counted():
    control = equal_calls(pool(*ANSWERS), HERE, arm(6))
    assert (control.votes.tolist(), control.capped) == ([5], 1)


@pytest.mark.parametrize(
    ("tokens", "bought", "capped", "short"),
    [
        ((100, 10), 1, 0, 0),
        ((200, 20), 2, 0, 0),
        ((200, 19), 1, 0, 0),
        ((50, 10), 1, 0, 1),
        ((549, 0), 4, 0, 0),
        ((550, 0), 5, 0, 0),
        ((660, 0), 5, 1, 0),
    ],
)
def test_equal_tokens_never_exceed_the_arms(tokens, bought, capped, short):
    control = equal_tokens(pool(*ANSWERS), HERE, arm(1, tokens))
    assert (control.votes.tolist(), control.capped, control.short) == ([bought], capped, short)


def test_votes_cost_what_they_cost():
    turns = [turn("B", "B", seat=seat, tokens=(10, size)) for seat, size in enumerate((5, 100, 5))]
    rows = tabulate([measure(record("B", [["B"] * 3], turns))])
    assert equal_tokens(rows.pools, HERE, arm(1, (100, 24))).votes.tolist() == [1]
    assert equal_tokens(rows.pools, HERE, arm(1, (100, 40))).votes.tolist() == [3]


def test_equal_flops_count_attention_too():
    shape = Shape(parameters=1e6, layers=2, width=8)
    assert shape.flops(np.array([110.0]), np.array([110 * 111 / 2])).tolist() == [
        2e6 * 110 + 4 * 2 * 8 * 110 * 111 / 2
    ]
    assert equal_flops(pool(*ANSWERS), HERE, arm(3), shape).votes.tolist() == [3]
    lean = Shape(parameters=1.0, layers=2, width=8)
    assert equal_flops(pool(*ANSWERS), HERE, arm(1, (200, 20)), lean).votes.tolist() == [3], (
        "attention is quadratic"
    )
    assert equal_tokens(pool(*ANSWERS), HERE, arm(1, (200, 20))).votes.tolist() == [2]


def test_unparsed_votes_are_no_votes():
    assert equal_calls(pool(None, "B", None, None), HERE, arm(4)).right.tolist() == [1]
    assert equal_calls(pool(None, None), HERE, arm(2)).right.tolist() == [0]


def test_the_arms_own_number_of_votes_gives_its_own_accuracy():
    answers = [["B", "C", "B", "D", "D"], ["C", "B", "B", "B", "C"], ["D", "C", None, "B", "B"]]
    rows = tabulate([measure(votes(said, charged=4, of=sample(f"q{i}"))) for i, said in enumerate(answers)])
    control = equal_calls(rows.pools, np.arange(3), rows)
    assert control.right.tolist() == rows.column("correct_ties").tolist()


def test_a_debates_budget_is_its_own():
    said = [[(f"{seat} B", "B") for seat in range(3)]] * 2
    rows = tabulate([measure(debate(said))])
    assert equal_calls(pool(*"BCBCBCBC"), HERE, rows).votes.tolist() == [6]
