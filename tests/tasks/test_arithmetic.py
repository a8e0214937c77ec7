"""Arithmetic: values by Python's own reading of the expression, seeds apart, examples never scored."""

import pytest

from madbench.tasks.arithmetic import Arithmetic
from madbench.types import InputError


@pytest.mark.parametrize("numbers", [2, 3, 4, 5, 6])
def test_values_are_what_the_expression_means(numbers):
    for sample in Arithmetic(n=20, numbers=numbers, seeds=2).samples():
        expression = sample.problem.question.removeprefix("What is the result of ").removesuffix("?")
        assert int(sample.target.answer) == eval(expression)
        assert len([part for part in expression if part in "+-*"]) == numbers - 1


def test_seeds_share_nothing_and_examples_are_never_scored():
    tasks = [Arithmetic(n=50, shots=4, seed=seed) for seed in range(8)]
    asked = [{sample.problem.question for sample in task.samples()} for task in tasks]
    assert len(set().union(*asked)) == 400
    shown = {shot.prompt.splitlines()[0] for task in tasks for shot in task.samples()[0].problem.shots}
    assert len(shown) == 32
    assert not shown & set().union(*asked)


def test_a_longer_list_begins_with_the_shorter():
    assert Arithmetic(n=30).samples()[:10] == Arithmetic(n=10).samples()


@pytest.mark.parametrize("settings", [{"numbers": 1}, {"numbers": 7}, {"seed": 8}, {"below": 1}, {"n": 0}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match=r"^task: "):
        Arithmetic(**settings)


def test_more_than_half_of_all_expressions_is_too_much():
    with pytest.raises(InputError, match="no more than half"):
        Arithmetic(n=10, numbers=2, below=10)
