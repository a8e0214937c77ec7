"""Question sets: rows to items, errors that name the row, reserved examples, what is known against the data."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader
from madbench.tasks.layout import Layout, item_of
from madbench.tasks.questions import Questions
from madbench.tasks.sources import Hub, _advice
from madbench.types import InputError, Outcome, StopReason

TESTS = Path(__file__).parents[1]
OURS = TESTS / "data" / "questions.jsonl"
CONF = TESTS.parent / "conf" / "task"
SETS = ["gsm8k", "svamp", "multiarith", "mmlu", "truthfulqa", "medqa", "strategyqa", "bbh"]


def ours(**settings):
    return Questions("ours", path=str(OURS), **settings)


def by_id(task):
    return {sample.problem.id: sample for sample in task.samples()}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Questions("written", path=str(path))


def rows(count, **columns):
    return [
        {"id": f"q{n}", "question": f"How much is {n}?", "answer": str(n)} | columns for n in range(count)
    ]


def test_every_kind_of_answer_has_its_reader():
    samples = by_id(ours())
    assert samples["kites-1"].problem.reader == NumberReader()
    assert samples["moon-1"].problem.reader == ChoiceReader("ABC", ("the Moon", "a candle", "a mirror"))
    assert samples["snow-1"].problem.reader == BoolReader("yes", "no")
    assert samples["snow-2"].problem.reader == BoolReader("valid", "invalid")
    assert samples["odd-1"].problem.reader == BoolReader("True", "False")
    assert samples["word-1"].problem.reader == TextReader()


def test_golds_are_canonical():
    golds = {name: sample.target.answer for name, sample in by_id(ours()).items()}
    assert golds["kites-2"] == "7"
    assert golds["sand-1"] == "70000"
    assert golds["moon-1"] == "B"
    assert golds["odd-2"] == "False"


def test_options_are_listed_once():
    samples = by_id(ours())
    assert samples["moon-1"].problem.question.endswith("\nA) the Moon\nB) a candle\nC) a mirror")
    assert samples["moon-2"].problem.question.count("up") == 1


def test_what_is_known_against_rows():
    samples, facts = by_id(ours()), ours().facts()
    assert samples["odd-1"].target.facts == {"suspect": "opposite golds"}
    assert samples["odd-2"].target.facts == {"suspect": "opposite golds"}
    assert samples["twice-1"].target.facts == {"suspect": "equal options"}
    assert samples["kites-1"].target.facts == {}
    assert facts["suspect"] == {"equal options": 1, "opposite golds": 2}
    assert facts["rows"] == facts["scored"] == 11
    assert facts["shared_groups"] == 2
    assert json.dumps(dict(facts))


def test_a_flagging_column(tmp_path):
    path = tmp_path / "flagged.jsonl"
    flags = [{"error_type": "ok"}, {"error_type": "wrong groundtruth"}, None]
    path.write_text(
        "".join(json.dumps(row | {"redux": flag}) + "\n" for row, flag in zip(rows(3), flags, strict=True))
    )
    task = Questions("flagged", path=str(path), layout=Layout(suspect="redux.error_type"))
    assert task.facts()["suspect"] == {"wrong groundtruth": 1}


def test_groups_are_clusters():
    samples = by_id(ours())
    assert samples["kites-1"].problem.cluster == samples["kites-2"].problem.cluster == "kites"


def test_examples_come_from_reserved_questions_and_their_groups_are_not_scored():
    for reserve in range(1, 9):
        task = ours(shots=1, reserve=reserve)
        samples = task.samples()
        (shot,) = samples[0].problem.shots
        assert all(sample.problem.shots == (shot,) for sample in samples)
        assert shot.prompt not in {sample.problem.prompt for sample in samples}
        shown = [sample for sample in ours().samples() if sample.problem.prompt == shot.prompt]
        assert shown[0].problem.cluster not in {sample.problem.cluster for sample in samples}


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q?", "answer": "12 - 5 = <<12-5=7>>7\n#### 7"},
        {"question": "Q?", "answer": "7", "rationale": "12 - 5 = <<12-5=7>>7\n#### 7"},
    ],
)
def test_an_example_shows_its_working_without_annotations(tmp_path, row):
    pair = [row, row | {"question": "Another?"}]
    (sample,) = replace(written(tmp_path / "worked.jsonl", pair), shots=1, reserve=1).samples()
    assert sample.problem.shots[0].reply == "12 - 5 = 7\nAnswer: 7"


def test_a_pool_too_small_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"shots=2 come from reserved questions.*task.reserve=0"):
        ours(shots=2)
    with pytest.raises(InputError, match=r"0 questions of .* can be scored, 11 are reserved"):
        ours(shots=2, reserve=11).samples()
    with pytest.raises(InputError, match="too few for size 6 at seed 1"):
        ours(size=6, seed=1).samples()


def test_seeds_order_all_questions_or_pick_disjoint_ones():
    whole = [[sample.problem.id for sample in ours(seed=seed).samples()] for seed in (0, 1)]
    assert whole[0] != whole[1]
    assert sorted(whole[0]) == sorted(whole[1])
    parts = [[sample.problem.id for sample in ours(seed=seed, size=5).samples()] for seed in (0, 1)]
    assert [len(part) for part in parts] == [5, 5]
    assert not set(parts[0]) & set(parts[1])


def test_ids_follow_the_question_whatever_the_rows_order(tmp_path):
    plain = [{"question": row["question"], "answer": row["answer"]} for row in rows(30)]
    forth = by_id(written(tmp_path / "forth.jsonl", plain))
    back = by_id(written(tmp_path / "back.jsonl", plain[::-1]))
    assert forth == back
    assert all(sample.problem.question == f"How much is {sample.target.answer}?" for sample in forth.values())


def test_content_is_hashed_and_not_the_place(tmp_path):
    first = written(tmp_path / "first.jsonl", rows(5))
    second = written(tmp_path / "second.jsonl", rows(5))
    third = written(
        tmp_path / "third.jsonl", [*rows(4), {"id": "q4", "question": "How much is 4?", "answer": "5"}]
    )
    assert first.content() == second.content() != third.content()


def test_twice_the_same_id_names_both_rows(tmp_path):
    doubled = [*rows(4), {"id": "q1", "question": "Something else?", "answer": "9"}]
    with pytest.raises(InputError, match=r"id 'q1' twice: .*twice.jsonl, row 2, and .*twice.jsonl, row 5"):
        written(tmp_path / "twice.jsonl", doubled).samples()


def test_without_ids_exact_repeats_count_once(tmp_path):
    plain = [{"question": "Same?", "answer": "yes"}] * 3 + [{"question": "Other?", "answer": "no"}]
    task = written(tmp_path / "repeats.jsonl", plain)
    assert len(task.samples()) == 2
    assert task.facts()["exact_duplicates"] == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "Q?"}, "row 1: no gold in column 'answer'"),
        ({"question": "Q?", "answer": None}, "no gold"),
        ({"question": "Q?", "answer": "  "}, "no gold"),
        ({"question": "Q?", "answer": float("nan")}, "no gold in column 'answer', found nan"),
        ({"question": "Q?", "answer": {"value": 1}}, "no gold"),
        ({"question": "Q?", "answer": ["1", "2"]}, "no gold"),
        (
            {"question": "Q?", "answer": "1", "answer_type": "nix"},
            "row 1: no answer_type 'nix'; there are number",
        ),
        ({"question": "\ud800?", "answer": "1"}, "surrogates not allowed"),
        ({"prompt": "Q?", "answer": "1"}, r"no text in column 'question'; columns: \['answer', 'prompt'\]"),
        (
            {"question": "Q?", "answer": "some", "answer_type": "number"},
            "gold 'some' .* no answer for a NumberReader",
        ),
        ({"question": "Q?", "answer": "E", "choices": ["a", "b"]}, "gold 'E'"),
        ({"question": "Q?", "answer": 7, "choices": ["a", "b"]}, "gold 7"),
        (
            {"question": "Q?", "answer": "A", "choices": ["a"]},
            "1 options in column 'choices', wanted 2 to 26",
        ),
    ],
)
def test_a_row_without_question_or_gold_is_named(tmp_path, row, message):
    with pytest.raises(InputError, match=message):
        written(tmp_path / "bad.jsonl", [row]).samples()


def test_bad_files_are_named(tmp_path):
    for name, text, message in [
        ("none.jsonl", None, "no file .*none.jsonl"),
        ("empty.jsonl", "", "has no rows"),
        ("table.csv", "a,b", "ends in '.csv'; wanted .jsonl or .parquet"),
        ("torn.jsonl", '{"question": "Q?", "answer": "1"}\n{"ques', "row 2: no JSON"),
        ("list.jsonl", "[1, 2]", "row 1: found list, wanted an object"),
        ("not.parquet", "PAR", "is no parquet file"),
    ]:
        path = tmp_path / name
        if text is not None:
            path.write_text(text)
        with pytest.raises(InputError, match=message):
            Questions("bad", path=str(path)).samples()
    with pytest.raises(InputError, match="neither task"):
        Questions("nothing")


def test_parquet_is_read_like_jsonl(tmp_path):
    listed = [json.loads(line) for line in OURS.read_text().splitlines()]
    plain = [
        {name: row[name] for name in ("id", "group", "question", "choices", "answer", "answer_type")}
        for row in listed
    ]
    pq.write_table(pa.Table.from_pylist(plain), tmp_path / "same.parquet")
    assert by_id(Questions("same", path=str(tmp_path / "same.parquet"))) == by_id(ours())


def test_a_parquet_file_whose_names_are_no_text_is_named(tmp_path):
    path = tmp_path / "names.parquet"
    pq.write_table(pa.table({"question": ["Q?"]}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"question", b"ques\xf4ion"))
    with pytest.raises(InputError, match=r"names.parquet is no parquet file .*0xf4"):
        Questions("names", path=str(path)).samples()


def test_a_folder_stands_for_its_data_file(tmp_path):
    written(tmp_path / "data.jsonl", rows(3))
    assert len(Questions("folder", path=str(tmp_path)).samples()) == 3


GOLD_LAST = [
    {"question": f"Which, {n}?", "choices": ["red", "green", "blue", f"right {n}"], "answer": 3}
    for n in range(400)
]


def test_shuffled_options_put_the_right_one_everywhere_and_always_in_the_same_place():
    golds = [item_of(row, Layout(shuffle=True), "row") for row in GOLD_LAST]
    slots = Counter(item.answer for item in golds)
    assert set(slots) == set("ABCD")
    assert 70 <= slots["D"] <= 130
    for item, row in zip(golds, GOLD_LAST, strict=True):
        assert item.meaning == row["choices"][3]
        assert f"{item.answer}) {row['choices'][3]}" in item.question
    assert golds == [item_of(row, Layout(shuffle=True), "row") for row in GOLD_LAST]
    assert {item_of(row, Layout(), "row").answer for row in GOLD_LAST} == {"D"}


@pytest.mark.parametrize(
    ("row", "layout", "answer"),
    [
        ({"question": "q", "answer": "Steps <<1+1=2>>2\n#### 2,000"}, Layout(), "2000"),
        ({"Body": "B.", "Question": "Q?", "Answer": 145.0}, Layout("Body+Question", "Answer"), "145"),
        ({"question": "q", "choices": ["a", "b"], "answer": 1}, Layout(), "B"),
        ({"question": "q", "choices": ["B", "A"], "answer": "B"}, Layout(), "B"),
        (
            {"question": "q", "options": {"A": "x", "B": "y"}, "idx": "B"},
            Layout(answer="idx", choices="options"),
            "B",
        ),
        (
            {"question": "q", "options": {"A": "x", "B": "y"}, "gold": "y"},
            Layout(answer="gold", choices="options"),
            "B",
        ),
        ({"question": "q", "mc": {"choices": ["x", "y"], "labels": [0, 1]}}, Layout(choices="mc"), "B"),
        ({"question": "q", "answer": True}, Layout(), "yes"),
        ({"input": "q\n(A) x\n(B) y", "target": "(B)"}, Layout("input", "target"), "B"),
        ({"input": "q", "target": "invalid"}, Layout("input", "target"), "invalid"),
        ({"input": "q", "target": "-12"}, Layout("input", "target"), "-12"),
        ({"input": "q", "target": "apple Pear"}, Layout("input", "target"), "apple pear"),
    ],
)
def test_the_shapes_of_known_sets(row, layout, answer):
    assert item_of(row, layout, "row").answer == answer


def test_the_hub_out_of_reach_says_what_to_do(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match=r"madbench/no-such-set: .*task.path, a local file"):
        Questions("absent", hub=Hub("madbench/no-such-set")).samples()


@pytest.mark.parametrize(
    ("problem", "advice"),
    [
        ("Dataset 'a/b' is a gated dataset on the Hub. Visit the page", "gated: ask for access .* HF_TOKEN"),
        ("Dataset scripts are no longer supported, but found b.py", "has only a loading script"),
        (
            "BuilderConfig 'x' not found. Available: ['main']",
            r"no such subset, split .*Available: \['main'\]",
        ),
        ("Unknown split \"tset\". Should be one of ['test']", "no such subset, split"),
        (
            "Dataset 'a/b' doesn't exist on the Hub or cannot be accessed.",
            "not found, or the hub is out of reach",
        ),
        ("", "no reason given"),
    ],
)
def test_what_the_hub_s_errors_mean(problem, advice):
    assert re.search(advice, _advice(problem))


@pytest.mark.parametrize("name", SETS)
def test_configs_take_a_local_file(name):
    config = OmegaConf.load(CONF / f"{name}.yaml")
    config.path = str(OURS)
    task = instantiate(config, _convert_="all")
    assert task.name == name
    assert len(task.samples()) == 11


def test_scores():
    task, sample = ours(), by_id(ours())["moon-1"]
    for answer, correct in [("B", 1.0), ("A", 0.0), (None, 0.0)]:
        assert task.score(Outcome(answer, (), StopReason.JUDGE), sample.target) == {"correct": correct}


def test_options_keep_their_own_labels(tmp_path):
    columns = {"text": ["four", "five", "six"], "label": ["2", "1", "3"]}
    task = written(tmp_path / "labels.jsonl", [{"question": "2 + 3?", "choices": columns, "answer": "1"}])
    assert task.samples()[0].target.answer == "B"


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_refused(tmp_path):
    row = '{"question": "Café?", "answer": "1"}'
    marked, latin = tmp_path / "marked.jsonl", tmp_path / "latin.jsonl"
    marked.write_text(row, encoding="utf-8-sig")
    latin.write_text(row, encoding="latin-1")
    assert len(Questions("marked", path=str(marked)).samples()) == 1
    with pytest.raises(InputError, match=r"latin\.jsonl is no UTF-8 text"):
        Questions("latin", path=str(latin)).samples()


def test_commonsense_questions_are_read_by_their_own_labels(tmp_path):
    rows = [
        {
            "id": "c1",
            "question": "Where would you keep a kettle?",
            "question_concept": "kettle",
            "choices": {"label": list("ABCDE"), "text": ["roof", "river", "kitchen", "attic", "road"]},
            "answerKey": "C",
        },
        {
            "id": "c2",
            "question": "What is a kettle for?",
            "question_concept": "kettle",
            "choices": {"label": list("ABCDE"), "text": ["boiling", "digging", "flying", "sewing", "paving"]},
            "answerKey": "A",
        },
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = instantiate(OmegaConf.load(CONF / "commonsense_qa.yaml"), path=str(file), _convert_="all")
    first, second = task.samples()
    assert (first.target.answer, second.target.answer) == ("C", "A")
    assert first.problem.cluster == second.problem.cluster == "kettle"
    assert "C) kitchen" in first.problem.question


def test_commonsense_questions_without_gold_are_refused_by_row(tmp_path):
    file = tmp_path / "rows.jsonl"
    row = {"question": "q", "choices": {"label": ["A", "B"], "text": ["x", "y"]}, "answerKey": ""}
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="no gold in column 'answerKey'"):
        instantiate(OmegaConf.load(CONF / "commonsense_qa.yaml"), path=str(file), _convert_="all").samples()
