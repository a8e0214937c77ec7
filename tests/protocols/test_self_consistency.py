"""Votes and single answers: what decides, what is only there to compare with, and what is charged."""

import pytest
from stage import SUM, play, stage

from madbench.protocols.cot import ChainOfThought
from madbench.protocols.self_consistency import SelfConsistency
from madbench.types import InputError, StopReason


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
