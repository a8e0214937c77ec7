"""AdversarialDebate's field-test scripts: what each gave on its smallest input, and what is given here.

The scripts are no part of the published package. What is left of them here are two arms' settings (`reading:
whole_reply`, `replies: stored`), the lenient matcher and the substring label; other observations are
re-enacted in a line or two beside ours. One row has no counterpart: the flakiness script's default pair is not the one
that was reported; here no script has a pair of its own, and the cast is in every table, folder and config hash.
"""

import json
import re
from pathlib import Path

import pytest
from jobs import job_at, run
from metrics.build import failed
from metrics.reviewing import Script, argued, artifact
from reviewers import ARTIFACT, Side, debate, review

from madbench.engines.reviewer_settings import Arguing
from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.metrics import arm_metrics, measure, tabulate
from madbench.protocols.adversarial_review_legacy import LegacyAdversarialReview
from madbench.records.tables import read_records
from madbench.run.job import finish_job
from madbench.tasks.answers import FindingsReader
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import Claimed, RoleSettings, Sampling, findings_of

TESTS = Path(__file__).parents[1]
REVIEW = """
## Findings
- app.py:3: the queue is read without a lock
  - Severity: High
  - Evidence References: app.py:3, app.py:9
1. Confidence: 0.9
"""


def bullets(text):
    """Claims as the scripts cut them: every bullet, every numbered line, every line about severity; no evidence."""
    found = re.findall(r"^\s*(?:[-*•]|\d+[.)])\s+(.+)$|^\s*(severity.+)$", text, re.MULTILINE | re.IGNORECASE)
    return [{"text": first or second, "evidence_refs": []} for first, second in found]


def test_every_bullet_was_a_claim():
    assert [claim["text"] for claim in bullets(REVIEW)][1:] == [
        "Severity: High",
        "Evidence References: app.py:3, app.py:9",
        "Confidence: 0.9",
    ]
    (claim,) = debate(Side(review=REVIEW), Side(review=review())).of(Claimed)
    assert claim.finding.text == "the queue is read without a lock"
    assert claim.finding.severity == "high"


def test_no_claim_had_evidence():
    assert all(claim["evidence_refs"] == [] for claim in bullets(REVIEW))
    (claim,) = debate(Side(review=REVIEW), Side(review=review())).of(Claimed)
    assert claim.finding.references == ("app.py:3", "app.py:9")
    rows = [{"document": "app.py", "line_start": 3, "text": "no lock", "references": ["app.py:99"]}]
    (kept,) = debate(Side(review=json.dumps({"findings": rows})), Side(review=review())).of(Claimed)
    assert kept.unresolved == ("app.py:99",)
    assert findings_of(FindingsReader(ARTIFACT).read(REVIEW).answer)[0].references


def scores(folder, reading):
    """Convergence as the package counts it, of debates of one model with itself at temperature 0."""
    model = SimulatedReviewer(arguing=Arguing(concedes_real=0.5, concedes_false=0.5, cheap=0.0))
    job = job_at(
        folder,
        task=SyntheticReviews(60),
        protocol=LegacyAdversarialReview(reading=reading, debate_rounds=1),
        defaults=RoleSettings(sampling=Sampling(temperature=0.0, max_tokens=2048)),
    )
    run(job, model=model)
    finish_job(job)
    facts = [record.outcome.facts for record in read_records(job.folder)]
    return {fact["legacy_convergence"] for fact in facts if fact["claims"]}


def test_one_word_for_all_objections_left_three_scores(tmp_path):
    """A reply that concedes anything conceded all: both sides of a homogeneous pair made the same claims, so half of
    them, all or none were resolved. Read objection by objection, the same replies give more.
    """
    assert scores(tmp_path / "whole", "whole_reply") == {0.0, 0.5, 1.0}
    assert scores(tmp_path / "lines", "by_line") > {0.0, 0.5, 1.0}


def debated(name):
    """One of two claims conceded."""
    script = Script().claim("A/1", 3).claim("B/1", 7).object("A/1").object("B/1")
    script.move("A/1", "B/1/1", "CONCEDED").move("B/1", "A/1/1", "CARRIED")
    return argued(script, name=name)


def test_failed_debates_were_averaged_in():
    """19 debates of version 0.2.0 that ended in an error count there as debates in which nothing converged."""
    whole = [debated(f"a{number}") for number in range(3)]
    broken = [failed(artifact(f"b{number}")) for number in range(2)]
    found = arm_metrics(tabulate(map(measure, [*whole, *broken])))
    theirs = (3 * 0.5 + 2 * 0.0) / 5
    assert theirs == pytest.approx(0.3)
    assert (found["convergence"].value, found["convergence"].n) == (0.5, 3)
    assert found["error_rate"].value == pytest.approx(0.4)
    assert (found["theater_no_concession"].value, found["theater_no_concession"].n) == (0.0, 3)
    assert found["missed_issue_recall"].value < 1  # what a failed debate did not find, it missed


ELSEWHERE = {
    "the judge's parser turns NO_MATCH into MATCH": "tasks/test_labels.py::test_the_field_tests_could_not_say_no",
    "the control shares the fault, its z is another measure's": (
        "tasks/test_labels.py::test_a_control_that_cannot_fail_is_none"
    ),
    "resuming goes by another id": "run/test_resume.py::test_killed_twenty_times_equals_never_killed",
    "the seam helper allows fewer rows": "records/test_findings_seam.py::test_fewer_rows_are_no_seam",
    "2333 rows become 359": (
        "records/test_findings_seam.py::test_the_collapse_of_2333_rows_to_359_stops_the_pipeline"
    ),
    "any shared word finds an issue": (
        "tasks/test_matching.py::test_one_shared_word_anywhere_finds_every_issue_leniently"
    ),
    "an absent review has found it": (
        "tasks/test_matching.py::test_an_absent_review_has_found_all_for_the_lenient_matcher_alone"
    ),
    "one keyword for a whole reply": (
        "protocols/test_adversarial_runs.py::test_the_first_field_tests_read_one_word_for_a_whole_reply"
    ),
    "stored reviews answer": "protocols/test_adversarial_runs.py::test_known_theater_and_known_debate",
    "published examples of moves": (
        "protocols/test_adversarial_regressions.py::test_a_move_without_an_id_is_none_and_an_agreement_is_no_concession"
    ),
}
"""Rows of the same table that other rooms test, legacy and default each."""


@pytest.mark.parametrize("row", ELSEWHERE)
def test_the_other_rows_have_their_tests(row):
    file, _, test = ELSEWHERE[row].partition("::")
    assert f"def {test}(" in (TESTS / file).read_text(encoding="utf-8"), row
