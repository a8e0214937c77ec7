"""What a judge is asked, and whose labels a judged matcher takes."""

import json

import pytest
from tasks.reviews import artifact, finding, issue

from madbench.tasks.finding_pairs import SHOWN, FindingPairs, Pair, excerpt_of, pair_id
from madbench.tasks.judged import JudgedMatcher
from madbench.tasks.matching import DUPLICATE, UNMATCHED
from madbench.types import InputError, Outcome, SeamError, StopReason

CODE = artifact(20, 5)
KNOWN = [issue("i", (3, 3), text="lost guard", kind="missing"), issue("j", (9, 10), text="wrong offset")]
SAID = [finding(3, text="no guard"), finding(9, text="offset"), finding(17, text="naming")]


def pair(said=SAID[0], known=KNOWN[0], **more):
    given = {"artifact_id": "s1", "reference": "MATCH", "excerpt": excerpt_of(CODE, said, known), **more}
    return Pair(id=pair_id(CODE, said, known), finding=said, issue=known, **given)


def written(path, rows):
    path.write_text("".join(f"{row}\n" for row in rows))
    return str(path)


def test_a_judge_sees_finding_issue_and_lines(tmp_path):
    control = pair(known=KNOWN[1], control=True, reference="NO_MATCH")
    task = FindingPairs(written(tmp_path / "pairs.jsonl", [p.model_dump_json() for p in (pair(), control)]))
    first, second = task.samples()
    assert first.problem.cluster == "s1"
    for words in ("no guard", "missing: lost guard", "a.py, line 3", "   5 | x4 = 4", "MATCH", "NO_MATCH"):
        assert words in first.problem.prompt
    assert "   6 |" not in first.problem.question
    assert "a.py, lines 9-10" in second.problem.question
    assert (first.target.answer, second.target.answer) == ("MATCH", "NO_MATCH")
    assert task.facts()["controls"] == 1
    said = Outcome("MATCH", (("MATCH",),), StopReason.MAX_ROUNDS)
    assert [task.score(said, s.target)["correct"] for s in (first, second)] == [1, 0]


def test_long_spans_are_shown_in_part():
    code = artifact(5000)
    assert len(excerpt_of(code, finding(1, 10**9), issue("i", (4000, 4100))).splitlines()) == SHOWN


def test_an_id_is_the_claim_and_the_issue():
    ids = {
        pair_id(CODE, SAID[0], KNOWN[0]),
        pair_id(CODE, SAID[0], KNOWN[1]),
        pair_id(CODE, SAID[1], KNOWN[0]),
        pair_id(artifact(21, 5), SAID[0], KNOWN[0]),
        pair_id(CODE, finding(4, text="no guard"), KNOWN[0]),
    }
    assert len(ids) == 5
    again = finding(3, text="No  guard", id="B/7", severity="high", confidence=0.3)
    assert pair_id(CODE, again, KNOWN[0]) in ids


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([pair().model_dump_json()] * 2, r"twice: .*row 1, and .*row 2"),
        ([json.dumps({"id": "x"})], "row 1: artifact_id: Field required"),
        ([pair().model_dump_json().replace('"MATCH"', '"maybe"')], "row 1: reference"),
        ([], "no rows"),
    ],
)
def test_bad_files_are_refused_by_row(tmp_path, rows, said):
    with pytest.raises(InputError, match=said):
        FindingPairs(written(tmp_path / "pairs.jsonl", rows)).samples()


def labels(path, yes, no=(), unread=()):
    rows = [
        {"id": pair_id(CODE, SAID[f], KNOWN[i]), "label": label}
        for label, pairs in (("MATCH", yes), ("NO_MATCH", no), (None, unread))
        for f, i in pairs
    ]
    return JudgedMatcher(written(path / "labels.jsonl", map(json.dumps, rows)))


ALL = [(f, i) for f in range(3) for i in range(2)]


def test_labels_decide_and_stay_one_to_one(tmp_path):
    rest = [pair for pair in ALL if pair not in [(0, 0), (1, 0), (2, 1)]]
    found = labels(tmp_path, [(0, 0), (1, 0), (2, 1)], rest).match(SAID, KNOWN, CODE)
    assert found.of == (0, DUPLICATE, 1)


def test_no_and_unread_labels_match_nothing(tmp_path):
    found = labels(tmp_path, [], ALL[:3], ALL[3:]).match(SAID, KNOWN, CODE)
    assert (found.of, found.missed) == ((UNMATCHED,) * 3, 2)
    assert labels(tmp_path, [], ALL).match(None, KNOWN, CODE).missed == 2


def test_a_pair_that_was_never_judged_is_lost_not_denied(tmp_path):
    with pytest.raises(SeamError, match=pair_id(CODE, SAID[2], KNOWN[1])):
        labels(tmp_path, ALL[:1], ALL[1:-1]).match(SAID, KNOWN, CODE)


@pytest.mark.parametrize(
    "rows", [['{"id": "a", "label": "maybe"}'], ['{"label": "MATCH"}'], ['{"id": "a", "label": "MATCH"}'] * 2]
)
def test_labels_are_read_strictly(tmp_path, rows):
    matcher = JudgedMatcher(written(tmp_path / "labels.jsonl", rows))
    with pytest.raises(InputError, match=r"row [12]"):
        matcher.match(SAID, KNOWN, CODE)
