"""Findings that get lost between a review and its scores stop the pipeline, by id."""

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from madbench.records.findings import accounted, findings_held, findings_scored
from madbench.records.seams import check_seam
from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.review_samples import review_target
from madbench.tasks.review_scoring import ReviewScoring
from madbench.types import (
    Artifact,
    Document,
    Effort,
    Ending,
    Finding,
    Issue,
    Outcome,
    Problem,
    Record,
    RowId,
    Sample,
    SeamError,
    Span,
    StopReason,
    Target,
    canonical_findings,
)

ARTIFACT = Artifact((Document("a.py", "\n".join(f"x{line} = {line}" for line in range(20))),))
ISSUE = Issue(id="i", spans=(Span(document="a.py", first=3, last=4),), kind="wrong")


def finding(id, line=3):
    return Finding(span=Span(document="a.py", first=line, last=line), text=f"{id} at {line}", id=id)


def review(sample="s1", sides=(("A/1", "A/2"), ("B/1",)), **changes):
    """A finished and scored review of two sides; the first finding of each survives."""
    firsts = tuple(canonical_findings(map(finding, side, (3, 9, 15))) for side in sides)
    survivors = canonical_findings(finding(side[0]) for side in sides if side)
    outcome = Outcome(
        survivors,
        (firsts, firsts),
        StopReason.MAX_ROUNDS,
        facts={"views": {"upheld": canonical_findings([])}},
    )
    target = review_target(ARTIFACT, [ISSUE])
    sample = Sample(Problem(sample, sample, "?", FindingsReader(ARTIFACT)), target)
    scores = ReviewScoring()(outcome, target)
    record = Record(
        RowId(sample.problem.id, 0, 0), sample, Ending.DONE, outcome, (), scores, None, Effort(0, "")
    )
    return replace(record, **changes)


def without(record, *names):
    return replace(record, scores={name: value for name, value in record.scores.items() if name not in names})


def test_whole_reviews_pass():
    records = [review("s1"), review("s2", sides=((), ())), review("s3", sides=(("", ""), ("",)))]
    assert list(accounted(records)) == records
    held = Counter(findings_held(records[0]))
    assert held == Counter(findings_scored(records[0]))
    by_view = Counter(key[2] for key in held if len(key) == 4)
    assert by_view == {"reviewer_0": 2, "reviewer_1": 1, "union": 3, "final": 2}
    assert {key[2] for key in held if len(key) == 3} == {"A/1", "A/2", "B/1"}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda r: without(r, "finding:A/2"), r"1 missing \[\('s1', 0, 'A/2'\)\], 0 unplanned"),
        (
            lambda r: replace(r, scores={**r.scores, "finding:C/1": -1.0}),
            r"0 missing \[\], 1 unplanned or doubled \[\('s1', 0, 'C/1'\)\]",
        ),
        (
            lambda r: replace(r, scores={**r.scores, "view:union:duplicates": 0.0}),
            r"1 missing \[\('s1', 0, 'union', 2\)\]",
        ),
        (
            lambda r: without(
                r, *(f"view:final:{c}" for c in ("matched", "unmatched", "duplicates", "findings"))
            ),
            r"2 missing \[\('s1', 0, 'final', 0\), \('s1', 0, 'final', 1\)\]",
        ),
        (lambda r: replace(r, scores={}), "11 missing"),
    ],
)
def test_what_is_lost_or_invented_is_named(spoil, said):
    records = [review("s0"), spoil(review("s1")), review("s2")]
    with pytest.raises(SeamError, match="^findings to matches: .*" + said):
        list(accounted(records))


def test_one_id_for_two_findings_is_a_loss():
    with pytest.raises(SeamError, match=r"1 missing \[\('s1', 0, '1'\)\]"):
        list(accounted([review("s1", sides=(("1",), ("1",)))]))


def test_failed_scorers_and_other_tasks_owe_nothing():
    failed = review(scores={"channel_leaks": 0.0}, error="task.score: ValueError: no")
    question = replace(
        review(), sample=Sample(Problem("q", "q", "?", None), Target("4")), scores={"correct": 1.0}
    )
    lost = review(outcome=None, scores={}, ending=Ending.RETRY, error="node")
    assert list(accounted([failed, question, lost])) == [failed, question, lost]


@dataclass(frozen=True)
class Row:
    """A judged finding, under the two ids that the field tests mixed up."""

    artifact_id: str
    pr_id: str
    finding: str


ROWS, REQUESTS = 2333, 359
JUDGED = [Row(f"artifact-{n}", f"pr-{n % REQUESTS}", f"artifact-{n}/A/1") for n in range(ROWS)]


def test_the_collapse_of_2333_rows_to_359_stops_the_pipeline():
    """A merge keyed on the wrong id keeps the last row of each: every id of the others is missing."""
    merged = {row.pr_id: row.finding for row in JUDGED}
    assert len(merged) == REQUESTS
    with pytest.raises(SeamError, match=r"planned 2333 rows, found 359; 1974 missing .*artifact-0/A/1"):
        check_seam("judge labels to findings", (row.finding for row in JUDGED), merged.values())
    right = {row.artifact_id: row.finding for row in JUDGED}
    check_seam("judge labels to findings", (row.finding for row in JUDGED), right.values())


def test_the_collapse_within_reviews_keeps_every_episode_and_is_caught():
    """The same merge on findings: rows stay as many as planned, findings inside them go missing."""
    records = [review(f"s{n}", sides=((f"A/{n}",), ())) for n in range(40)]
    kept = {f"pr-{n % 7}": record.id.sample for n, record in enumerate(records)}.values()
    joined = [
        r if r.id.sample in kept else without(r, *(s for s in r.scores if s.startswith("finding:")))
        for r in records
    ]
    check_seam("rows", [r.id.sample for r in records], [r.id.sample for r in joined])
    with pytest.raises(SeamError, match=r"planned 132 rows, found 99; 33 missing .*'s0', 0, 'A/0'"):
        list(accounted(joined))


def less_equal(planned, found):
    """As the field tests' helper compared two stages."""
    return len(found) <= len(planned)


@pytest.mark.parametrize("found", [JUDGED[:REQUESTS], [], [JUDGED[0]] * ROWS, JUDGED[1:]])
def test_fewer_rows_are_no_seam(found):
    assert less_equal(JUDGED, found)
    with pytest.raises(SeamError):
        check_seam("judge requests to labels", JUDGED, found)
