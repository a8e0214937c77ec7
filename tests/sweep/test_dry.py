"""A dry run shows every prompt and an upper bound of the cost, and spends nothing."""

import json
import re

import pytest
from engines import tiny
from sweep.command import BASE, madbench, summary

from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder, Hub, Wheel
from madbench.sweep.app import run
from madbench.sweep.configs import choices_of
from madbench.sweep.pretending import REPLY, readable, smallest
from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader
from madbench.tasks.synthetic import Synthetic
from madbench.types import Message


def dry(folder, *given):
    chosen = {argument.partition("=")[0] for argument in given}
    base = [argument for argument in BASE if argument.partition("=")[0] not in chosen]
    return run([*given, *base, f"output_root={folder}", "dry_run=true"])


NEEDS = {
    "adversarial_review": ("synthetic_reviews", "line_start"),
    **dict.fromkeys(("judged_debate", "consultancy", "blind_judge", "expert_judge"), ("passages", "did the")),
}
"""Protocols that not every task is for: one that is, and words of what it asks."""


@pytest.mark.parametrize("protocol", choices_of("protocol"))
def test_every_protocol_can_be_rehearsed(protocol, tmp_path, capsys):
    kinds = (words for start, words in NEEDS.items() if protocol.startswith(start))
    task, asked = next(kinds, ("synthetic", "Question 0: which option?"))
    given = [] if task == "synthetic" else [f"task={task}", "task.n=4"]
    assert dry(tmp_path, f"protocol={protocol}", *given) == 0
    shown = capsys.readouterr().out
    assert "first prompt of" in shown
    assert asked in shown
    assert not list(tmp_path.iterdir())


def test_counts_are_those_of_the_protocol(tmp_path, capsys):
    assert (
        dry(tmp_path, "-m", "protocol=cot,debate,self_consistency", "sampling.max_tokens=50", "limit=5") == 0
    )
    shown = capsys.readouterr().out
    calls = {
        arm: re.search(rf"^{arm} +(\d+) +(\d+) +\d+ +(\d+)$", shown, re.M).groups()
        for arm in ("cot", "debate")
    }
    assert calls["cot"] == ("5", "5", "250")
    assert calls["debate"] == ("5", "30", "1500")
    assert "first prompt of solver, Exchange" in shown
    assert "no run has measured this cast" in shown
    assert re.search(r"^to generate +15 +100 ", shown, re.M)  # greedy, 16 votes, 3 asks of round 1
    assert not list(tmp_path.rglob("runs"))


@pytest.mark.parametrize("protocol", ["conformist", "follower"])
def test_seats_that_may_keep_an_answer_are_counted_as_if_none_did(protocol, tmp_path, capsys):
    assert dry(tmp_path, f"protocol={protocol}", "limit=5") == 0
    shown = capsys.readouterr().out
    assert re.search(rf"^{protocol} +5 +{5 * 15} ", shown, re.M)  # 5 seats, 2 exchanges
    assert "4 to a token; the model's own tokenizer is not loaded" in shown


def test_no_run_costs_more_than_was_told(tmp_path, capsys):
    given = ("-m", "protocol=conformist,follower,debate,self_refine,cot", "sampling.max_tokens=50", "limit=6")
    assert dry(tmp_path, *given) == 0
    told = dict(re.findall(r"^(\w+) +6 +(\d+) ", capsys.readouterr().out, re.M))
    assert madbench(tmp_path, *given).returncode == 0
    calls = {arm["arm"]: 6 * arm["metrics"]["calls"]["value"] for arm in summary(tmp_path)["arms"]}
    assert set(told) - {"to generate"} == set(calls)
    assert all(calls[arm] <= int(told[arm]) for arm in calls)


def test_time_is_told_from_an_earlier_run(tmp_path, capsys):
    assert madbench(tmp_path, "protocol=cot").returncode == 0
    assert summary(tmp_path)["spent"]["output_tokens"] > 0
    assert dry(tmp_path / "out", "protocol=debate", "name=another") == 0
    assert "measured by an earlier run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("reader", "least"),
    [
        (BoolReader(), 2),
        (BoolReader("valid", "invalid"), 2),
        (ChoiceReader("ABC"), 3),
        (ChoiceReader("XYZ"), 3),
        (NumberReader(), 4),
        (TextReader(), 4),
    ],
)
def test_answers_are_made_up_that_the_reader_tells_apart(reader, least):
    found = [reader.read(text).answer for text in readable(reader)]
    assert len(set(found)) == len(found) >= least
    assert None not in found


def test_smallest_values():
    schema = {
        "type": "object",
        "properties": {
            "why": {"type": "string", "minLength": 12},
            "short": {"type": "string", "maxLength": 3},
            "many": {"type": "array", "items": {"$ref": "#/$defs/one"}, "minItems": 2},
            "sure": {"type": "number", "minimum": 1},
            "done": {"type": "boolean"},
            "move": {"enum": ["KEEP", "CHANGE"]},
            "fixed": {"const": 4},
            "either": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        },
        "$defs": {"one": {"type": "object", "properties": {"id": {"type": "integer"}}}},
    }
    assert smallest(schema) == {
        "why": REPLY.ljust(12, "."),
        "short": REPLY[:3],
        "many": [{"id": 0}, {"id": 0}],
        "sure": 1,
        "done": False,
        "move": "KEEP",
        "fixed": 4,
        "either": None,
    }
    assert smallest(schema, pick=3)["move"] == "CHANGE"


def test_full_values():
    schema = {
        "type": "object",
        "properties": {
            "short": {"type": "string", "maxLength": 20},
            "many": {"type": "array", "items": {"$ref": "#/$defs/one"}, "maxItems": 3},
            "any": {"type": "array", "items": {"type": "boolean"}},
        },
        "$defs": {
            "one": {
                "type": "object",
                "properties": {
                    "line": {"type": "integer", "minimum": 1, "maximum": 2},
                    "is": {"enum": ["A", "B"]},
                },
            }
        },
    }
    assert smallest(schema, full=True) == {
        "short": "a long reply, a long",
        "many": [{"line": 1, "is": "A"}, {"line": 2, "is": "B"}, {"line": 2, "is": "A"}],
        "any": [],
    }


@pytest.mark.parametrize("protocol", ["adversarial_review", "debate"])
def test_no_review_costs_more_than_was_told(protocol, tmp_path, capsys):
    given = (
        f"protocol={protocol}",
        "task=synthetic_reviews",
        "task.n=6",
        "model@cast.default=simulated_reviewer",
    )
    chosen = {argument.partition("=")[0] for argument in given}
    base = [argument for argument in BASE if argument.partition("=")[0] not in chosen]
    assert run([*given, *base, f"output_root={tmp_path}", "dry_run=true"]) == 0
    calls, prompts, replies = map(
        int, re.search(r"^to generate +6 +(.*)$", capsys.readouterr().out, re.M)[1].split()
    )
    assert run([*given, *base, f"output_root={tmp_path}"]) == 0
    spent = json.loads((tmp_path / "trial" / "summary.json").read_text())["spent"]
    assert 0 < spent["calls"] <= calls
    assert 0 < spent["output_tokens"] <= replies
    assert 0 < spent["prompt_tokens"] <= prompts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"), context=4096)


def local(folder, *given):
    where = f"cast.default.weights.path={folder}"
    return (
        "model@cast.default=folder",
        where,
        "cast.default.name=tiny",
        "cast.default.dtype=float32",
        *given,
    )


def test_prompts_are_counted_by_the_model_s_own_tokenizer(folder, tmp_path, capsys):
    given = local(folder, "-m", "protocol=cot,debate", "limit=11", "epochs=2", "sampling.max_tokens=8")
    assert dry(tmp_path, *given) == 0
    shown = capsys.readouterr().out
    told = {arm: int(n) for arm, n in re.findall(r"^(\w+) +22 +\d+ +(\d+) ", shown, re.M)}
    assert "the models' own, by their tokenizers" in shown
    assert re.search(
        r"first prompt of solver, Asked: \d+ tokens, 8 more for the reply, of 4096$", shown, re.M
    )
    language = TransformersModel(name="m", weights=Folder(path=str(folder))).language_here()
    asked = [(Message("user", sample.problem.prompt),) for sample in Synthetic(12).samples()[:11]]
    sizes = [len(language.ids(messages)) for messages in asked]
    assert len(set(sizes)) == 2  # question 10 is longer than the one that is rehearsed
    assert told["cot"] == 2 * sum(sizes)
    again = 3 * (2 * min(sizes) + 2 * 8)  # what each seat has heard: itself, two replies as long as allowed
    assert told["debate"] > 3 * told["cot"] + 22 * again


def test_prompts_that_may_outgrow_the_context_are_told(tmp_path, capsys):
    small = tiny.save(tmp_path / "tiny", context=512)
    assert dry(tmp_path, *local(small, "protocol=debate", "sampling.max_tokens=64")) == 0
    told = re.search(
        r"^!!! solver: .* grow to (\d+) tokens, .* to 64 .* 512, which is (\d+) ",
        capsys.readouterr().out,
        re.M,
    )
    assert int(told[1]) + 64 - 512 == int(told[2]) > 0


def test_where_one_tokenizer_is_elsewhere_its_model_is_named(folder, tmp_path, capsys):
    given = local(folder, "protocol=self_refine", "+model@cast.critic=simulated", "cast.critic.name=far")
    assert dry(tmp_path, *given) == 0
    assert "its own tokenizer is not loaded (far)" in capsys.readouterr().out.replace("the model's", "its")


def test_a_tokenizer_is_looked_for_and_never_fetched(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MADBENCH_CACHE", str(tmp_path))
    wheel = Wheel(package="no-such-wheel", version="1", file="x", sha256="0" * 64)
    hub = Hub(id="nobody/nothing", revision="0" * 40)
    assert [TransformersModel(name="m", weights=one).language_here() for one in (wheel, hub)] == [None, None]
    here = TransformersModel(name="m", weights=Folder(path=str(folder)))
    assert here.language_here().context == here.language().context == 4096


def arms_shown(folder, capsys, *given):
    base = ["task=synthetic", "task.n=8", "model@cast.default=simulated", "tracking=none"]
    assert run(["+experiment=quickstart", *given, *base, f"output_root={folder}", "dry_run=true"]) == 0
    return re.findall(r"^=== (\S+):", capsys.readouterr().out, re.M)


def test_an_experiment_is_a_sweep_of_its_own_until_it_is_overridden(tmp_path, capsys):
    whole = ["cot", "self_consistency", "self_refine", "debate", "debate_alone", "critic_profile_quick"]
    assert arms_shown(tmp_path, capsys) == whole
    assert arms_shown(tmp_path, capsys, "limit=3", "seed=1") == whole
    assert arms_shown(tmp_path, capsys, "protocol=debate") == ["debate"]
    assert arms_shown(tmp_path, capsys, "-m", "protocol=cot,debate") == ["cot", "debate"]
    assert arms_shown(tmp_path, capsys, "protocol=debate", "protocol.agents=2,4") == [
        "debate-agents2",
        "debate-agents4",
    ]
    assert arms_shown(tmp_path, capsys, "seed=0,1", "protocol=cot") == ["cot", "cot"]
