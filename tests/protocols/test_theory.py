"""Debates on a model of known statistics come out as enumeration says."""

import asyncio
import math
from collections import defaultdict
from itertools import product

import pytest

from madbench.agents import Cast, Episode, Scene
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.debate import Debate
from madbench.protocols.hearing import Hearing
from madbench.protocols.self_consistency import SelfConsistency
from madbench.tasks.synthetic import Synthetic
from madbench.types import RoleSettings

SAMPLES = Synthetic(n=600, options="AB").samples()


def episodes(protocol, **model):
    async def all_of_them():
        async with SimulatedModel(name="simulated", **model).open() as engine:
            return [await episode(engine, number) for number in range(len(SAMPLES))]

    async def episode(engine, number):
        other = SAMPLES[number - 1].problem
        scene = Scene(
            SAMPLES[number].problem, other, Cast({"default": [engine]}), protocol, RoleSettings(), 0
        )
        return await protocol(scene.problem, Episode(scene, lambda turn: None))

    return asyncio.run(all_of_them())


def right(outcomes):
    pairs = zip(outcomes, SAMPLES, strict=True)
    return sum(outcome.answer == sample.target.answer for outcome, sample in pairs) / len(SAMPLES)


def near(found, expected):
    return abs(found - expected) < 4 * math.sqrt(max(expected * (1 - expected), 1e-9) / len(SAMPLES)) + 1e-9


def voted(rights):
    """How likely a vote of these seats is right; an even split is drawn."""
    share = sum(rights) / len(rights)
    return 0.5 if share == 0.5 else float(share > 0.5)


def conform(before, hearing):
    """Distribution of who is right after an exchange in which everybody takes its peers' majority."""
    states = {tuple(before): 1.0}
    for seat in range(len(before)):
        after = defaultdict(float)
        for state, p in states.items():
            base = state if hearing.schedule == "sequential" else before
            heard = [base[peer] for peer in hearing.heard_by(seat, len(before))]
            chance = voted(heard)
            for now, q in ((1, chance), (0, 1 - chance)):
                after[(*state[:seat], now, *state[seat + 1 :])] += p * q
        states = after
    return states


def expected(accuracy, seats, hearing, exchanges):
    """Distribution of the number of seats that are right in the end."""
    states = defaultdict(float)
    for rights in product((0, 1), repeat=seats):
        states[rights] += accuracy ** sum(rights) * (1 - accuracy) ** (seats - sum(rights))
    for _ in range(exchanges):
        after = defaultdict(float)
        for state, p in states.items():
            for new, q in conform(state, hearing).items():
                after[new] += p * q
        states = after
    return [sum(p for state, p in states.items() if sum(state) == count) for count in range(seats + 1)]


ARMS = {
    "all": (3, 1, Hearing()),
    "twice": (3, 2, Hearing()),
    "sequential": (3, 1, Hearing(schedule="sequential")),
    "ring": (5, 2, Hearing(topology="ring")),
    "five": (5, 2, Hearing()),
    "star": (5, 2, Hearing(topology="star")),
}


@pytest.mark.parametrize("arm", ARMS)
def test_conformists_come_out_as_enumerated(arm):
    seats, exchanges, hearing = ARMS[arm]
    protocol = Debate(agents=seats, debate_rounds=exchanges, hearing=hearing)
    outcomes = episodes(protocol, accuracy=0.7, conformity=1.0)
    chances = expected(0.7, seats, hearing, exchanges)
    assert sum(chances) == pytest.approx(1)
    truths = [sample.target.answer for sample in SAMPLES]
    counts = [outcome.positions[-1].count(truth) for outcome, truth in zip(outcomes, truths, strict=True)]
    for count, chance in enumerate(chances):
        assert near(counts.count(count) / len(counts), chance), (count, chance)
    whole = sum(p * voted([1] * count + [0] * (seats - count)) for count, p in enumerate(chances))
    assert near(right(outcomes), whole)


def test_the_arms_differ_by_more_than_chance():
    """So that the test above would notice one schedule or topology in the place of another."""
    for one, other in (("all", "sequential"), ("five", "star"), ("all", "twice"), ("ring", "five")):
        pair = [expected(0.7, *(ARMS[arm][0], ARMS[arm][2], ARMS[arm][1])) for arm in (one, other)]
        assert any(not near(found, chance) for found, chance in zip(*pair, strict=True)), (one, other)


def test_who_follows_nobody_never_moves():
    for outcome in episodes(Debate(debate_rounds=2), accuracy=0.6, conformity=0.0)[:200]:
        assert outcome.positions[0] == outcome.positions[1] == outcome.positions[2]


def test_agents_that_hear_nobody_vote_as_they_did_alone():
    votes = episodes(SelfConsistency(votes=3, pool=3), accuracy=0.6, conformity=1.0)
    alone = episodes(Debate(peers="none"), accuracy=0.6, conformity=1.0)
    assert [outcome.answer for outcome in alone] == [outcome.answer for outcome in votes]


def test_strangers_words_pull_conformists_to_chance():
    """Another question's answers say nothing about this one: with two options, half are right."""
    outcomes = episodes(Debate(peers="other_question"), accuracy=0.9, conformity=1.0)
    assert near(right(outcomes), 0.5)


def test_silent_seats_are_no_votes():
    outcomes = episodes(Debate(debate_rounds=0), accuracy=1.0, mute=0.5)
    assert near(right(outcomes), 1 - 0.5**3)
    assert all(
        outcome.answer == sample.target.answer or outcome.answer is None
        for outcome, sample in zip(outcomes, SAMPLES, strict=True)
    )
