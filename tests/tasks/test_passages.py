"""Passages: the answer is in the text, so is the wrong one; sets with passages are read row by row."""

import json

import pytest

from madbench.tasks.passage_sets import Columns, PassageSet
from madbench.tasks.passages import ASKED, Passages
from madbench.types import InputError, PassageReader

SAMPLES = Passages(n=300).samples()


def found_in(passage, stem):
    """The answer to a question, looked up by hand in the sentence about its person."""
    person = stem.removesuffix("?").removeprefix("On which day did the ").split(" the ")[-1].split()[0]
    person = stem.split("the ", 1)[1].split()[0].rstrip("?") if "did the" in stem else person
    (sentence,) = (part for part in passage.split(".") if f"the {person} carried" in part)
    day, rest = sentence.split(f" the {person} carried ")
    thing, way = rest.split(" from ")
    origin, goal = way.split(" to ")
    return {"What": thing, "From": origin, "Where": goal, "On": day.strip().removeprefix("On ")}[
        stem.split()[0]
    ]


@pytest.mark.parametrize("sample", SAMPLES[:80], ids=lambda sample: sample.problem.id)
def test_the_passage_tells_the_answer_and_holds_the_wrong_one_too(sample):
    reader = sample.problem.reader
    right = reader.options["AB".index(sample.target.answer)]
    assert found_in(reader.passage, reader.stem) == right
    assert all(option in reader.passage for option in reader.options)
    assert reader.options[0] != reader.options[1]


def test_the_question_alone_tells_nothing():
    for sample in SAMPLES:
        assert sample.problem.reader.passage not in sample.problem.prompt
        assert sample.problem.question.startswith(sample.problem.reader.stem)
    share = sum(sample.target.answer == "A" for sample in SAMPLES) / len(SAMPLES)
    assert 0.4 < share < 0.6
    assert {sample.problem.reader.stem.split()[0] for sample in SAMPLES} == {
        stem.split()[0] for stem in ASKED.values()
    }


def test_samples_are_the_seeds_alone_and_seeds_share_none():
    assert Passages(n=40).samples() == SAMPLES[:40]
    assert not {s.problem.id for s in SAMPLES} & {s.problem.id for s in Passages(n=300, seed=1).samples()}
    assert isinstance(SAMPLES[0].problem.reader, PassageReader)


@pytest.mark.parametrize("settings", [{"n": 0}, {"people": 1}, {"people": 8}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(InputError, match="2 to 7 people"):
        Passages(**settings)


PASSAGE = {"article": "Ash is grey.", "options": ["grey", "red", "blue"], "answer": 0}
ROWS = [PASSAGE | {"question": f"Which colour, number {n}?", "hard": n % 2 == 0} for n in range(20)]


def written(tmp_path, rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return PassageSet(name="set", path=str(path), columns=Columns(only={"hard": True}))


def test_a_set_keeps_the_right_option_and_one_wrong_one(tmp_path):
    samples = written(tmp_path, ROWS).samples()
    assert len(samples) == 10
    assert len({sample.problem.cluster for sample in samples}) == 1
    for sample in samples:
        assert sample.problem.reader.options["AB".index(sample.target.answer)] == "grey"
        assert sample.problem.reader.passage == "Ash is grey."
    assert len({sample.target.answer for sample in samples}) == 2


@pytest.mark.parametrize(
    "change",
    [{"article": ""}, {"options": "grey"}, {"answer": "grey"}, {"answer": 3}, {"options": ["grey", "grey"]}],
)
def test_a_row_that_is_none_is_named(tmp_path, change):
    with pytest.raises(InputError, match="row 1"):
        written(tmp_path, [ROWS[0] | change]).samples()


def test_without_file_or_hub_there_is_no_set():
    with pytest.raises(InputError, match="neither"):
        PassageSet(name="set")


@pytest.mark.parametrize("settings", [{"seed": -1, "size": 3}, {"size": 0}])
def test_draws_that_are_none_are_refused(settings):
    with pytest.raises(InputError, match="wanted 0 or more, 1 or more"):
        PassageSet(name="set", path="rows.jsonl", **settings)


def test_sized_seeds_share_no_question(tmp_path):
    whole = written(tmp_path, ROWS)
    first, second = (
        {
            s.problem.id
            for s in PassageSet(
                name="set", path=whole.path, columns=whole.columns, size=5, seed=seed
            ).samples()
        }
        for seed in (0, 1)
    )
    assert len(first | second) == 10
