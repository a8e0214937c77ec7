"""Reviews read out of what models write: JSON in every dress, prose, nonsense; and several put together."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tasks.reviews import artifact, finding, findings

from madbench.tasks.answers import FindingsReader, strict
from madbench.tasks.answers.finding_rows import FARTHEST
from madbench.types import (
    Artifact,
    Document,
    Finding,
    FindingReader,
    ParseStatus,
    Span,
    canonical_findings,
    findings_of,
)

ONE = Artifact((Document("src/app.py", "\n".join(f"x{n} = {n}" for n in range(40))),))
THREE = artifact(10, 20, 30)
READER = FindingsReader(ONE)


def read(text, reader=READER, **options):
    """The findings in a reply; None where none were read."""
    answer = reader.read(text, **options).answer
    return None if answer is None else findings_of(answer)


def review(*rows):
    return json.dumps({"findings": list(rows)})


def places(text, reader=READER):
    return [(f.span.document, f.span.first, f.span.last) for f in read(text, reader)]


def test_it_is_a_reader_of_findings():
    assert isinstance(READER, FindingReader)
    assert hash(READER) == hash(FindingsReader(ONE))


@pytest.mark.parametrize(
    "text",
    [
        review({"line_start": 3, "line_end": 4, "text": "off by one", "severity": "high", "confidence": 90}),
        'Sure!\n```json\n{"findings": [{"line_start": 3, "line_end": 4, "text": "off by one",\n'
        '"severity": "High", "confidence": "90%"}]}\n```\nAnything else?',
        review({"lines": "3-4", "message": "off by one", "severity": "CRITICAL", "confidence": 0.9, "extra": None}),
        review({"lines": [3, 4], "text": "off  by\none", "severity": "high", "confidence": "90"}),
        review({"location": "app.py:3-4", "comment": "off by one", "priority": "high", "confidence": "0.9"}),
        review({"file": "./src/app.py", "start_line": "4", "end_line": "L3", "text": "off by one", "level": "major",
                "confidence": 90}),
        review({"file": "src/app.py:3-4", "text": "off by one", "severity": "high", "confidence": 90}),
        '[{"line": "3-4", "text": "off by one", "severity": "high", "confidence": 90}]',
        '{"issues": [{"line_start": 3, "line_end": 4, "text": "off by one", "severity": "high", "confidence": 90}]}',
        "<think>Line 9: no</think>" + review({"line_start": 3, "line_end": 4, "text": "off by one",
                                              "severity": "high", "confidence": 90}),
    ],
)  # fmt: skip
def test_json_in_every_dress(text):
    found = READER.read(text)
    assert findings_of(found.answer) == (
        Finding(
            span=Span(document="src/app.py", first=3, last=4),
            text="off by one",
            severity="high",
            confidence=0.9,
        ),
    )
    assert (found.status, found.rule) == (ParseStatus.OK, "json")
    assert found.strict == found.answer


@pytest.mark.parametrize(
    ("said", "meant"),
    [(90, 0.9), (1, 0.01), (1.0, 1.0), (0.35, 0.35), (55.5, 0.555), ("high", None), (101, None), (-1, None),
     (True, None), (None, None), ([], None), (10**400, None), (float("1e300"), None)],
)  # fmt: skip
def test_confidence_is_a_number_or_nothing(said, meant):
    (found,) = read(review({"line": 3, "text": "t", "confidence": said}))
    assert found.confidence == (None if meant is None else pytest.approx(meant))


@pytest.mark.parametrize(
    "text", ['{"findings": []}', "[]", "```json\n[]\n```", "No issues found.", "I found no bugs."]
)
def test_an_empty_review_is_an_answer(text):
    assert READER.read(text).answer == "[]"


@pytest.mark.parametrize(
    "text",
    ["", "null", "The code looks nice.", "{}", '{"findings": null}', "x = []", "Severity: High", '{"answer": "B"}',
     "Evidence References: src/app.py lines 1-49", "**Severity**: High\n- Evidence References: app.py:3"],
)  # fmt: skip
def test_what_is_no_review_is_no_answer(text):
    found = READER.read(text)
    assert (found.answer, found.status) == (None, ParseStatus.MISSING)


def test_lines_of_prose():
    text = """# Review of src/app.py:
1. **Line 12**: the guard is missing
   - Severity: High
   - Confidence: 80
   - Evidence References: src/app.py:12, src/app.py:14
2. `src/app.py:3-4`: [low] misleading name
- Lines 7 to 9 - swapped arguments
* app.py, line 20: high: never closed
### Severity: Medium
Overall this is fine. Line 5 is fine too."""
    found = {(f.span.first, f.span.last): f for f in read(text)}
    assert list(found) == [(3, 4), (7, 9), (12, 12), (20, 20)]
    assert found[12, 12] == finding(
        12, text="the guard is missing", document="src/app.py", severity="high", confidence=0.8,
        references=("src/app.py:12", "src/app.py:14"),
    )  # fmt: skip
    assert (found[3, 4].severity, found[3, 4].text) == ("low", "misleading name")
    assert found[20, 20].severity == "medium"
    assert READER.read(text).strict is None


def test_steps_are_lines_of_traces_alone():
    trace = FindingsReader(Artifact((Document("steps", "a\nb\nc\nd"),)))
    for text in (
        "Step 3: nine is not ten",
        review({"step": 3, "text": "nine is not ten"}),
        review({"steps": "3", "text": "t"}),
    ):
        assert places(text, trace) == [("steps", 3, 3)]
    thoughts = '{"steps": [{"step": 1, "text": "read it"}]} and [{"step": 2, "text": "read it again"}]'
    assert READER.read("Step 1: I read the code.\nStep 2 - I look for bugs.").answer is None
    assert places(thoughts) == [("src/app.py", 1, 40)]


def test_lists_that_are_no_json_are_read_row_by_row():
    broken = '{"findings": [{"line": 3, "text": "a"}, {"line": 5, "text": "b"},]}'
    assert places(broken) == [("src/app.py", 3, 3), ("src/app.py", 5, 5)]
    assert READER.read(broken).rule == "fallback_rows"


def test_texts_in_a_list_are_findings():
    found = read(review("app.py:3: a", "all of it is slow"))
    assert [(f.span.first, f.span.last, f.text) for f in found] == [(1, 40, "all of it is slow"), (3, 3, "a")]


def test_the_last_review_counts():
    found = READER.read(review({"line": 3, "text": "a"}) + " No, rather: " + review({"line": 4, "text": "b"}))
    assert found.status is ParseStatus.AMBIGUOUS
    assert [f.span.first for f in findings_of(found.answer)] == [4]


@pytest.mark.parametrize(
    "text",
    ['{"findings": [{"line": 3, "text": "a"}, {"line": 5, "te', "Line 3: off by", "<think>Line 3: wrong",
     review({"line": 3, "text": "a"}) + ' Wait: {"findings": [{"line"'],
)  # fmt: skip
def test_a_review_that_was_cut_is_none(text):
    found = READER.read(text, cut=True)
    assert (found.answer, found.status) == (None, ParseStatus.TRUNCATED)


def test_a_whole_review_counts_though_what_follows_was_cut():
    assert len(read(review({"line": 3, "text": "a"}) + " I hope that", cut=True)) == 1


def test_lines_that_do_not_exist_are_kept():
    (found,) = read(review({"line_start": 99, "line_end": 101, "text": "t"}))
    assert (found.span.first, found.span.last) == (99, 101)
    assert not ONE.resolves(found.span)
    (far,) = read(review({"line": 10**15, "text": "t"}))
    assert far.span.last == FARTHEST


def test_a_finding_without_lines_is_about_the_whole():
    assert (
        places(review({"text": "t"}, {"line": 0, "text": "u"}, {"line": -3, "text": "v"}))
        == [("src/app.py", 1, 40)] * 3
    )


def test_documents_are_known_by_the_end_of_their_path():
    reader = FindingsReader(
        Artifact((Document("a/x.py", "1"), Document("b/x.py", "1"), Document("b/Y.py", "1")))
    )
    rows = [{"document": name, "line": 1, "text": "t"} for name in ("y.py", "x.py", "b/x.py", "z.py", "")]
    assert sorted(place[0] for place in places(review(*rows[:4]), reader)) == [
        "b/Y.py",
        "b/x.py",
        "x.py",
        "z.py",
    ]
    assert places(review(rows[4]), reader)[0][0] == ""


def test_said_twice_is_said_once_and_the_cap_binds():
    rows = [{"line": line, "text": "t"} for line in (9, 9, 8, 7, 6, 5)]
    found = READER.read(review(*rows))
    assert [f.span.first for f in findings_of(found.answer)] == [6, 7, 8, 9]
    assert found.rule == "json_capped"


@pytest.mark.parametrize("reader", [READER, FindingsReader(THREE, cap=2, longest=30, evidence=2)])
def test_forms_are_bounded(reader):
    def check(schema):
        match schema["type"]:
            case "string":
                assert "enum" in schema or schema["maxLength"] <= 40 or schema["maxLength"] == reader.longest
            case "array":
                assert schema["maxItems"] <= reader.cap or reader.evidence
                check(schema["items"])
            case "object":
                assert schema["required"] == list(schema["properties"])
                assert schema["additionalProperties"] is False
                for part in schema["properties"].values():
                    check(part)
            case "integer":
                assert schema["maximum"] <= 100
            case _:
                raise AssertionError(schema)

    check(reader.reply_schema())
    assert reader.reply_schema()["properties"]["findings"] == reader.schema()


@pytest.mark.parametrize("reader", [READER, FindingsReader(THREE, evidence=1), FindingsReader(ONE, cap=1)])
def test_what_it_asks_for_is_what_it_reads(reader):
    form = reader.instruction.split("JSON alone: ")[1].split(", at most")[0]
    filled = form.replace("<number>", "3").replace("<0 to 100>", "70").replace("<name>", "b.py")
    (found,) = read(filled, reader)
    assert (found.span.first, found.span.last, found.confidence) == (3, 3, 0.7)
    assert set(json.loads(filled)["findings"][0]) == set(reader.schema()["items"]["properties"])
    assert reader.read(reader.instruction.split("wrong, reply ")[1]).answer == "[]"
    assert reader.read(form).answer is None


@given(st.text() | st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: (
    st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["findings", "line", "lines", "line_start", "line_end", "text", "document",
                                       "severity", "confidence", "references", "kind", "location"]), inner, max_size=6)
)).map(json.dumps), st.booleans())  # fmt: skip
def test_reading_never_raises(text, cut):
    for reader in (READER, FindingsReader(THREE), FindingsReader(Artifact(()))):
        found = reader.read(text, cut=cut)
        assert found.answer is None or canonical_findings(findings_of(found.answer)) == found.answer
        assert found.answer is None or reader.canonical(found.answer) == found.answer
        assert found.answer is None or len(findings_of(found.answer)) <= reader.cap
        reader.canonical(text)


@given(st.text(alphabet='{}[]":,\\ud8linetx0123456789 \n-', max_size=200))
def test_broken_json_never_raises(text):
    READER.read(text)


def test_deep_and_long_texts_are_read_in_time():
    for text in (
        "[" * 50_000,
        '{"a":' * 20_000,
        '[{"line":' * 20_000,
        "Line 1" * 20_000,
        "- " * 50_000,
        "a/" * 50_000,
    ):
        assert READER.read(text).answer is None


def test_strictly_only_json_counts():
    only = strict(READER)
    assert only.read("Line 3: off by one").answer is None
    assert only.read('{"line": 3, "text": "t"}').answer is None
    assert (
        only.read(review({"line": 3, "text": "t"})).answer
        == READER.read(review({"line": 3, "text": "t"})).answer
    )


@given(findings(40))
def test_canonical_answers_stay_as_they_are(found):
    answer = canonical_findings(found)
    assert READER.canonical(answer) == answer


def merged(*reviews, quorum):
    answer = READER.merge(tuple(None if r is None else canonical_findings(r) for r in reviews), quorum=quorum)
    return None if answer is None else [(f.span.first, f.span.last, f.text) for f in findings_of(answer)]


def test_reviews_are_merged_by_place():
    first = [finding(3, 5, "guard"), finding(20, text="typo")]
    second = [finding(4, 5, "no guard"), finding(30, text="slow")]
    third = [finding(4, 6, "missing guard"), finding(30, 31, "slow loop")]
    assert merged(first, second, third, quorum=1.0) == [(4, 5, "no guard")]
    assert merged(first, second, third, quorum=0.5) == [(4, 5, "no guard"), (30, 30, "slow")]
    assert merged(first, second, third, quorum=0.0) == [
        (4, 5, "no guard"),
        (20, 20, "typo"),
        (30, 30, "slow"),
    ]


def test_a_reviewer_has_one_vote_however_often_it_speaks():
    assert merged([finding(3, text="a"), finding(3, text="b")], [], quorum=1.0) == []


def test_absent_reviews_have_no_vote():
    assert merged([finding(3, text="a")], None, quorum=1.0) == [(3, 3, "a")]
    assert merged(None, None, quorum=0.5) is None
    assert merged([], None, quorum=0.5) == []


def test_places_do_not_chain():
    """5-9 overlaps both, and the two do not overlap: they stay two."""
    found = merged([finding(3, 6, "a")], [finding(5, 9, "b")], [finding(8, 11, "c")], quorum=0.0)
    assert len(found) == 2


@given(st.lists(findings(40, max_size=3), min_size=1, max_size=4), st.sampled_from([0.0, 0.34, 0.5, 1.0]))
def test_merging_is_determined_and_says_nothing_new(reviews, quorum):
    once = merged(*reviews, quorum=quorum)
    assert once == merged(*reviews, quorum=quorum)
    said = {(f.span.first, f.span.last, f.text) for review in reviews for f in review}
    assert set(once) <= said
    assert len(once) <= len(merged(*reviews, quorum=0.0))


@given(findings(40))
def test_a_review_alone_is_its_own_merger(found):
    different = list({(f.span, f.text): f for f in found}.values())
    assert merged(different, quorum=1.0) == sorted((f.span.first, f.span.last, f.text) for f in different)
