"""A dry run shows every prompt and an upper bound of the cost, and spends nothing."""

import json
import re

import pytest
from sweep.command import BASE, madbench, summary

from madbench.sweep.app import run
from madbench.sweep.configs import choices_of
from madbench.sweep.pretending import REPLY, readable, smallest
from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader


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
