"""A judge is asked about a finished run in a run of its own; its labels are what the run is scored by."""

import json
import re
import subprocess
import sys
from collections import Counter

import pytest
from sweep.command import environment, home, madbench

from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.sweep.app import run
from madbench.sweep.judging import pairs_in, verdicts
from madbench.sweep.kept import jobs_in
from madbench.tasks.answers.labels import MATCH
from madbench.tasks.review_scoring import views_of
from madbench.types import SeamError


@pytest.fixture(scope="module")
def reviews(tmp_path_factory):
    """Two arms that share their first reviews."""
    folder = tmp_path_factory.mktemp("reviews")
    given = (
        "-m",
        "protocol=cot,debate",
        "task=synthetic_reviews",
        "task.n=8",
        "model@cast.default=simulated_reviewer",
    )
    ended = madbench(folder, *given)
    assert ended.returncode == 0, ended.err
    assert run(["pairs", str(home(folder))]) == 0
    return home(folder)


def judge(folder, reviews, *more):
    given = (f"task.path={reviews}/pairs.jsonl", "contract.enforcement=grammar", *more)
    solver = "protocol.roles.solver.sampling.temperature=1.0"
    chosen = ("protocol=cot", "task=finding_pairs", solver, "model@cast.default=simulated", "tracking=none")
    command = [sys.executable, "-m", "madbench", *chosen, *given, "name=trial", f"output_root={folder}/out"]
    ended = subprocess.run(
        command, check=False, env=environment(folder), capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    return home(folder)


@pytest.fixture(scope="module")
def judged(tmp_path_factory, reviews):
    return judge(tmp_path_factory.mktemp("judge"), reviews)


def records_in(place):
    return [record for folder in place.glob("runs/*") for record in read_records(RunFolder(folder))]


def test_every_finding_meets_every_issue_once(reviews):
    pairs = [json.loads(line) for line in (reviews / "pairs.jsonl").read_text().splitlines()]
    assert len({pair["id"] for pair in pairs}) == len(pairs)
    wanted = set()
    for record in records_in(reviews):
        said = {(f.span.first, f.text) for view in views_of(record.outcome).values() for f in view or ()}
        for kind, control in (("issues", False), ("strange_issues", True)):
            issues = record.sample.target.facts[kind]
            known = [] if not control else record.sample.target.facts["issues"]
            wanted |= {
                (record.id.sample, *one, issue["id"], control)
                for one in said
                for issue in issues
                if issue not in known
            }
    found = Counter(
        (
            p["artifact_id"],
            p["finding"]["span"]["first"],
            p["finding"]["text"],
            p["issue"]["id"],
            p.get("control", False),
        )
        for p in pairs
    )
    assert found == Counter(wanted)


def test_labels_are_the_scores(reviews, judged, capsys):
    said = verdicts(judged, reviews)
    assert run(["score", str(reviews), f"judge={judged}"]) == 0
    out = capsys.readouterr().out
    assert str(said) in out
    assert "0 labels unread" in out
    yes = {id for id, label in said.labels.items() if label == MATCH}
    assert 0 < len(yes) < len(said.labels)
    possible = Counter(said.pairs[id].artifact_id for id in yes if not said.pairs[id].control)
    for record in records_in(reviews):
        assert record.error == ""
        matched = record.scores["view:union:matched"]
        assert matched <= min(possible[record.id.sample], record.scores["view:union:known"])
        assert bool(matched) <= bool(possible[record.id.sample])
    judged_so = [record.scores for record in records_in(reviews)]
    assert run(["score", str(reviews)]) == 0
    assert [record.scores for record in records_in(reviews)] != judged_so


def test_a_judge_that_was_asked_less_stops_at_the_seam(tmp_path, reviews, capsys):
    place = judge(tmp_path, reviews, "limit=5")
    asked = len(pairs_in(jobs_in(reviews)))
    with pytest.raises(
        SeamError, match=rf"judge requests to labels: planned {asked} rows, found 5; {asked - 5} missing \['"
    ):
        verdicts(place, reviews)
    before = {file: file.read_bytes() for file in reviews.rglob("records.parquet")}
    assert run(["score", str(reviews), f"judge={place}"]) == 1
    assert "judge requests to labels" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["judge={reviews}"], "0 runs of task=finding_pairs"),
        (["matcher=nix"], "there are location, text, lenient"),
        (["nix=1"], "found .*nix=1"),
    ],
)
def test_what_cannot_be_scored_by_is_refused(reviews, capsys, given, said):
    assert run(["score", str(reviews), *(word.format(reviews=reviews) for word in given)]) == 2
    assert re.search(said, capsys.readouterr().err)


def test_a_judge_is_no_review(judged, capsys):
    assert run(["score", str(judged), "matcher=text"]) == 2
    assert run(["pairs", str(judged)]) == 2
    said = capsys.readouterr().err
    assert "matches no findings to issues" in said
    assert "no finding and known issue to pair" in said


def test_any_matcher_scores_what_is_there(reviews):
    def missed():
        return sum(record.scores["view:union:missed"] for record in records_in(reviews))

    found = {}
    for name in ("location", "text", "lenient"):
        assert run(["score", str(reviews), f"matcher={name}"]) == 0
        found[name] = missed()
    assert found["lenient"] <= found["text"]
    assert run(["score", str(reviews)]) == 0
    assert missed() == found["location"]


def test_a_summary_says_by_what_it_was_scored(reviews, capsys):
    def noted():
        notes = json.loads((reviews / "summary.json").read_text())["notes"]
        return [note for note in notes if "matcher=lenient" in note]

    assert run(["score", str(reviews), "matcher=lenient"]) == 0
    assert "Note: Scored again with matcher=lenient" in capsys.readouterr().out
    assert len(noted()) == 1
    assert run(["report", str(reviews)]) == 0
    assert len(noted()) == 1
    assert run(["score", str(reviews)]) == 0
    assert noted() == []


def test_scores_that_were_made_anew_halfway_are_noted_too(tmp_path, capsys):
    """The second arm cannot be played again with this reader; the first has been by then."""
    given = ("-m", "protocol=cot,adversarial_review_quick", "task=synthetic_reviews", "task.n=4")
    assert madbench(tmp_path, *given, "model@cast.default=simulated_reviewer").returncode == 0
    place = home(tmp_path)
    assert run(["score", str(place), "reader=number"]) == 2
    capsys.readouterr()
    assert run(["report", str(place)]) == 0
    assert "Note: Scored again with reader=number" in capsys.readouterr().out


def test_matchers_are_chosen_in_the_config(tmp_path, reviews):
    given = ("task=synthetic_reviews", "task.n=8", "protocol=cot", "model@cast.default=simulated_reviewer")
    assert madbench(tmp_path, *given, "matcher@task.matcher=lenient").returncode == 0
    (manifest,) = home(tmp_path).glob("runs/*/manifest.json")
    assert "LenientMatcher" in manifest.read_text()
    theirs = {path.name.rpartition("-")[2] for path in reviews.glob("runs/*")}
    assert manifest.parent.name.rpartition("-")[2] not in theirs
