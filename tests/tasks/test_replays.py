"""Recorded outputs of real models, read again: counts of an independent script must come out."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from madbench.metrics.votes import majority
from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader
from madbench.tasks.questions import Questions

DATA = Path(os.environ.get("MADBENCH_DATA", "/nowhere"))
pytestmark = pytest.mark.skipif(
    not (DATA / "reference.json").is_file(), reason="MADBENCH_DATA names no folder of data"
)


def rows(name):
    with (DATA / name / "data.jsonl").open() as file:
        return [json.loads(line) for line in file]


def reference(name):
    return json.loads((DATA / "reference.json").read_text())[name]


def test_gsm8k_solutions_are_judged_as_recorded():
    reader, right, others = NumberReader(marker="A:"), Counter(), []
    for row in rows("gsm8k_model_solutions"):
        correct = reader.read(row["output"]).strict == reader.canonical(row["gold"])
        right[row["model"]] += correct
        others += [row["id"]] if correct != row["is_correct"] else []
    assert others == []
    assert right == {model: told["correct"] for model, told in reference("gsm8k_model_solutions").items()}


def codex_reader(gold):
    if re.fullmatch(r"\([A-R]\)", gold):
        return ChoiceReader("ABCDEFGHIJKLMNOPQR")
    if gold.lower() in ("yes", "no", "true", "false"):
        return BoolReader()
    return NumberReader() if re.fullmatch(r"-?\d+", gold) else TextReader()


def test_big_bench_hard_outputs_are_judged_as_by_their_own_rule():
    for row in rows("bbh_codex_outputs"):
        reader = codex_reader(row["gold"])
        answer = reader.read(row["output"]).strict
        assert (answer is None) == (row["regex_answer"] is None), row["id"]
        assert (answer == reader.canonical(row["gold"])) == (row["regex_correct"] is True), row["id"]


def test_medical_debates_are_read_as_recorded():
    finals = read = same = 0
    for row in rows("medagents_debates"):
        reader = ChoiceReader("".join(row["options"]), tuple(row["options"].values()))
        finals += reader.read(row["final_response"]).answer == row["final_answer"]
        for replies, letters in zip(row["raw_responses"], row["rounds_answers"], strict=True):
            answers = [reader.read(reply).answer for reply in replies]
            same += sum(answer == letter for answer, letter in zip(answers, letters, strict=True))
            read += len(letters)
    assert finals == 110
    assert read == 660
    assert same >= 649, "the rest name several options, or none, and were settled by a model"


def test_small_models_debates_have_the_recorded_majorities():
    """On letters the record knows `(X)` alone, which models that box their answers seldom write."""
    right = {}
    for row in rows("slm_debates"):
        reader = NumberReader() if row["task"] == "gsm" else ChoiceReader("ABCD")
        key = f"{row['task']}/{row['model']}/{row['n_agents']}"
        counts = right.setdefault(key, [0, 0, 0])
        for turn in range(3):
            answers = tuple(reader.read(agent[turn]).answer for agent in row["agents"])
            counts[turn] += majority(answers, seed=0, tie="first").answer == reader.canonical(row["gold"])
    told = {key: value["majority_right_by_round"] for key, value in reference("slm_debates").items()}
    assert {key: right[key] for key in right if key.startswith("gsm")} == {
        key: told[key] for key in told if key.startswith("gsm")
    }
    for key in (key for key in right if key.startswith("mmlu")):
        assert all(ours >= theirs for ours, theirs in zip(right[key], told[key], strict=True))


def test_last_messages_without_an_answer_are_counted():
    simple = missed = 0
    for row in rows("dylan_math_debates"):
        for agent in row["agents"]:
            last = agent[-1]
            unmarked = "\\boxed" not in last and "answer is" not in last.lower()
            answered = TextReader().read(last).strict is not None
            simple += unmarked
            missed += not answered
            assert answered or unmarked
    assert (simple, missed) == (294, 275)


COUNTS = {"gsm8k": 808, "svamp": 610, "multiarith": 363, "mmlu": 1474, "truthfulqa": 499, "medqa": 761}


@pytest.mark.parametrize(("name", "count"), [*COUNTS.items(), ("strategyqa", 132), ("bbh", 2136)])
def test_question_sets_load_whole_with_their_golds(name, count):
    golds = {row["id"]: row["answer"] for row in rows(name)}
    samples = Questions(name, path=str(DATA / name)).samples()
    assert len(samples) == count
    for sample in samples:
        assert sample.target.answer.lower() == golds[sample.problem.id].lower()
        assert sample.problem.reader.read(f"Answer: {sample.target.answer}").answer == sample.target.answer


def test_letters_of_ten_models_score_as_recorded():
    right, told = Counter(), reference("medqa")
    for row in rows("medqa"):
        reader = ChoiceReader("ABCD")
        right.update(
            model for model, letter in row["predictions"].items() if reader.canonical(letter) == row["answer"]
        )
    assert right == told["correct_by_model"]


def test_known_faults_of_the_data_are_flagged():
    mmlu = Questions("mmlu", path=str(DATA / "mmlu"))
    assert mmlu.facts()["suspect"] == {"equal options": 1}
    bbh = Questions("bbh", path=str(DATA / "bbh")).facts()
    assert bbh["suspect"] == {"opposite golds": 2}
    assert Questions("multiarith", path=str(DATA / "multiarith")).facts()["shared_groups"] == 15
