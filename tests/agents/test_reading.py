"""Reading completions: statuses, and the probability of the answer's own tokens."""

import math

import pytest
from stage import SUM

from madbench.agents.reading import probability, read
from madbench.protocols.replies import Line, Statement
from madbench.protocols.self_refine import Feedback
from madbench.types import Completion, Extraction, ParseStatus, Reply


def reading(text, *, says=Statement, finish="stop", repaired=False, pieces=()):
    return read(says, Completion(text, finish, 1, 1, pieces), SUM, repaired=repaired)


@pytest.mark.parametrize(
    ("text", "finish", "repaired", "status", "answer"),
    [
        ("Answer: 9", "stop", False, "ok", "9"),
        ("Answer: 9", "stop", True, "repaired", "9"),
        ("Well.", "stop", False, "missing", None),
        ("Well.", "length", False, "truncated", None),
        ("Well.", "stop", True, "missing", None),
    ],
)
def test_how_a_statement_was_read(text, finish, repaired, status, answer):
    result = reading(text, finish=finish, repaired=repaired)
    assert (result.reading.status, result.reading.answer) == (status, answer)
    assert result.reading.reply == {"text": text}
    missing = "no answer found" + (", cut short" if finish == "length" else "")
    assert result.reading.note == ("" if answer else missing)
    assert result.complete is (answer is not None)


class Word(Reply):
    word: Line

    @classmethod
    def read(cls, text, problem, *, cut):
        return cls(word=text)


def test_a_reply_that_breaks_its_own_bounds_is_unread_and_says_so_in_one_line():
    """A repair repeats it to the model: no reply, no address of a manual, no version of a package."""
    result = reading("x" * 5000, says=Word)
    assert (result.said, result.reading.status) == (None, "missing")
    assert result.reading.note == "word: String should have at most 80 characters"


def test_a_form_that_cannot_be_read_is_a_reading_too():
    cut = reading('{"advice": "Loo', says=Feedback, finish="length")
    whole = reading("Fine.", says=Feedback)
    assert cut.said is None
    assert whole.said is None
    assert (cut.reading.status, whole.reading.status) == (ParseStatus.TRUNCATED, ParseStatus.MISSING)
    assert "cut short" in cut.reading.note


def found(start, end):
    return Extraction("9", ParseStatus.OK, "mark", (start, end))


PIECES = (("Ans", -0.5), ("wer: ", -0.25), ("1", -1.0), ("2.", -2.0), ("\n", -4.0))


@pytest.mark.parametrize(
    ("span", "total"),
    [((8, 10), -3.0), ((8, 9), -1.0), ((9, 10), -2.0), ((0, 3), -0.5), ((7, 9), -1.25)],
)
def test_the_probability_is_that_of_the_tokens_that_spell_the_answer(span, total):
    completion = Completion("Answer: 12.\n", "stop", 1, 5, PIECES)
    assert probability(completion, found(*span)) == pytest.approx(math.exp(total))


def test_an_unknown_probability_is_none():
    bare = Completion("Answer: 12.", "stop", 1, 5)
    known = Completion("Answer: 12.", "stop", 1, 5, PIECES)
    assert probability(bare, found(8, 10)) is None
    assert probability(known, None) is None
    assert probability(known, Extraction("9", ParseStatus.OK, "mark")) is None
    assert probability(known, found(40, 42)) is None  # beyond what was spelled out


def test_rounding_never_makes_a_probability_more_than_one():
    completion = Completion("9", "stop", 1, 1, (("9", 1e-9),))
    assert probability(completion, found(0, 1)) == 1.0
