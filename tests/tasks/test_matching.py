"""Matching by place: closed forms, a brute-force assignment beside it, and matchers that are wrong on purpose."""

from dataclasses import dataclass, replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tasks.reviews import artifact, every_line, finding, findings, issue, issues, span, whole_files

from madbench.tasks.content_words import GENERIC, content_words
from madbench.tasks.matching import (
    DUPLICATE,
    UNMATCHED,
    LenientMatcher,
    LocationMatcher,
    Matching,
    TextMatcher,
    assigned,
    likeness,
)
from madbench.tasks.strangers import at_home
from madbench.types import InputError, overlap
from madbench.types.reviews import covered

PLACE = LocationMatcher()
LINES = 20


def precision(matching):
    judged = matching.matched + matching.unmatched
    return matching.matched / judged if judged else None


def recall(matching):
    return 1 - matching.missed / matching.known


KNOWN = [
    pytest.param(1, [issue("i", (1, 1))], id="one line"),
    pytest.param(2, [issue("i", (2, 2))], id="two lines"),
    pytest.param(5, [issue("i", (3, 3))], id="five lines, one faulty"),
    pytest.param(5, [issue("i", (2, 4))], id="five lines, three faulty"),
    pytest.param(5, [issue("i", (1, 5))], id="five lines, all faulty"),
    pytest.param(10, [issue("i", (2, 3)), issue("j", (7, 7))], id="ten lines"),
    pytest.param(
        100, [issue("i", (2, 3), (40, 41)), issue("j", (42, 42)), issue("k", (100, 100))], id="spans"
    ),
]


@pytest.mark.parametrize(("lines", "known"), KNOWN)
def test_flagging_every_line_finds_all_at_the_base_rate(lines, known):
    """Base rate: issues among places, the lines of one issue being one place."""
    code = artifact(lines)
    found = PLACE.match(every_line(code), known, code)
    places = lines - sum(covered(each.spans) - 1 for each in known)
    assert recall(found) == 1
    assert precision(found) == len(known) / places
    assert found.duplicates == lines - places


@pytest.mark.parametrize(("lines", "known"), KNOWN[1:])
def test_one_finding_over_the_whole_file_finds_nothing(lines, known):
    code = artifact(lines)
    for last in (lines, lines + 1, 10**12):
        found = PLACE.match([finding(1, last, text="guard")], known, code)
        assert (found.of, found.missed) == ((UNMATCHED,), len(known))


def test_whole_files_find_nothing_in_several_documents():
    code = artifact(5, 30)
    known = [issue("i", (2, 2)), issue("j", (9, 9), document="b.py")]
    assert PLACE.match(whole_files(code), known, code).found == frozenset()
    found = PLACE.match(every_line(code), known, code)
    assert (recall(found), precision(found)) == (1, 2 / 35)


@pytest.mark.parametrize("matcher", [PLACE, TextMatcher(), LenientMatcher()])
def test_silence_finds_nothing_and_has_no_precision(matcher):
    found = matcher.match([], [issue("i", (1, 1), text="guard")], artifact(5))
    assert (recall(found), precision(found)) == (0, None)
    assert matcher.match([], [], artifact(5)) == Matching((), frozenset(), 0)


def test_clean_artifacts_turn_every_finding_into_a_false_alarm():
    code = artifact(5)
    assert PLACE.match(every_line(code), [], code).of == (UNMATCHED,) * 5


@pytest.mark.parametrize(
    ("lines", "place", "spans", "hit"),
    [
        (20, (8, 9), [(8, 9)], True),
        (20, (8, 8), [(3, 12)], True),  # within the issue, however long it is
        (20, (6, 10), [(8, 8)], True),  # a fifth of five lines, a quarter of the document
        (20, (6, 11), [(8, 8)], False),  # wider than both
        (19, (6, 10), [(8, 8)], False),
        (20, (1, 10), [(8, 17)], False),  # 3 of 17 lines
        (20, (1, 10), [(7, 16)], True),  # 4 of 16 lines
        (20, (8, 8), [(9, 9)], False),  # a near miss without words
        (20, (3, 3), [(3, 3), (9, 9)], True),  # either part of one issue
        (5, (2, 3), [(2, 2)], False),  # a quarter of five lines is one
        (8, (2, 3), [(2, 2)], True),
        (20, (9, 8), [(8, 9)], False),  # ends before it begins
    ],
)
def test_what_hits(lines, place, spans, hit):
    found = PLACE.match([finding(*place)], [issue("i", *spans)], artifact(lines))
    assert found.of == ((0,) if hit else (UNMATCHED,))


@pytest.mark.parametrize(
    ("lines", "away", "hit"), [(19, 1, False), (20, 1, True), (40, 2, True), (40, 3, False)]
)
def test_a_near_miss_counts_within_a_twentieth_of_the_lines_if_its_words_agree(lines, away, hit):
    known, code = [issue("i", (10, 10), text="the guard of the loop is lost")], artifact(lines)
    for line in (10 - away, 10 + away):
        assert PLACE.match([finding(line, text="loop guard")], known, code).found == frozenset(
            [0] if hit else []
        )
        assert not PLACE.match([finding(line, text="wrong offset")], known, code).found
        assert not replace(PLACE, tolerance=0).match([finding(line, text="loop guard")], known, code).found


def test_another_document_is_another_place():
    known, code = [issue("i", (3, 3), text="guard")], artifact(20, 20)
    assert PLACE.match([finding(3, document="b.py", text="guard")], known, code).of == (UNMATCHED,)
    assert PLACE.match([finding(3, document="z.py", text="guard")], known, code).of == (UNMATCHED,)


def test_a_hit_is_preferred_to_a_near_miss_and_places_to_words():
    known = [issue("i", (10, 10), text="loop guard"), issue("j", (11, 11), text="wrong offset")]
    found = PLACE.match(
        [finding(10, text="wrong offset"), finding(11, text="loop guard")], known, artifact(40)
    )
    assert found.of == (0, 1)


def test_words_decide_where_places_are_even():
    known = [issue("i", (4, 4), text="loop guard"), issue("j", (4, 4), text="wrong offset")]
    said = [finding(4, text="offset is wrong"), finding(4, text="no guard in the loop")]
    assert PLACE.match(said, known, artifact(20)).of == (1, 0)


def test_an_issue_of_several_spans_is_one_issue():
    known = [issue("i", (3, 3), (9, 9))]
    found = PLACE.match([finding(3), finding(9), finding(12)], known, artifact(20))
    assert sorted(found.of) == [DUPLICATE, UNMATCHED, 0]
    assert (found.matched, found.duplicates, found.missed) == (1, 1, 0)


def test_a_claim_split_in_three_counts_once():
    """Wherever it lies, whatever issues lie around it."""
    code = artifact(40)
    beside = [issue(id, (at, at), text="the guard is lost") for id, at in (("i", 10), ("j", 11), ("k", 12))]
    split = [finding(11, text="guard lost", id=f"A/{n}") for n in (1, 2, 3)]
    assert PLACE.match(split, beside, code).matched == 1
    assert TextMatcher().match(split, beside, code).matched == 1
    parts = [finding(10, 12, text=text) for text in ("guard lost", "Severity: high", "Evidence: line 11")]
    one = PLACE.match(parts, [issue("i", (10, 12), text="guard")], code)
    assert (one.matched, one.duplicates, one.unmatched) == (1, 2, 0)
    false = PLACE.match(
        [finding(30, text="guard", id="A/1"), finding(30, text=" Guard", id="B/1")], beside, code
    )
    assert sorted(false.of) == [DUPLICATE, UNMATCHED]


def test_fits_more_than_it_can_hold():
    """Two issues on the same line need two findings."""
    known = [issue("i", (4, 4)), issue("j", (4, 4))]
    assert PLACE.match([finding(4)], known, artifact(20)).missed == 1
    assert PLACE.match([finding(4, text="one"), finding(4, text="two")], known, artifact(20)).missed == 0


@pytest.mark.parametrize(
    "wrong", [{"tolerance": 0.051}, {"tolerance": -0.1}, {"least": 0}, {"widest": 1.5}, {"words": 0}]
)
def test_settings_out_of_bounds_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(InputError, match=f"matcher.{name}"):
        LocationMatcher(**wrong)
    with pytest.raises(InputError, match=r"matcher\.least"):
        TextMatcher(0)


@given(findings(LINES), issues(LINES), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_order_never_matters(found, known, random):
    for matcher in (PLACE, TextMatcher()):
        code = artifact(LINES)
        first = matcher.match(found, known, code)
        rows, columns = (
            random.sample(range(len(found)), len(found)),
            random.sample(range(len(known)), len(known)),
        )
        other = matcher.match([found[at] for at in rows], [known[at] for at in columns], code)
        again = {found[at].id: columns[of] if of >= 0 else of for at, of in zip(rows, other.of, strict=True)}
        assert again == {each.id: of for each, of in zip(found, first.of, strict=True)}


@given(findings(LINES), issues(LINES))
@settings(max_examples=300)
def test_every_finding_is_exactly_one_of_three(found, known):
    for matcher in (PLACE, TextMatcher(), LenientMatcher()):
        matching = matcher.match(found, known, artifact(LINES))
        assert matching.matched + matching.unmatched + matching.duplicates == len(found) == len(matching.of)
        hit = [index for index in matching.of if index >= 0]
        assert len(set(hit)) == len(hit)
        assert set(hit) <= set(matching.found) <= set(range(len(known)))
        assert isinstance(matcher, LenientMatcher) or set(hit) == matching.found


@given(findings(LINES, max_size=4), issues(LINES), findings(LINES, max_size=1))
@settings(max_examples=300)
def test_more_findings_never_find_less(found, known, more):
    for matcher in (PLACE, TextMatcher(), LenientMatcher()):
        fewer = matcher.match(found, known, artifact(LINES))
        assert fewer.found <= matcher.match([*found, *more], known, artifact(LINES)).found


@given(findings(LINES), issues(LINES))
@settings(max_examples=200)
def test_the_oracle_finds_all_that_can_be_told_apart(found, known):
    apart = [
        each
        for at, each in enumerate(known)
        if not overlap(each.spans, [s for o in known[:at] for s in o.spans])
    ]
    code = artifact(LINES)
    said = [finding(each.spans[0].first, each.spans[0].last, text=each.description) for each in apart]
    assert PLACE.match([*said, *found], apart, code).missed == 0
    assert PLACE.match(said, apart, code).of == tuple(range(len(apart)))


@given(st.lists(st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 1]), min_size=3, max_size=3), max_size=4))
@settings(max_examples=200)
def test_the_assignment_is_the_best_of_all(fits):
    """Brute force: every way to give three columns to the rows, or to nobody."""
    ways = permutations([*range(len(fits)), None, None, None], 3)
    best = max(sum(0 if row is None else fits[row][column] for column, row in enumerate(way)) for way in ways)
    pairs = assigned(fits)
    assert len(set(pairs.values())) == len(pairs)
    assert sum(fits[row][column] for row, column in pairs.items()) == pytest.approx(best)


@dataclass(frozen=True)
class Reusing:
    """Wrong on purpose: each finding takes the first issue it touches, taken or not."""

    def match(self, findings, issues, artifact):
        of = [
            next((at for at, each in enumerate(issues) if overlap([one.span], each.spans)), UNMATCHED)
            for one in findings
        ]
        return Matching(tuple(of), frozenset(at for at in of if at >= 0), len(issues))


@dataclass(frozen=True)
class Uncapped:
    """Wrong on purpose: one-to-one, but with no cap on a finding's width."""

    def match(self, findings, issues, artifact):
        pairs = assigned([[overlap([one.span], each.spans) for each in issues] for one in findings])
        of = tuple(pairs.get(at, UNMATCHED) for at in range(len(findings)))
        return Matching(of, frozenset(pairs.values()), len(issues))


def test_wrong_matchers_are_caught():
    """What the checks above ask for is what these two get wrong."""
    known, code = [issue("i", (2, 2), text="guard"), issue("j", (4, 5), text="guard")], artifact(5)
    split, whole = [finding(2, text="guard"), finding(2, text="Guard")], [finding(1, 5, text="guard")]
    assert PLACE.match(split, known, code).matched == 1
    assert Reusing().match(split, known, code).matched == 2
    assert PLACE.match(whole, known, code).found == frozenset()
    assert Uncapped().match(whole, known, code).found == frozenset({1})


def test_an_absent_review_has_found_all_for_the_lenient_matcher_alone():
    known = [issue("i", (2, 2), text="lost guard"), issue("j", (4, 5), text="wrong offset")]
    missed = {m: m.match(None, known, artifact(9)).missed for m in (PLACE, TextMatcher(), LenientMatcher())}
    assert list(missed.values()) == [2, 2, 0]
    assert LenientMatcher(absent_finds_all=False).match(None, known, artifact(9)).missed == 2


def test_one_shared_word_anywhere_finds_every_issue_leniently():
    known = [issue("i", (2, 2), text="lost guard"), issue("j", (4, 5), text="guard of wrong kind")]
    found = LenientMatcher().match(
        [finding(9, text="The guard?"), finding(9, text="It is the one")], known, artifact(9)
    )
    assert (found.of, found.missed) == ((0, UNMATCHED), 0)


def test_words_tell_identifiers_apart_from_prose():
    known = issue("i", (1, 1), text="max_size_kb is ignored by the client", kind="wrong")
    assert likeness(finding(1, text="the client ignores maxSizeKB"), known) > 0.7
    assert likeness(finding(1, text="the of and is"), known) == 0
    assert likeness(finding(1, text=known.description, kind="wrong"), known) == pytest.approx(1)
    for empty in ("something is wrong in this line", "the client", "an issue with the client of a.py"):
        assert likeness(finding(1, text=empty), known) == 0
    for one, other in (("ignores the properties", "ignoring a property"), ("caches issues", "cached issue")):
        assert content_words(one) - GENERIC == content_words(other) - GENERIC


def test_strangers_move_in_at_like_places():
    theirs, ours = artifact(100, 10, names=("x.py", "y.py")), artifact(10)
    known = [issue("i", (50, 52), document="x.py", text="guard"), issue("j", (10, 10), document="y.py")]
    moved = at_home(known, theirs, ours)
    assert [each.spans for each in moved] == [(span(5, 7),), (span(10, 10),)]
    assert [(each.id, each.description) for each in moved] == [("i", "guard"), ("j", "")]
    (all_of_it,) = at_home([issue("k", (1, 100), document="x.py")], theirs, ours)
    assert all_of_it.spans == (span(1, 10),)
    with pytest.raises(ValueError, match="without documents"):
        at_home(known, theirs, artifact())


@given(
    st.lists(st.builds(span, st.integers(1, 9), st.integers(1, 9), st.sampled_from("ab")), max_size=4),
    st.data(),
)
def test_lines_are_counted_as_sets_of_lines(ours, data):
    theirs = data.draw(
        st.lists(st.builds(span, st.integers(1, 9), st.integers(1, 9), st.sampled_from("ab")), max_size=4)
    )
    left, right = (
        {(s.document, line) for s in spans for line in range(s.first, s.last + 1)} for spans in (ours, theirs)
    )
    assert covered(ours) == len(left)
    assert overlap(ours, theirs) == (len(left & right) / len(left | right) if left | right else 0)


def test_a_span_without_end_costs_nothing():
    assert overlap([span(1, 10**15)], [span(1, 1)]) == 1e-15
