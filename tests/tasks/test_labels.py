"""Labels of judges, read by whole tokens; beside it, how the field tests read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.tasks.answers import strict
from madbench.tasks.answers.labels import MATCH, NO_MATCH, LabelReader, legacy_label
from madbench.types import ParseStatus

READER = LabelReader()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("MATCH", MATCH),
        ("MATCH.", MATCH),
        ('"MATCH"', MATCH),
        ("**MATCH**", MATCH),
        ("Answer: MATCH", MATCH),
        ("Answer: match", MATCH),
        ("{final answer: MATCH}", MATCH),
        ("The lines do not overlap much. Answer: MATCH", MATCH),
        ("No, wait: MATCH", MATCH),
        ("NO_MATCH", NO_MATCH),
        ("`NO_MATCH`", NO_MATCH),
        ("NO MATCH", NO_MATCH),
        ("Answer: no match", NO_MATCH),
        ("**Answer:** NO-MATCH.", NO_MATCH),
        ("not a MATCH", NO_MATCH),
        ("It isn't a MATCH.", NO_MATCH),
        ("Both speak of line 3, which would be a MATCH.\nAnswer: NO_MATCH", NO_MATCH),
        ("They match in place, but NO_MATCH", NO_MATCH),
        ("", None),
        ("They match.", None),
        ("REMATCH", None),
        ("MATCHES", None),
        ("MISMATCH", None),
        ("NON_MATCH", None),
        ("MATCH or NO_MATCH?", None),
        ("Answer: MATCH or NO_MATCH", None),
        ("I cannot tell.", None),
    ],
)
def test_labels_are_whole_tokens(text, label):
    found = READER.read(text)
    assert found.answer == label
    assert (found.status is ParseStatus.MISSING) == (label is None)
    assert found.span is None or 0 <= found.span[0] < found.span[1] <= len(text)


@pytest.mark.parametrize(
    "text", ["NO_MATCH", "not a MATCH", "Answer: NO_MATCH", "REMATCH", "MATCH or NO_MATCH?"]
)
def test_the_field_tests_could_not_say_no(text):
    """Substring order: every NO_MATCH was a MATCH, which is how none was ever published."""
    assert legacy_label(text) == MATCH
    assert READER.read(text).answer != MATCH


def test_a_control_that_cannot_fail_is_none():
    """Strangers' issues, each refused by the judge: read as the field tests did, all of them match."""
    replies = ["NO_MATCH", "NO_MATCH.", "Answer: NO_MATCH", "not a MATCH"]
    assert [legacy_label(reply) for reply in replies] == [MATCH] * 4
    assert [READER.read(reply).answer for reply in replies] == [NO_MATCH] * 4


def test_labels_that_differ_are_ambiguous_and_cut_ones_none():
    assert READER.read("MATCH at first sight. On reflection: NO_MATCH").status is ParseStatus.AMBIGUOUS
    assert READER.read("Answer: NO_MATCH", cut=True).answer is None
    assert READER.read("MATCH", cut=True).answer is None


def test_strict_counts_marked_labels_and_bare_replies():
    reader = strict(READER)
    assert [reader.read(text).answer for text in ("NO_MATCH", "Answer: MATCH", "Well, MATCH")] == [
        NO_MATCH,
        MATCH,
        None,
    ]


@given(st.sampled_from((MATCH, NO_MATCH)), st.text(alphabet="abc .,\n", max_size=30))
def test_a_marked_label_is_read_whatever_stands_before(label, before):
    assert READER.read(f"{before}\nAnswer: {label}").answer == label
    assert READER.canonical(label) == READER.canonical(label.lower()) == label
    assert label in READER.schema()["enum"]
