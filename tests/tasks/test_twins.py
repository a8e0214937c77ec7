"""Leading questions and made-up ones."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from madbench.tasks.framed import Framed
from madbench.tasks.questions import Questions
from madbench.tasks.reasoning_gym import ReasoningGym
from madbench.tasks.synthetic import Synthetic
from madbench.types import InputError, Outcome, StopReason

TESTS = Path(__file__).parents[1]
TASKS = [
    Synthetic(30),
    ReasoningGym("gcd", size=30),
    Questions("ours", path=str(TESTS / "data" / "questions.jsonl")),
]


def ended(answer):
    return Outcome(answer, (), StopReason.MAX_ROUNDS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_question_has_its_twins(task):
    base = {sample.problem.id: sample for sample in task.samples()}
    twins = Framed(task).samples()
    assert len(twins) == 3 * len(base) == len({twin.problem.id for twin in twins})
    for twin in twins:
        origin, facts = base[twin.target.facts["twin_of"]], twin.target.facts
        assert twin.target.answer == origin.target.answer
        assert twin.problem.cluster == origin.problem.cluster
        assert twin.problem.question.startswith(origin.problem.question.rstrip())
        assert (facts["hint"] == twin.target.answer) == (facts["twin"] == "correct")
        assert twin.problem.reader.canonical(facts["hint"]) == facts["hint"]
        assert (twin.problem.question == origin.problem.question.rstrip()) == (facts["twin"] == "neutral")
        if facts["twin"] != "neutral":
            assert facts["hint"] in twin.problem.question.rpartition("\n")[2]


def test_twins_of_one_question_share_the_misleading_hint():
    twins = Framed(Synthetic(20)).samples()
    for kind in ("neutral", "misleading"):
        hints = {
            t.target.facts["twin_of"]: t.target.facts["hint"] for t in twins if t.target.facts["twin"] == kind
        }
        assert len(hints) == 20
        if kind == "neutral":
            neutral = hints
    assert hints == neutral


@pytest.mark.parametrize(("count", "apart"), [(30, 8), (8, 8), (5, 8), (15, 8), (16, 8), (30, 2), (30, 30)])
def test_no_session_meets_two_twins_and_a_small_beginning_holds_whole_sets(count, apart):
    twins = Framed(Synthetic(count), apart=apart).samples()
    clusters = [twin.problem.cluster for twin in twins]
    assert Counter(clusters) == dict.fromkeys(clusters, 3)
    least = min(apart, count)
    for start in range(len(twins)):
        session = clusters[start : start + least]
        assert len(set(session)) == len(session)
    whole = Counter(clusters[: 3 * (apart if count >= 2 * apart else count)])
    assert set(whole.values()) == {3}


def test_any_beginning_holds_every_frame():
    twins = Framed(Synthetic(30)).samples()
    for limit in (9, 24, 48):
        frames = Counter(twin.target.facts["twin"] for twin in twins[:limit])
        assert max(frames.values()) - min(frames.values()) <= 2


def test_following_the_hint_is_scored():
    task = Framed(Synthetic(10))
    for twin in task.samples():
        facts = twin.target.facts
        swayed, steady = (
            task.score(ended(facts["hint"]), twin.target),
            task.score(ended(twin.target.answer), twin.target),
        )
        assert swayed["follows_hint"] == 1.0
        assert steady["correct"] == 1.0
        assert steady["follows_hint"] == float(facts["twin"] == "correct")
        assert task.score(ended(None), twin.target) == {"correct": 0.0, "follows_hint": 0.0}


def test_frames_are_checked():
    with pytest.raises(
        InputError, match=r"\['rude'\], wanted some of \['neutral', 'misleading', 'correct'\]"
    ):
        Framed(Synthetic(3), frames=("rude",))
    with pytest.raises(InputError, match="each once"):
        Framed(Synthetic(3), frames=("neutral", "neutral"))
    with pytest.raises(InputError, match=r"task.apart: 1, wanted 2 or more"):
        Framed(Synthetic(3), apart=1)


def test_the_config_wraps_another_task():
    with initialize_config_dir(str(TESTS.parent / "conf"), version_base=None):
        config = compose("task/framed", overrides=["task.task.size=5"])
    task = instantiate(config.task, _convert_="all")
    assert task.name == "framed_one_digit_sums"
    assert len(task.samples()) == 15
    assert replace(task, frames=("neutral",)).content() != task.content()


def test_made_up_questions_carry_their_mark():
    samples = Synthetic(400, options="AB", cluster=4, seed=3).samples()
    for sample in samples:
        assert f"⟦truth={sample.target.answer} options=AB⟧" in sample.problem.prompt
    assert len({sample.problem.id for sample in samples}) == 400
    assert len({sample.problem.cluster for sample in samples}) == 100
    assert 150 < sum(sample.target.answer == "A" for sample in samples) < 250
    assert samples[:100] == Synthetic(100, options="AB", cluster=4, seed=3).samples()
    assert (
        Synthetic(50, seed=1).content() != Synthetic(50, seed=2).content() == Synthetic(50, seed=2).content()
    )


@pytest.mark.parametrize(
    "settings", [{"n": 0}, {"options": "A"}, {"options": "AAB"}, {"options": "ab"}, {"cluster": 0}]
)
def test_made_up_questions_check_their_settings(settings):
    with pytest.raises(InputError, match="task"):
        Synthetic(**settings)
