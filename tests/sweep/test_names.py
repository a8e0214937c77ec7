"""Names and identities of runs."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweep.command import HERE

from madbench.engines.simulated import SimulatedModel
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.debate import Debate
from madbench.sweep.building import Built
from madbench.sweep.configs import JobConfig, choices_of, conf_folder, flat, job_config
from madbench.sweep.identity import config_hash, facts_of
from madbench.sweep.naming import arm_names, cast_name, suffixes
from madbench.sweep.settings import made
from madbench.tasks.matching import LocationMatcher, TextMatcher
from madbench.tasks.synthetic import Synthetic
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import RoleSettings, Sampling

PLAIN = {
    "task": {"_target_": "madbench.tasks.synthetic.Synthetic"},
    "protocol": {"_target_": "madbench.protocols.debate.Debate"},
    "cast": {"default": {"_target_": "madbench.engines.simulated.SimulatedModel", "accuracy": 0.5}},
    "tracking": {"_target_": "madbench.tracking.NoTracking"},
    "name": "trial", "output_root": "out", "seed": 0, "limit": None, "epochs": 1, "dry_run": False, "published": [],
    "objective": None,
    "sampling": {"temperature": 1}, "contract": {}, "context": "refuse", "templates": None,
}  # fmt: skip
BUILT = Built(Synthetic(n=3), Debate(), {"default": (SimulatedModel(0.5),)}, RoleSettings())


def config(*overrides, protocol="debate"):
    return job_config(PLAIN, {"protocol": protocol}, overrides)


def test_configs_are_where_they_are_looked_for():
    assert (conf_folder() / "config.yaml").is_file()
    assert "cot" in choices_of("protocol")


def test_a_config_survives_the_way_to_a_worker():
    one = config("seed=1")
    assert JobConfig.model_validate_json(one.model_dump_json()) == one
    assert set(flat(one)) == set(PLAIN)


@pytest.mark.parametrize(
    ("overrides", "names"),
    [
        ([["seed=0"], ["seed=1"]], ["debate", "debate"]),
        ([["protocol.agents=2"], ["protocol.agents=3"]], ["debate-agents2", "debate-agents3"]),
        ([["protocol.agents=2"], ["protocol.agents=2"]], ["debate", "debate"]),
        ([["protocol.tie=first"], []], ["debate-tie_first", "debate"]),
        ([["task.n=2"], ["task.n=3"]], ["debate", "debate"]),
        ([["model@cast.default=a"], ["model@cast.default=b"]], ["debate", "debate"]),
        (
            [
                ["sampling.temperature=0.5", "protocol.agents=2"],
                ["sampling.temperature=1", "protocol.agents=2"],
            ],
            ["debate", "debate"],
        ),
    ],
)
def test_arms_are_told_apart_by_what_varies(overrides, names):
    assert arm_names([config(*some) for some in overrides]) == names


@pytest.mark.parametrize(
    ("overrides", "task", "cast"),
    [
        ([["task.n=2"], ["+task.n=3"]], ["-n2", "-n3"], ["", ""]),
        ([["task@task.task=svamp"], ["task@task.task=gsm8k"]], ["-task_svamp", "-task_gsm8k"], ["", ""]),
        ([["sampling.temperature=0.5"], ["sampling.temperature=1"]], ["", ""], ["-temperature0.5", "-temperature1"]),
        ([["+protocol.roles.solver.context=refuse"], []], ["", ""], ["-context_refuse", ""]),
        ([["cast.default.accuracy=0.5"], []], ["", ""], ["-accuracy0.5", ""]),
        ([["protocol.agents=2", "seed=0"], ["protocol.agents=3", "seed=1"]], ["", ""], ["", ""]),
    ],
)  # fmt: skip
def test_tasks_and_casts_are_told_apart_by_what_varies(overrides, task, cast):
    configs = [config(*some) for some in overrides]
    assert suffixes(configs, "task") == task
    assert suffixes(configs, "cast") == cast


def test_casts_are_named_by_choice_and_role():
    a, b = SimulatedModel(0.5, name="a"), SimulatedModel(0.5, name="b")
    assert cast_name({}, {"default": (a,)}) == "a"
    assert cast_name({"model@cast.default": "small"}, {"default": (a,)}) == "small"
    assert cast_name({}, {"default": (a,), "judge": (b,)}) == "a_judge.b"
    assert cast_name({}, {"default": (a, a, b)}) == "2xa+b"


def identity(built, seed=0):
    return config_hash(facts_of(built, built.task.samples(), seed))


@pytest.mark.parametrize(
    "other",
    [
        replace(BUILT, task=Synthetic(n=4)),
        replace(BUILT, protocol=Debate(agents=2)),
        replace(BUILT, protocol=Debate(roles={"solver": {"sampling": {"max_tokens": 9}}})),
        replace(BUILT, protocol=ChainOfThought()),
        replace(BUILT, cast={"default": (SimulatedModel(0.6),)}),
        replace(BUILT, defaults=RoleSettings(sampling=Sampling(temperature=0.1))),
        replace(BUILT, defaults=RoleSettings(context="cut_peers")),
    ],
)
def test_whatever_can_change_a_record_changes_the_identity(other):
    assert identity(other) != identity(BUILT)


def test_reviews_scored_by_another_matcher_are_another_run():
    reviews = [
        replace(BUILT, task=SyntheticReviews(3, matcher=matcher))
        for matcher in (LocationMatcher(), TextMatcher())
    ]
    assert len({identity(built) for built in reviews}) == 2
    assert identity(replace(BUILT, task=SyntheticReviews(3))) == identity(reviews[0])
    configs = [config(f"matcher@task.matcher={name}") for name in ("location", "text")]
    assert suffixes(configs, "task") == ["-matcher_location", "-matcher_text"]
    assert suffixes(configs, "cast") == ["", ""]


def test_nothing_else_changes_the_identity():
    idle = replace(BUILT, cast={**BUILT.cast, "judge": (SimulatedModel(0.9),)})
    assert identity(idle) == identity(BUILT)  # this protocol has no judge
    assert identity(replace(BUILT, task=Synthetic(n=3, name="same"))) == identity(BUILT)
    assert identity(BUILT, seed=1) != identity(BUILT)


def test_own_prompts_count_by_content_wherever_they_lie(tmp_path):
    def with_prompts(folder, text):
        file = tmp_path / folder / "solver" / "Asked.j2"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return identity(replace(BUILT, defaults=RoleSettings(templates=str(tmp_path / folder))))

    here = with_prompts("here", "{{ prompt }}!")
    assert with_prompts("there", "{{ prompt }}!") == here
    assert with_prompts("here", "{{ prompt }}?") != here


def test_swapped_prompts_are_other_prompts(tmp_path):
    files = [tmp_path / "debate" / "Exchange.j2", tmp_path / "solver" / "Asked.j2"]
    texts = ["{{ prompt }}!", "{{ prompt }}?"]

    def with_prompts(texts):
        for file, text in zip(files, texts, strict=True):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        return identity(replace(BUILT, defaults=RoleSettings(templates=str(tmp_path))))

    assert with_prompts(texts) != with_prompts(texts[::-1])


def test_two_roles_prompts_are_told_apart(tmp_path):
    def with_prompts(*texts):
        roles = {}
        for role, text in zip(("answerer", "critic"), texts, strict=True):
            file = tmp_path / role / "repair.j2"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
            roles[role] = {"templates": str(tmp_path / role)}
        return identity(replace(BUILT, protocol=CriticProfile(roles=roles)))

    assert len({with_prompts("a", "b"), with_prompts("b", "a"), with_prompts("b", "b")}) == 3


def test_what_only_the_scorer_knows_is_part_of_the_task():
    @dataclass(frozen=True)
    class Hinting(Synthetic):
        hint: str = "A"

        def samples(self):
            return [
                replace(sample, target=replace(sample.target, facts={"hint": self.hint}))
                for sample in super().samples()
            ]

    assert identity(replace(BUILT, task=Hinting(3))) != identity(replace(BUILT, task=Hinting(3, hint="B")))


@given(st.text(max_size=40))
def test_text_in_settings_is_text(text):
    thing = made(
        "thing", {"_target_": "madbench.engines.simulated.SimulatedModel", "accuracy": 0.5, "name": text}
    )
    assert thing.name == text


@pytest.mark.parametrize("text", ["${x}", "a \\${x}", "\\\\${x} ${", "???", "${oc.env:HOME}"])
def test_interpolation_marks_in_settings_are_text(text):
    thing = made(
        "thing", {"_target_": "madbench.engines.simulated.SimulatedModel", "accuracy": 0.5, "name": text}
    )
    assert thing.name == text


def test_the_trial_configs_are_there():
    assert (HERE / "conf" / "protocol" / "raising.yaml").is_file()
