"""Counter-intuitive questions: right answers worked out another way, lures that are wrong, seeds that share nothing."""

import re
from fractions import Fraction

import pytest

from madbench.tasks.counterintuitive import TEMPLATES, Counterintuitive
from madbench.types import InputError, Outcome, StopReason

SAMPLES = Counterintuitive(n=200).samples()


def numbers(text):
    return [int(found) for found in re.findall(r"\d+", text)]


def lid(total, more):
    return next(cheap for cheap in range(total) if cheap + (cheap + more) == total)


def average(way, out, back):
    return Fraction(2 * way) / (Fraction(way, out) + Fraction(way, back))


def covered(question):
    (day,) = numbers(question)
    part = {"half": 2, "quarter": 4, "eighth": 8}[re.search(r"half|quarter|eighth", question)[0]]
    cover = {now: Fraction(1, 2 ** (day - now)) for now in range(day + 1)}
    return next(now for now, share in cover.items() if share == Fraction(1, part))


def hours(makers, took, made, others, wanted):
    return Fraction(wanted) / (others * Fraction(made, makers * took))


def rows(length, gap):
    return len(range(0, length + 1, gap))


def snail(depth, up, slip):
    height, day = 0, 0
    while True:
        day += 1
        height += up
        if height >= depth:
            return day
        height -= slip


def price(start, rise, fall):
    return Fraction(start) * (1 + Fraction(rise, 100)) * (1 - Fraction(fall, 100))


WORKED_OUT = {
    "two_prices": lambda q: lid(*numbers(q)),
    "there_and_back": lambda q: average(*numbers(q)),
    "doubling": covered,
    "same_pace": lambda q: hours(*numbers(q)),
    "posts": lambda q: rows(*numbers(q)),
    "climbing": lambda q: snail(*numbers(q)),
    "up_and_down": lambda q: price(*numbers(q)),
    "handshakes": lambda q: sum(range(numbers(q)[0])),
    "cuts": lambda q: numbers(q)[0] * sum(1 for _ in range(1, numbers(q)[1])),
    "overtaking": lambda q: numbers(q)[1],
}  # fmt: skip


def test_every_template_is_checked():
    assert {draw.__name__ for draw in TEMPLATES} == set(WORKED_OUT)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.problem.id)
def test_the_answer_follows_from_the_numbers_and_the_lure_does_not(sample):
    right = WORKED_OUT[sample.problem.cluster](sample.problem.question)
    assert Fraction(sample.target.answer) == right
    assert Fraction(sample.target.facts["lure"]) != right


def test_falling_for_the_lure_is_scored_apart_from_being_wrong():
    task, sample = Counterintuitive(n=1), SAMPLES[0]

    def scored(answer):
        return task.score(Outcome(answer, ((answer,),), StopReason.MAX_ROUNDS), sample.target)

    assert scored(sample.target.answer) == {"correct": 1.0, "fact:lured": 0.0}
    assert scored(sample.target.facts["lure"]) == {"correct": 0.0, "fact:lured": 1.0}
    assert scored("-1") == scored(None) == {"correct": 0.0, "fact:lured": 0.0}


def test_seeds_share_no_question_and_a_longer_list_begins_with_the_shorter():
    drawn = [
        {sample.problem.id for sample in Counterintuitive(n=100, seed=seed).samples()} for seed in range(8)
    ]
    assert len(set().union(*drawn)) == 800
    assert SAMPLES[:40] == Counterintuitive(n=40).samples()


def test_more_questions_than_there_are_is_an_error_that_says_so():
    with pytest.raises(InputError, match="more than template"):
        Counterintuitive(n=100_000).samples()
