"""A judge's agreement with the gold, by what was shown first and by who argued; and a meaning for every number."""

from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from metrics.build import record, sample
from stage import OTHER, play

from madbench.agents import Cast, Scene
from madbench.metrics.arm import definitions
from madbench.metrics.contest import contestant, face_to_face
from madbench.metrics.judges import ruled
from madbench.metrics.measure import measure
from madbench.metrics.rows import MeasuredRun, tabulate
from madbench.sweep.pretending import Pretender
from madbench.tasks.passages import Passages
from madbench.types import Choosy, InputError, Outcome, RoleSettings, StopReason

CONF = Path(__file__).parents[2] / "conf"
PRESETS = sorted(file.stem for file in (CONF / "protocol").glob("*.yaml"))


def agreement(*rulings):
    """Rulings as answer, shown first, argued; A is right."""
    given = [dict(zip(("answer", "shown", "argued"), ruling, strict=True)) for ruling in rulings]
    outcome = Outcome(None, (), StopReason.MAX_ROUNDS, facts={"rulings": given})
    found = ruled(outcome, lambda answer: float(answer == "A"))
    return {name.removeprefix("fact:judge_agreement"): share for name, share in found.items()}


def test_a_judge_of_places_is_right_where_the_right_option_comes_first():
    found = agreement(("A", "A", None), ("B", "B", None))
    assert found == {"": 0.5, "_right_shown_first": 1.0, "_right_shown_last": 0.0}


def test_a_judge_of_substance_is_right_in_both_orders():
    found = agreement(("A", "A", None), ("A", "B", None))
    assert found == {"": 1.0, "_right_shown_first": 1.0, "_right_shown_last": 1.0}


def test_a_judge_who_believes_every_consultant_is_right_with_the_right_one():
    found = agreement(("A", "A", "A"), ("A", "B", "A"), ("B", "A", "B"), ("B", "B", "B"))
    assert (found["_right_argued"], found["_wrong_argued"], found[""]) == (1.0, 0.0, 0.5)


def test_a_ruling_that_could_not_be_read_agrees_with_nothing():
    assert agreement((None, "A", None), ("A", "B", None))[""] == 0.5


@pytest.mark.parametrize("facts", [{}, {"rulings": []}, {"rulings": "none"}, {"rulings": [None, 3]}])
def test_where_nobody_ruled_there_is_no_agreement(facts):
    assert ruled(Outcome("A", (), StopReason.MAX_ROUNDS, facts=facts), lambda answer: 1.0) == {}


def test_arms_are_compared_by_these_shares_where_both_have_them():
    def run(arm, *shares):
        rows = [
            record("B", of=sample(f"q{number}"), facts={"echoed_the_first": share, "rounds": 3})
            for number, share in enumerate(shares)
        ]
        return MeasuredRun(arm, "sums", arm, "small", 0, len(rows), tabulate(map(measure, rows)))

    ours, theirs = contestant("a", [run("a", 1.0, 0.5, 0.5)]), contestant("b", [run("b", 0.5, 0.5, None)])
    found = {c.metric: (c.difference, c.n) for c in face_to_face(ours, theirs)}
    assert found == {"accuracy": (0.0, 3), "echoed_the_first": (0.25, 2)}


@pytest.mark.parametrize("name", PRESETS)
def test_every_number_that_a_protocol_measures_is_defined(name, synthetic_review):
    with initialize_config_dir(str(CONF), version_base=None):
        protocol = instantiate(compose(f"protocol/{name}")["protocol"], _convert_="all")
    problem = Passages(n=1).samples()[0].problem
    if isinstance(protocol, Choosy):
        try:
            protocol.admit(problem)
        except InputError:
            problem = synthetic_review
    forms = {role: _held_by_grammar(protocol.roles.get(role, {})) for role in protocol.plays}
    cast = Cast({"default": [Pretender(problem, 3)]})
    played = play(Scene(problem, OTHER, cast, replace(protocol, roles=forms), RoleSettings(), seed=0))
    numbers = [fact for fact, value in played.outcome.facts.items() if value is None or _is_number(value)]
    meanings = definitions(numbers)
    assert [fact for fact in numbers if meanings[fact].startswith("Measured by")] == []


def _is_number(value):
    return isinstance(value, int | float)


def _held_by_grammar(settings):
    return {**settings, "contract": {**settings.get("contract", {}), "enforcement": "grammar"}}


@pytest.fixture(scope="module")
def synthetic_review():
    with initialize_config_dir(str(CONF), version_base=None):
        return instantiate(compose("task/synthetic_reviews")["task"], _convert_="all").samples()[0].problem
