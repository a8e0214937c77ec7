"""Review sets: rows to artifacts and issues, refusals that name the row, draws, and what reviews are worth."""

import json
import os
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from tasks.reviews import every_line, finding, whole_files

from madbench.tasks.reviewed import ReviewLayout
from madbench.tasks.reviews import Reviews
from madbench.types import InputError, Issue, Outcome, Span, StopReason, canonical_findings

DATA = os.environ.get("MADBENCH_DATA")
CONF = Path(__file__).parents[2] / "conf"
SETS = ("humanevalfix", "review_modules", "sven_py", "bb_mistake")
CODE = "def last(items):\n    if not items:\n        return None\n    return items[len(items)]\n"
FIXED = CODE.replace("[len(items)]", "[len(items) - 1]")
FAULT = {
    "line_start": 4,
    "line_end": 4,
    "kind": "wrong",
    "category": "off by one",
    "symptom": "raises",
    "buggy_lines": ["    return items[len(items)]"],
    "fixed_lines": ["    return items[len(items) - 1]"],
}


def row(id="a", **changes):
    plain = {
        "id": id,
        "group": f"group-{id}",
        "filename": "last.py",
        "spec": f"The last of items ({id}).",
        "code": CODE,
    }
    return {**plain, "clean": False, "issues": [FAULT], **changes}


def clean(id="b", **changes):
    return row(id, clean=True, issues=[], code=FIXED, **changes)


def task_of(path, rows, **settings):
    path = path / "set.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return Reviews("ours", path=str(path), **settings)


def by_id(task):
    return {sample.problem.id: sample for sample in task.samples()}


def one(path, each, **settings):
    (sample,) = task_of(path, [each], **settings).samples()
    return sample


def scored(task, sample, *findings, **facts):
    answer = canonical_findings(findings)
    return task.score(Outcome(answer, ((answer,),), StopReason.MAX_ROUNDS, facts=facts), sample.target)


def test_a_row_is_an_artifact_and_its_issues(tmp_path):
    sample = one(tmp_path, row(), layout=ReviewLayout(lead="Find bugs."))
    problem, facts = sample.problem, sample.target.facts
    assert (problem.id, problem.cluster) == ("a", "group-a")
    assert problem.question == (
        "Find bugs.\n\nThe last of items (a).\n\nlast.py\n   1 | def last(items):\n   2 |     if not items:\n"
        "   3 |         return None\n   4 |     return items[len(items)]\n"
    )
    assert [Issue.model_validate_json(json.dumps(issue)) for issue in facts["issues"]] == [
        Issue(
            id="a/0",
            spans=(Span(document="last.py", first=4, last=4),),
            kind="off by one",
            description="raises; should be: return items[len(items) - 1]",
        )
    ]
    assert facts["clean"] is False
    assert json.loads(sample.target.answer)[0]["span"] == {"document": "last.py", "first": 4, "last": 4}
    assert json.dumps(dict(facts))


def test_ranges_of_one_bug_are_one_issue(tmp_path):
    def ranges(*groups, **layout):
        parts = [FAULT | {"line_start": n, "line_end": n, **group} for n, group in enumerate(groups, 1)]
        issues = one(tmp_path, row(issues=parts), layout=ReviewLayout(**layout)).target.facts["issues"]
        return [[span["first"] for span in issue["spans"]] for issue in issues]

    named = [{"issue_group": name} for name in ("f", "g", "f")]
    assert ranges(*named) == [[1, 3], [2]]
    assert ranges({}, {}, {}) == [[1], [2], [3]]
    assert ranges({}, {}, {}, one_issue=True) == [[1, 2, 3]]


def test_corrected_twins_are_controls_in_the_same_cluster(tmp_path):
    samples = by_id(task_of(tmp_path, [row(fixed_code=FIXED)], layout=ReviewLayout(twins=True)))
    assert sorted(samples) == ["a", "a~fixed"]
    assert {sample.problem.cluster for sample in samples.values()} == {"group-a"}
    assert samples["a~fixed"].target.facts["clean"] is True
    assert "len(items) - 1" in samples["a~fixed"].problem.question


def test_twins_that_the_set_has_are_not_made_again(tmp_path):
    rows = [row(fixed_code=FIXED), clean(spec=row()["spec"], group="group-a")]
    assert sorted(by_id(task_of(tmp_path, rows, layout=ReviewLayout(twins=True)))) == ["a", "b"]


def test_issues_are_where_a_text_and_its_correction_differ(tmp_path):
    each = {"code": CODE, "fixed_code": FIXED.replace("def last", "def final")}
    parts = one(tmp_path, each).target.facts["issues"]
    assert [issue["spans"][0]["first"] for issue in parts] == [1, 4]
    missing = {"code": FIXED.replace("    if not items:\n        return None\n", ""), "fixed_code": FIXED}
    (part,) = one(tmp_path, missing).target.facts["issues"]
    assert (part["spans"][0]["first"], part["spans"][0]["last"]) == (1, 2)


def test_ids_follow_what_is_shown(tmp_path):
    bare = {"code": CODE, "issues": [FAULT]}
    first, again = (one(tmp_path, bare | {"extra": n}).problem.id for n in (1, 2))
    assert first == again != one(tmp_path, bare | {"code": "\n" + CODE}).problem.id


def test_steps_are_lines(tmp_path):
    trace = {
        "id": "t",
        "input": "1 + 1 + 1 =",
        "steps": ["1 + 1 is\n2", "2 + 1 is 4", "So 4"],
        "mistake_index": 1,
    }
    sample = one(tmp_path, trace)
    assert (
        sample.problem.question == "1 + 1 + 1 =\n\nsteps\n   1 | 1 + 1 is 2\n   2 | 2 + 1 is 4\n   3 | So 4\n"
    )
    assert sample.target.facts["issues"][0]["spans"] == [{"document": "steps", "first": 2, "last": 2}]
    right = one(tmp_path, trace | {"mistake_index": None, "answer_correct": False})
    assert (right.target.facts["clean"], right.target.facts["suspect"]) == (
        True,
        "no mistake labelled, answer wrong",
    )


def test_changes_can_have_known_issues(tmp_path):
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +5 @@\n-a\n+b\n"
    known = {"id": "d", "diff": diff, "issues": [{"path": "x.py", "line": 5, "description": "b is not a"}]}
    (issue,) = one(tmp_path, known).target.facts["issues"]
    assert (issue["spans"], issue["description"]) == (
        [{"document": "x.py", "first": 5, "last": 5}],
        "b is not a",
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"code": None}, r"set.jsonl, row 1: no text in column 'code'"),
        ({"code": ""}, "no text in column 'code'"),
        ({"code": " \n"}, "row 1: last.py: empty"),
        ({"code": "\0"}, "row 1: last.py: binary"),
        ({"filename": "../x"}, "document name '../x'"),
        ({"issues": [FAULT | {"line_end": 5}]}, r"an issue at last.py:4-5, which is not there.*'last.py': 4"),
        ({"issues": [FAULT | {"line_start": 0}]}, "issue lines 0 to 4"),
        ({"issues": [FAULT | {"line_start": "four"}]}, "issue lines 'four' to 4"),
        ({"issues": [FAULT | {"path": "other.py"}]}, "an issue at other.py:4-4, which is not there"),
        ({"issues": ["line 4"]}, "wanted a list of objects"),
        ({"issues": []}, "clean is False, and 0 issues"),
        ({"clean": True}, "clean is True, and 1 issues"),
        ({"mistake_index": 4}, "mistake_index 4, and there are steps 0 to 3"),
        ({"code": "<html><body>" + "<p>word</p>\n" * 30}, "the text is a raw HTML page"),
    ],
)
def test_bad_rows_are_refused_by_name(tmp_path, changes, problem):
    with pytest.raises(InputError, match=problem):
        one(tmp_path, row(**changes))


def test_bad_settings_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"neither task.path .* nor task.hub"):
        Reviews("none")
    for settings in ({"seed": -1}, {"size": 0}, {"reserve": -1}):
        with pytest.raises(InputError, match="wanted 0 or more"):
            Reviews("none", path="x", **settings)
    with pytest.raises(InputError, match="findings=0"):
        ReviewLayout(findings=0)
    with pytest.raises(InputError, match="artifact id 'a' twice"):
        task_of(tmp_path, [row(), row(code=FIXED)]).samples()
    with pytest.raises(
        InputError, match=r"1 artifacts of .* can be scored, 0 are reserved: too few for size 2"
    ):
        task_of(tmp_path, [row()], size=2).samples()


def test_draws_are_disjoint_and_content_is_hashed(tmp_path):
    rows = [row(f"r{n}") for n in range(20)]
    parts = [
        {s.problem.id for s in task_of(tmp_path, rows, size=5, seed=seed, reserve=3).samples()}
        for seed in range(3)
    ]
    assert [len(part) for part in parts] == [5, 5, 5]
    assert len(set.union(*parts)) == 15
    task = task_of(tmp_path, rows)
    assert task.content() == task_of(tmp_path, rows[::-1]).content()
    assert task.content() != task_of(tmp_path, [row("r0", spec="Other."), *rows[1:]]).content()
    targets = {s.problem.id: s.target for s in task.samples()}
    assert all(s.target == targets[s.problem.id] for s in task_of(tmp_path, rows, size=5).samples())


def test_facts_say_what_is_in_the_data(tmp_path):
    unknown = {"id": "c", "code": CODE}
    facts = task_of(tmp_path, [row(), clean(), unknown]).facts()
    found = {
        key: facts[key] for key in ("rows", "artifacts", "scored", "clean", "unknown", "issues", "kinds")
    }
    assert found == {"rows": 3, "artifacts": 3, "scored": 3, "clean": 1, "unknown": 1, "issues": 1,
                     "kinds": {"off by one": 1}}  # fmt: skip
    assert json.dumps(dict(facts))


def test_strange_issues_come_from_another_cluster(tmp_path):
    rows = [
        row("a"),
        clean("b", group="group-a"),
        row("c", issues=[FAULT | {"line_start": 1, "line_end": 1}]),
    ]
    strange = {
        id: sample.target.facts["strange_issues"] for id, sample in by_id(task_of(tmp_path, rows)).items()
    }
    assert {id: [issue["spans"][0]["first"] for issue in issues] for id, issues in strange.items()} == {
        "a": [1], "b": [1], "c": [4],
    }  # fmt: skip
    assert one(tmp_path, row()).target.facts["strange_issues"] == []


def test_scores_of_a_review(tmp_path):
    task = task_of(tmp_path, [row("a"), row("c", issues=[FAULT | {"line_start": 2, "line_end": 3}])])
    sample = by_id(task)["a"]
    hit, again, miss = (finding(line, text=text, document="last.py", id=id) for line, text, id in
                        [(4, "raises at the end of items", "A/1"), (4, "again", "A/2"), (2, "odd", "A/3")])  # fmt: skip
    scores = scored(task, sample, hit, again, miss, views={"upheld": canonical_findings([miss]), "odd": None})
    counts = {"matched": 1, "unmatched": 1, "duplicates": 1, "missed": 0, "known": 1}
    assert {name: scores[f"view:final:{name}"] for name in counts} == counts
    assert (scores["finding:A/1"], scores["finding:A/2"], scores["finding:A/3"]) == (0, -2, -1)
    assert (scores["view:upheld:matched"], scores["view:upheld:unmatched"], scores["view:upheld:missed"]) == (
        0,
        1,
        1,
    )
    assert (scores["noise:final:matched"], scores["noise:upheld:matched"]) == (1, 1)
    assert scores["clean"] == 0
    assert "correct" not in scores


def test_views_of_several_reviewers(tmp_path):
    task = task_of(tmp_path, [row()])
    (sample,) = task.samples()
    first = canonical_findings([finding(4, document="last.py", id="A/1")])
    second = canonical_findings([finding(1, document="last.py", id="B/1")])
    outcome = Outcome(first, ((first, second, None), (first, "[]", "no JSON")), StopReason.MAX_ROUNDS)
    scores = task.score(outcome, sample.target)
    assert [scores[f"view:reviewer_{seat}:matched"] for seat in range(3)] == [1, 0, 0]
    assert [scores[f"view:union:{name}"] for name in ("findings", "matched", "unmatched")] == [2, 1, 1]
    assert (scores["finding:A/1"], scores["finding:B/1"]) == (0, -1)


@pytest.mark.parametrize("answer", [None, "", "no JSON", "{}", '[{"text": 3}]'])
def test_no_review_misses_all_and_never_raises(tmp_path, answer):
    task = task_of(tmp_path, [row()])
    scores = task.score(Outcome(answer, ((answer,),), StopReason.ERROR), task.samples()[0].target)
    assert (scores["view:final:matched"], scores["view:final:missed"]) == (0, 1)


def test_where_nothing_is_known_findings_are_only_counted(tmp_path):
    task = task_of(tmp_path, [{"id": "u", "code": CODE}, row()])
    scores = scored(task, by_id(task)["u"], finding(4, document="document"))
    assert scores == {"view:reviewer_0:findings": 1, "view:union:findings": 1, "view:final:findings": 1}


def chosen(name, path):
    with initialize_config_dir(str(CONF), version_base=None):
        cfg = compose("config", [f"task={name}", f"task.path={path}"])
    return instantiate(cfg.task, _convert_="all")


def test_columns_of_the_hub_are_understood(tmp_path):
    signature, rest = CODE.split("\n", 1)
    row = {
        "task_id": "Ours/0",
        "declaration": f"{signature}\n",
        "buggy_solution": rest,
        "canonical_solution": FIXED.split("\n", 1)[1],
        "bug_type": "off by one",
        "docstring": "The last item.",
        "entry_point": "last",
    }
    path = tmp_path / "pack.jsonl"
    path.write_text(json.dumps(row) + "\n")
    samples = by_id(chosen("humanevalfix", path))
    assert sorted(samples) == ["Ours/0", "Ours/0~fixed"]
    (issue,) = samples["Ours/0"].target.facts["issues"]
    assert (issue["kind"], issue["spans"]) == ("off by one", [{"document": "last", "first": 4, "last": 4}])
    assert (
        "described.\n\nThe last item.\n\nlast\n   1 | def last(items):" in samples["Ours/0"].problem.question
    )


def shipped(name):
    if DATA is None:
        pytest.skip("MADBENCH_DATA names no folder of real sets")
    return chosen(name, f"{DATA}/{name}")


def total(task, review):
    """Sums of the final view's scores over a set, and of the false alarms on clean artifacts."""
    sums = {"alarms": 0.0}
    for sample in task.samples():
        scores = scored(task, sample, *review(sample.problem.reader.artifact))
        for name in ("matched", "unmatched", "duplicates", "findings", "known"):
            sums[name] = sums.get(name, 0) + scores[f"view:final:{name}"]
        sums["alarms"] += scores["view:final:unmatched"] * scores["clean"]
    return sums


@pytest.mark.parametrize("name", SETS)
def test_fixed_points(name):
    task = shipped(name)
    every, whole, silent = (total(task, review) for review in (every_line, whole_files, lambda _: []))
    lines = faulty = issues = 0
    for sample in task.samples():
        known = sample.target.facts["issues"]
        lines += sum(len(document.lines) for document in sample.problem.reader.artifact.documents)
        issues += len(known)
        spans = [span for issue in known for span in issue["spans"]]
        faulty += len({line for span in spans for line in range(span["first"], span["last"] + 1)})
    assert every["findings"] == lines
    assert every["matched"] == every["known"] == issues > 0
    assert every["unmatched"] == lines - faulty
    assert every["duplicates"] == faulty - issues
    assert whole["findings"] > 0
    assert whole["matched"] == 0
    assert (silent["matched"], silent["unmatched"], silent["duplicates"], silent["alarms"]) == (0, 0, 0, 0)
    assert silent["known"] == issues


def test_the_sets_hold_what_they_should():
    facts = {name: shipped(name).facts() for name in SETS}
    assert {name: (f["artifacts"], f["clean"], f["issues"]) for name, f in facts.items()} == {
        "humanevalfix": (190, 95, 95),
        "review_modules": (23, 6, 31),
        "sven_py": (520, 260, 260),
        "bb_mistake": (756, 138, 618),
    }
    assert facts["bb_mistake"]["suspect"] == {"no mistake labelled, answer wrong": 15}
    assert facts["humanevalfix"]["shared_groups"] == 95


def test_gold_reviews_find_everything_and_nothing_else():
    for name in SETS:
        task = shipped(name)
        for sample in task.samples():
            gold = sample.target.answer
            scores = task.score(Outcome(gold, ((gold,),), StopReason.MAX_ROUNDS), sample.target)
            assert scores["view:final:matched"] == scores["view:final:known"] == scores["view:final:findings"]
