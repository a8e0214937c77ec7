"""What arms are called, wherever they are named."""

from dataclasses import dataclass

import pytest

from madbench.metrics.labels import labels


@dataclass(frozen=True)
class Run:
    arm: str
    task: str = "sums"
    cast: str = "small"


@pytest.mark.parametrize(
    ("runs", "called"),
    [
        ([], []),
        ([Run("cot"), Run("debate"), Run("cot")], ["cot", "debate", "cot"]),
        ([Run("cot"), Run("cot", task="cot")], ["sums/cot", "cot/cot"]),
        ([Run("cot"), Run("cot", cast="large")], ["cot/small", "cot/large"]),
        ([Run("a"), Run("a", "words", "large")], ["sums/a/small", "words/a/large"]),
    ],
)
def test_task_and_cast_join_where_there_are_several(runs, called):
    assert labels(runs) == called
