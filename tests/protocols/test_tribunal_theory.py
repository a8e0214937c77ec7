"""Anchoring of a simulated tribunal against its closed form, enumerated over all draws."""

import asyncio
import math
from itertools import product

import pytest

from madbench.agents import Cast, Episode, Scene
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.tribunal import SequentialTribunal, Tribunal
from madbench.tasks.synthetic import Synthetic
from madbench.types import Contract, RoleSettings, Sampling

OPTIONS = "ABCD"
SAMPLES = Synthetic(n=400, options=OPTIONS).samples()
GRAMMAR = RoleSettings(contract=Contract(enforcement="grammar"), sampling=Sampling(max_tokens=2048))


def outcomes(kind, accuracy, conformity):
    protocol = kind(members={"one": "a view", "two": "another view", "three": "a third view"})

    async def all_of_them():
        async with SimulatedModel(accuracy=accuracy, conformity=conformity).open() as engine:
            cast = Cast({"default": [engine]})
            scenes = [Scene(sample.problem, None, cast, protocol, GRAMMAR, 0) for sample in SAMPLES]
            return [await protocol(scene.problem, Episode(scene, lambda turn: None)) for scene in scenes]

    return asyncio.run(all_of_them())


def alone(answer, accuracy):
    """The chance of an answer given alone, A being the truth."""
    return accuracy if answer == "A" else (1 - accuracy) / (len(OPTIONS) - 1)


def after(answer, heard, accuracy, conformity):
    """The chance of an answer after hearing others: their majority (ties even) by conformity, else alone."""
    most = max(map(heard.count, heard))
    leaders = [option for option in OPTIONS if heard.count(option) == most]
    return conformity * (answer in leaders) / len(leaders) + (1 - conformity) * alone(answer, accuracy)


def expected_echo(accuracy, conformity):
    """Share of the two later proposals with the first one's answer."""
    echo = 0.0
    for first, second, third in product(OPTIONS, repeat=3):
        chance = alone(first, accuracy)
        chance *= after(second, (first,), accuracy, conformity)
        chance *= after(third, (first, second), accuracy, conformity)
        echo += chance * ((second == first) + (third == first)) / 2
    return echo


@pytest.mark.parametrize("accuracy", [0.4, 0.7])
@pytest.mark.parametrize(
    ("kind", "conformity", "heard"),
    [
        (Tribunal, 0.5, 0.0),
        (SequentialTribunal, 0.0, 0.0),
        (SequentialTribunal, 0.5, 0.5),
        (SequentialTribunal, 1, 1),
    ],
)
def test_echoes_of_the_first_proposal(kind, accuracy, conformity, heard):
    found = [outcome.facts["echoed_the_first"] for outcome in outcomes(kind, accuracy, conformity)]
    mean = sum(found) / len(found)
    wanted = expected_echo(accuracy, heard)
    assert abs(mean - wanted) <= 4 * math.sqrt(max(wanted * (1 - wanted), 1e-12) / len(found))


def test_the_closed_form_of_independent_pairs():
    for accuracy in (0.25, 0.4, 0.9):
        pairs = accuracy**2 + (1 - accuracy) ** 2 / 3
        assert expected_echo(accuracy, 0) == pytest.approx(pairs)
        assert expected_echo(accuracy, 1) == pytest.approx(1)
