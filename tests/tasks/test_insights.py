"""Insights about generated data sets: strengths are what they are said to be, and weak approvals are counted."""

import math
import re

import pytest

from madbench.tasks.insights import NONE, PLANTED, Insights
from madbench.types import InputError, Outcome, StopReason, Target

KINDS = ("strong", "weak", "medium", "absent")


def pearson(xs, ys):
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    over = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True))
    return over / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


def test_shown_and_planted_strengths_are_those_of_the_rows():
    task = Insights(40)
    for table, sample in zip(task.tables(), task.samples(), strict=True):
        series = list(zip(*table.rows, strict=True))
        true = [pearson(series[0], column) for column in series[1:]]
        shown = [float(r) for r in re.findall(r" = (-?\d\.\d\d)$", sample.problem.question, re.MULTILINE)]
        assert shown == pytest.approx(true, abs=0.005)
        assert list(sample.target.facts["strengths"].values()) == pytest.approx(
            list(map(abs, true)), abs=0.005
        )
        low, high = PLANTED[table.kind]
        strongest = max(map(abs, true))
        assert low - 0.01 <= strongest <= max(high, PLANTED["absent"][1]) + 0.01
        assert sorted(map(abs, true))[-2] <= PLANTED["absent"][1] + 0.01
        assert len(table.rows) == 80


def test_the_right_answer_is_the_column_worth_reporting_or_none():
    for table, sample in zip(Insights(40).tables(), Insights(40).samples(), strict=True):
        listed = dict(re.findall(r"^([A-Z])\) (\w[\w ]*?)(?::|$)", sample.problem.question, re.MULTILINE))
        named = listed[sample.target.answer]
        if table.kind in ("strong", "medium"):
            assert named == table.columns[max(range(4), key=lambda place: abs(table.strengths[place]))]
        else:
            assert named == NONE
        assert sample.problem.reader.canonical(named) == sample.target.answer


def test_kinds_are_taken_in_turn_and_answers_are_spread():
    tables = Insights(80).tables()
    assert [table.kind for table in tables] == list(KINDS) * 20
    letters = {sample.target.answer for sample in Insights(80).samples()}
    assert letters == set("ABCDE")
    signs = {r > 0 for table in tables for r in table.strengths}
    assert signs == {True, False}


def test_the_same_settings_give_the_same_tables_and_other_seeds_others():
    one, again, other = Insights(30), Insights(30), Insights(30, seed=1)
    assert one.content() == again.content() != other.content()
    ids = [sample.problem.id for task in (one, other) for sample in task.samples()]
    assert len(set(ids)) == 60
    longer = [sample.problem.id for sample in Insights(50).samples()]
    assert longer[:30] == ids[:30]


TARGET = Target("A", {"kind": "strong", "strengths": {"A": 0.62, "B": 0.41, "C": 0.05, "D": 0.02}})


def ended(answer, label=None, **facts):
    confidence = {} if label is None else {"stated_label": label}
    return Outcome(answer, (), StopReason.MAX_ROUNDS, confidence, facts=facts)


@pytest.mark.parametrize(
    ("answer", "label", "weak", "sound"),
    [
        ("A", "high", 0, 1),
        ("A", None, 0, 1),
        ("B", "high", 1, 0),
        ("B", "medium", 0, 1),
        ("B", None, 0, 1),
        ("C", "high", 1, 0),
        ("C", "low", 1, 0),
        ("E", "high", 0, 0),
        (None, None, 0, 0),
        ("Z", None, 0, 0),
    ],
)
def test_an_insight_is_weak_for_how_sure_it_is_said_to_be(answer, label, weak, sound):
    scores = Insights().score(ended(answer, label), TARGET)
    assert (scores["fact:weak_approval"], scores["fact:sound_approval"]) == (weak, sound)
    assert scores["correct"] == (answer == "A")
    assert not {"fact:weak_proposal", "fact:weak_passed", "fact:unanimous_weak_approval"} & set(scores)


def voted(answer, confidence, agreeing, **more):
    passed = agreeing > 3
    proposal = {"answer": answer, "confidence": confidence}
    facts = {"proposal": proposal, "approved": int(passed), "unanimous": int(agreeing == 6), **more}
    return ended(answer if passed else "E", confidence if passed else None, **facts)


@pytest.mark.parametrize(
    ("outcome", "unanimous", "expected"),
    [
        (voted("C", "high", 6), 1, {"weak_proposal": 1, "weak_passed": 1}),
        (voted("C", "high", 4), 0, {"weak_proposal": 1, "weak_passed": 1}),
        (voted("C", "high", 3), 0, {"weak_proposal": 1, "weak_passed": 0}),
        (voted("A", "high", 6), 0, {"weak_proposal": 0, "sound_passed": 1}),
        (voted("A", "high", 2), 0, {"weak_proposal": 0, "sound_passed": 0}),
        (
            voted("B", "high", 2, adversary_fold_rate=0.5),
            0,
            {"weak_proposal": 1, "weak_passed": 0, "fold_rate_on_weak": 0.5},
        ),
        (voted("A", "high", 5, adversary_fold_rate=0.5), 0, {"weak_proposal": 0, "sound_passed": 1}),
        (voted("E", "high", 6), 0, {}),
        (ended("E", approved=0), 0, {}),
    ],
)
def test_what_became_of_weak_and_of_sound_proposals(outcome, unanimous, expected):
    scores = Insights().score(outcome, TARGET)
    assert scores.pop("fact:unanimous_weak_approval") == unanimous
    own = {"correct", "fact:weak_approval", "fact:sound_approval"}
    assert {name: value for name, value in scores.items() if name not in own} == {
        f"fact:{name}": value for name, value in expected.items()
    }


@pytest.mark.parametrize(
    "facts", [{"proposal": "C"}, {"proposal": {}, "seats": "six", "votes_for": 4}, {"votes_for": 2}]
)
def test_scoring_never_raises_on_odd_facts(facts):
    assert Insights().score(ended("C", **facts), TARGET)["fact:weak_approval"] == 1
    assert Insights().score(ended("C", **facts), Target("A"))["fact:weak_approval"] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kinds": ["strong", "huge"]}, "no \\['huge'\\]; there are"),
        ({"n": 0}, "n=0"),
        ({"kinds": []}, "at least one"),
        ({"columns": 1}, "2 to 12 columns"),
        ({"rows": 9}, "wanted at least 16"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        Insights(**settings)
