"""Judges and their own family: closed forms, on rows made by hand and on simulated pairs of a known preference."""

import asyncio
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from metrics.build import record, sample

from madbench.agents import Cast, Episode, Scene
from madbench.engines.names import family_of
from madbench.engines.simulated_kin import signed
from madbench.metrics import Families, arm_metrics, definitions, measure, tabulate
from madbench.metrics.kinship import choice
from madbench.protocols.judged_debate import Consultancy, JudgedDebate
from madbench.tasks.passages import Passages
from madbench.types import Contract, InputError, RoleSettings

CONF = Path(__file__).parents[2] / "conf"
PAIR = Families({"debater": ["ours", "theirs"], "judge": ["ours"]})
NAMES = ("family_preference", "picked_own_family", "picked_other_family")


def ruling(picked, *, right_side=0):
    """A choice between two debaters, of whom one argued for the right answer B."""
    answers = ("B", "C") if right_side == 0 else ("C", "B")
    sides = ((f"debater/{seat}", answers[seat], float(seat == picked)) for seat in (0, 1))
    return choice("judge/0", *sides)


def numbers(rows, families=PAIR):
    """The three numbers of episodes, each given as its choices."""
    records = [
        record("B", of=sample(f"q{at}"), facts={"choices": choices}) for at, choices in enumerate(rows)
    ]
    found = arm_metrics(tabulate(measure(one, families) for one in records))
    return tuple(found[name].value if name in found else None for name in NAMES)


def test_a_judge_of_its_own_picks_its_own():
    assert numbers([[ruling(0, right_side=0)], [ruling(0, right_side=1)]]) == (1.0, 1.0, 0.0)


def test_a_judge_who_is_always_right_has_no_preference_however_often_its_own_family_is_right():
    rows = [[ruling(0, right_side=0)]] * 3 + [[ruling(1, right_side=1)]]
    assert numbers(rows) == (0.0, 0.75, 0.25)


def test_preference_is_what_is_left_given_right_and_wrong():
    """Own: right 2 of 4 picked, wrong 1 of 2; other: wrong 2 of 4, right 1 of 2."""
    rows = [[ruling(picked)] for picked in (0, 0, 1, 1)] + [
        [ruling(0, right_side=1)],
        [ruling(1, right_side=1)],
    ]
    assert numbers(rows) == (0.0, 0.5, 0.5)


def test_both_seatings_of_the_same_samples_take_the_place_out():
    """A judge who always goes with the first side."""
    rows = [[ruling(0)], [ruling(0, right_side=1)]]
    straight, swapped = numbers(rows), numbers(rows, Families({**PAIR.seats, "debater": ["theirs", "ours"]}))
    assert (straight[0], swapped[0]) == (1.0, -1.0)


@pytest.mark.parametrize(
    "families",
    [
        {},
        {"default": ["ours"]},
        {"debater": ["ours", "ours"], "judge": ["ours"]},
        {"debater": ["theirs", "others"], "judge": ["ours"]},
        {"debater": ["ours", "theirs"], "judge": [""]},
        {"debater": ["ours", ""], "judge": ["ours"]},
    ],
)
def test_without_two_families_one_of_them_the_judge_s_there_is_no_preference(families):
    assert numbers([[ruling(0)], [ruling(1)]], Families(families))[0] is None


def test_a_ranking_leaves_the_ranker_s_own_proposal_and_choices_among_one_kind_out():
    families = Families({"member": ["ours", "ours", "theirs"]})
    mixed = choice("member/0", ("member/1", "B", 1.0), ("member/2", "B", 0.0))
    own = choice("member/1", ("member/1", "B", 1.0), ("member/2", "B", 0.0))
    alike = choice("member/2", ("member/0", "B", 1.0), ("member/1", "B", 0.0))
    assert numbers([[mixed]], families) == (1.0, 1.0, 0.0)
    assert numbers([[own]], families)[1] is None
    assert numbers([[mixed, alike]], families) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("facts", [{}, {"choices": []}, {"choices": "none"}, {"choices": [{"by": "judge"}]}])
def test_where_nobody_chose_nothing_is_said(facts):
    found = measure(record("B", facts=facts), PAIR).numbers
    assert not [name for name in found if name.startswith(("sides:", "picked:"))]


def test_the_interval_is_that_of_a_difference_of_means():
    """Own right answers picked in 3 of 4, own wrong ones in 1 of 4: the variances of two rates add up."""
    rows = [record("B", of=sample(f"q{at}"), facts={"choices": [ruling(at % 4 == 0)]}) for at in range(40)]
    found = arm_metrics(tabulate(measure(one, Families(PAIR.seats)) for one in rows))["family_preference"]
    assert found.value is None  # no other family's right answer to hold against
    rows += [
        record("B", of=sample(f"p{at}"), facts={"choices": [ruling(at % 4 > 0, right_side=1)]})
        for at in range(40)
    ]
    found = arm_metrics(tabulate(measure(one, PAIR) for one in rows))["family_preference"]
    spread = sqrt(2 * 0.75 * 0.25 / 40)
    assert found.value == pytest.approx(0.0)
    assert (found.high - found.low) / 2 == pytest.approx(2 * spread, rel=0.2)


def test_every_number_is_defined():
    assert all(definitions(NAMES)[name] for name in NAMES)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("smollm2_135m", "smollm"),
        ("gemma3_270m", "gemma"),
        ("Qwen2.5-7B-Instruct", "qwen"),
        ("Meta-Llama-3.1-8B", "llama"),
        ("Llama-3.2-1B", "llama"),
        ("3b", ""),
    ],
)
def test_a_family_is_what_a_name_begins_with(name, family):
    assert family_of(name) == family


@cache
def kin(name, prefers):
    with initialize_config_dir(str(CONF), version_base=None):
        model = instantiate(compose("model/simulated_kin")["model"], _convert_="all")
    return replace(model, base=replace(model.base, name=name), prefers=prefers)


def played(protocol, task, cast):
    """An arm's metrics, from a record a sample; `cast` names each role's models."""

    async def all_of_them():
        engines = {}
        for role, models in cast.items():
            engines[role] = [await model.open().__aenter__() for model in models]

        async def one(given):
            scene = Scene(given.problem, None, Cast(engines), protocol, SETTINGS, seed=5)
            outcome = await protocol(given.problem, Episode(scene, lambda turn: None))
            built = record(outcome.answer, of=given)
            return replace(built, outcome=outcome, scores=task.score(outcome, given.target))

        return await asyncio.gather(*map(one, task.samples()))

    records = asyncio.run(all_of_them())
    families = Families({role: [model.family for model in models] for role, models in cast.items()})
    return arm_metrics(tabulate(measure(one, families) for one in records))


SETTINGS = RoleSettings(contract=Contract(enforcement="grammar"))
FIRST, SECOND = ("alpha_1", "beta_1")


def near(estimate, value):
    """Within four standard errors."""
    assert abs(estimate.value - value) <= 2 * (estimate.high - estimate.low), estimate


@pytest.mark.parametrize("prefers", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_judge_of_known_preference_is_found_out_in_both_seatings(prefers, swapped):
    """Who favours its family with probability q and else draws picks it with q + (1 - q) / 2: a preference of q."""
    debaters = [kin(FIRST, 0.0), kin(SECOND, 0.0)][:: -1 if swapped else 1]
    cast = {"debater": debaters, "judge": [kin("alpha_2", prefers)]}
    found = played(JudgedDebate(debate_rounds=1), Passages(n=100), cast)
    near(found["family_preference"], prefers)
    near(found["picked_own_family"], (1 + prefers) / 2)
    near(found["picked_other_family"], (1 - prefers) / 2)


def test_a_consultant_of_the_family_is_believed_more_often():
    """A consultant of another family is believed half of the time."""
    cast = {"debater": [kin(FIRST, 0.0), kin(SECOND, 0.0)], "judge": [kin("beta_2", 0.6)]}
    found = played(Consultancy(debate_rounds=1), Passages(n=100), cast)
    near(found["family_preference"], 0.8 - 0.5)


def test_a_blind_judge_chooses_between_nobody():
    with initialize_config_dir(str(CONF), version_base=None):
        blind = instantiate(compose("protocol/blind_judge")["protocol"], _convert_="all")
    cast = {"default": [kin(FIRST, 0.0), kin(SECOND, 0.0)]}
    assert "family_preference" not in played(blind, Passages(n=4), cast)


def test_a_model_s_preference_is_a_probability():
    with pytest.raises(InputError, match="prefers"):
        kin(FIRST, 1.5).check()


def test_signatures_are_read_with_the_answers_they_stand_for():
    shown = 'A) a rope\nB) a bell\nRound 1, for "a bell":\n"""\nSo ⟦by=alpha⟧\n"""\n"""\n⟦by=beta⟧ 9.\nAnswer: 9\n"""'
    assert signed(shown) == [("alpha", "B"), ("beta", "9")]
