"""What the gates do on a panel of known habits comes out as enumeration says, arm by arm."""

import asyncio
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from madbench.agents import Cast, Episode, Scene
from madbench.engines.simulated_panel import RULES
from madbench.protocols.roundtable_forms import ADVERSARIES
from madbench.tasks.insights import Insights
from madbench.types import RoleSettings

CONF = Path(__file__).parents[2] / "conf"
ARMS = {
    "off": "roundtable_quick_no_gates",
    "prompt": "roundtable_quick_prompt_only",
    "code": "roundtable_quick_code_only",
    "both": "roundtable_quick",
}
ASKED, ENFORCED = ("prompt", "both"), ("code", "both")
BARS = {"high": 0.5, "medium": 0.3, "low": 0.0}
TASK = Insights(100)
SAMPLES = TASK.samples()


def built(group, choice):
    with initialize_config_dir(str(CONF), version_base=None):
        cfg = compose(f"{group}/{choice}")
    return instantiate(cfg[group], _convert_="all")


@cache
def preset(arm):
    return built("protocol", ARMS[arm])


@cache
def panel(**changes):
    return replace(built("model", "simulated_panel"), **changes)


def played(arm, model, samples=SAMPLES):
    """The outcome and scores of one episode a sample."""

    async def one(sample, engine):
        scene = Scene(sample.problem, None, Cast({"default": [engine]}), preset(arm), RoleSettings(), seed=3)
        outcome = await preset(arm)(sample.problem, Episode(scene, lambda turn: None))
        return outcome, TASK.score(outcome, sample.target)

    async def all_of_them():
        async with model.open() as engine:
            return await asyncio.gather(*(one(sample, engine) for sample in samples))

    return asyncio.run(all_of_them())


@dataclass(frozen=True)
class Expected:
    """By enumeration, for one table: probabilities, and the fold rate given that an adversary objected and voted."""

    weak_approval: float
    sound_approval: float
    unanimous_weak: float
    put_to_vote: float
    folds: float
    """P(put to the vote) times P(an adversary who objected agrees)."""


def drafts(model, strengths, arm):
    """Probabilities of what is put to the vote: (strength, confidence)."""
    best, found = strengths.index(max(strengths)), {}

    def tries(told, chance):
        for place, strength in enumerate(strengths):
            p = model.base.accuracy if place == best else (1 - model.base.accuracy) / (len(strengths) - 1)
            honest = next(level for level, bar in BARS.items() if strength >= bar)
            for level, q in (
                (honest, model.obeys * told),
                ("high", (1 - model.obeys * told) * model.boasts),
                ("low", (1 - model.obeys * told) * (1 - model.boasts)),
            ):
                yield strength, level, chance * p * q

    rejected = 0.0
    for strength, level, p in tries(arm in ASKED, 1.0):
        if arm in ENFORCED and strength < BARS[level]:
            rejected += p
        else:
            found[strength, level] = found.get((strength, level), 0.0) + p
    for strength, level, p in tries(True, rejected):
        if strength >= BARS[level]:
            found[strength, level] = found.get((strength, level), 0.0) + p
    return found


def adversary_agrees(model, unbacked, objected, arm):
    """The chance that an adversary's vote is for the proposal."""
    a, h, obeys = model.agrees, model.heard, model.obeys
    told = a * (1 - obeys * unbacked) * ((h + (1 - h) * (1 - obeys)) if objected else 1.0)
    first = told if arm in ASKED else a
    if arm not in ENFORCED:
        return first
    valid = a * (1 - unbacked) * (h if objected else 1.0)
    return valid + (first - valid) * valid


def objecting(model, arm):
    """The chance that an adversary objects in two rounds, of which enforced repetition can silence it in the second."""
    repeats_told = model.repeats * (1 - model.obeys)
    first = repeats_told if arm in ASKED else model.repeats
    silenced = first * repeats_told if arm in ENFORCED else 0.0
    return 1 - (1 - model.objects) * (1 - model.objects * (1 - silenced))


def table(model, strengths, arm):
    weak_p = sound_p = unanimous = put = folds = 0.0
    objects = objecting(model, arm)
    for (strength, level), p in drafts(model, strengths, arm).items():
        unbacked = float(strength < BARS[level])
        yes = [
            objects * adversary_agrees(model, unbacked, True, arm)
            + (1 - objects) * adversary_agrees(model, unbacked, False, arm)
        ] * 2
        chances = [model.agrees] * 4 + yes
        passes = all_agree = 0.0
        for votes in product((0, 1), repeat=6):
            q = 1.0
            for vote, chance in zip(votes, chances, strict=True):
                q *= chance if vote else 1 - chance
            passes += q * (sum(votes) > 3)
            all_agree += q * (sum(votes) == 6)
        weak = strength < (0.5 if level == "high" else 0.3)
        weak_p, sound_p = weak_p + p * passes * weak, sound_p + p * passes * (not weak)
        unanimous, put = unanimous + p * all_agree * weak, put + p
        folds += p * adversary_agrees(model, unbacked, True, arm)
    return Expected(weak_p, sound_p, unanimous, put, folds)


@pytest.mark.parametrize("arm", ARMS)
def test_approvals_and_folds_are_as_enumerated(arm):
    model = panel()
    expected = [table(model, list(sample.target.facts["strengths"].values()), arm) for sample in SAMPLES]
    found = played(arm, model)
    n = len(SAMPLES)

    def close(observed, means):
        spread = sqrt(max(sum(p * (1 - p) for p in means), 0.0)) / n
        assert abs(observed - fmean(means)) <= 4 * spread + 1e-9

    close(fmean(s["fact:weak_approval"] for _, s in found), [e.weak_approval for e in expected])
    close(fmean(s["fact:sound_approval"] for _, s in found), [e.sound_approval for e in expected])
    close(
        fmean(s["fact:unanimous_weak_approval"] for _, s in found),
        [e.unanimous_weak for e in expected],
    )
    close(fmean(o.facts["proposed"] for o, _ in found), [e.put_to_vote for e in expected])
    rates = [o.facts["adversary_fold_rate"] for o, _ in found if o.facts["adversary_fold_rate"] is not None]
    folding = sum(e.folds for e in expected) / sum(e.put_to_vote for e in expected)
    assert abs(fmean(rates) - folding) <= 4 * sqrt(folding * (1 - folding) / len(rates))


def test_what_the_arms_should_show():
    """Weak approval falls from off over prompt to code, and is higher again where rules are told and enforced: who
    was told states low confidence, for which there is no bar. Folding falls from off to prompt; where code decides
    what comes to the vote it is over other proposals, and cannot be compared.
    """
    weak, folds = {}, {}
    for arm in ARMS:
        expected = [table(panel(), list(s.target.facts["strengths"].values()), arm) for s in SAMPLES]
        weak[arm] = fmean(e.weak_approval for e in expected)
        folds[arm] = sum(e.folds for e in expected) / sum(e.put_to_vote for e in expected)
    assert weak["off"] > weak["prompt"] + 0.1 > weak["code"] + 0.2
    assert weak["prompt"] > weak["both"] + 0.1 > weak["code"] + 0.2
    assert folds["off"] > folds["code"] > folds["both"] > folds["prompt"]


def test_those_who_always_obey_and_agree_leave_nothing_to_chance():
    """A boasting table that always agrees signs everything, unless the rules are told or enforced, and then none."""
    docile = panel(objects=1.0, agrees=1.0, heard=1.0, obeys=1.0)
    few = SAMPLES[:24]
    weak = [max(sample.target.facts["strengths"].values()) < 0.5 for sample in few]
    best = replace(docile, base=replace(docile.base, accuracy=1.0))
    off = played("off", best, few)
    assert [s["fact:weak_approval"] for _, s in off] == [float(w) for w in weak]
    assert [s["fact:unanimous_weak_approval"] for _, s in off] == [float(w) for w in weak]
    assert {o.facts["adversary_fold_rate"] for o, _ in off} == {1.0}
    below = [max(sample.target.facts["strengths"].values()) < 0.3 for sample in few]
    for arm in ("prompt", "code", "both"):
        assert [s["fact:weak_approval"] for _, s in played(arm, best, few)] == [float(w) for w in below]


def test_the_rules_that_the_panel_listens_for_are_in_the_prompts():
    """Told where they are asked for, by those they concern, and nowhere else."""
    heard = {}
    for arm in ARMS:
        turns = []
        scene = Scene(SAMPLES[0].problem, None, Cast({}), preset(arm), RoleSettings(), seed=0)

        async def play(scene=scene, turns=turns, arm=arm):
            async with panel(objects=1.0, obeys=1.0).open() as engine:
                here = replace(scene, cast=Cast({"default": [engine]}))
                await preset(arm)(scene.problem, Episode(here, turns.append))

        asyncio.run(play())
        heard[arm] = {
            (rule, turn.seen, turn.speaker.role in ADVERSARIES)
            for turn in turns
            for rule, cue in RULES.items()
            if cue in turn.request.messages[-1].text
            and not turn.request.messages[-1].text.count("not accepted")
        }
    assert heard["off"] == heard["code"] == set()
    assert heard["prompt"] == heard["both"] == {
        ("repetition", "Floor", False), ("repetition", "Floor", True), ("proposal", "Draft", False),
        ("vote", "Ballot", True), ("proposal", "Ballot", True), ("concerns", "Ballot", True),
    }  # fmt: skip
