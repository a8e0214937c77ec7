"""Votes and single answers: what decides, what is only there to compare with, and what is charged."""

import json

import pytest
from stage import SUM, play, stage

from madbench.protocols.cot import ChainOfThought
from madbench.protocols.self_consistency import SelfConsistency
from madbench.tasks.answers.findings import FindingsReader
from madbench.types import Artifact, Document, InputError, Problem, StopReason, findings_of


def answers(*given):
    left = iter(given)
    return lambda request: f"Answer: {next(left)}"


def test_the_pool_beyond_the_votes_decides_nothing_and_is_charged_to_nobody():
    played = play(stage(SelfConsistency(votes=3, pool=7), answers(*"1122222")))
    assert played.outcome.answer == "1"
    assert played.outcome.positions == (tuple("1122222"),)
    assert played.outcome.confidence == {"vote_share": 2 / 3}
    assert [turn.spare for turn in played.turns] == [False] * 3 + [True] * 4


def test_a_pool_smaller_than_the_votes_takes_none_away():
    played = play(stage(SelfConsistency(votes=5, pool=2), answers(*"12222")))
    assert (len(played.own), len(played.turns)) == (5, 5)
    assert played.outcome.answer == "2"


def test_voters_are_independent():
    played = play(stage(SelfConsistency(votes=5, pool=5), answers(*"12345")))
    assert all(len(turn.request.messages) == 1 for turn in played.turns)
    assert len({turn.request.seed for turn in played.turns}) == 5
    assert {turn.request.messages[0].text for turn in played.turns} == {SUM.prompt}


@pytest.mark.parametrize(("tie", "expected"), [("first", "2"), ("abstain", None)])
def test_ties(tie, expected):
    played = play(stage(SelfConsistency(votes=4, pool=4, tie=tie), answers(*"2112")))
    assert played.outcome.answer == expected
    assert played.outcome.facts == {"tied": ["1", "2"]}


def test_one_chain_of_thought():
    played = play(stage(ChainOfThought(), answers("9")))
    assert played.outcome.answer == "9"
    assert played.outcome.positions == (("9",),)
    assert played.outcome.stop is StopReason.MAX_ROUNDS
    assert len(played.turns) == 1


def test_a_vote_of_nobody_is_refused():
    with pytest.raises(InputError, match=r"protocol\.votes: 0"):
        SelfConsistency(votes=0)


def test_reviews_are_voted_on_by_every_first_few():
    lines = (3, 3, 3, 8, 8)
    given = iter(lines)

    def reviewer(request):
        row = {"line_start": (line := next(given)), "line_end": line, "text": "off by one", "confidence": 90}
        return json.dumps({"findings": [row]})

    artifact = Artifact((Document("a.py", "\n".join(f"row {n}" for n in range(9))),))
    problem = Problem("a", "a", "Review a.py.", FindingsReader(artifact))
    played = play(stage(SelfConsistency(votes=4, pool=5), reviewer, problem=problem))
    found = {
        name: [finding.span.first for finding in findings_of(answer)]
        for name, answer in played.outcome.facts["views"].items()
    }
    order = [findings_of(answer)[0].span.first for answer in played.outcome.positions[0]]
    for k in range(1, 6):
        most = [line for line in (3, 8) if order[:k].count(line) > k / 2]
        assert found[f"vote_{k}"] == most
    assert [f.span.first for f in findings_of(played.outcome.answer)] == found["vote_4"]
