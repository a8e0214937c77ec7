"""What debaters, judge and those between them say."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import PrivateAttr, StringConstraints, create_model

from madbench.protocols.answering import Answering, place_of
from madbench.protocols.replies import Form, Passage, Short
from madbench.types import Extraction, ParseStatus, Problem

LETTERS = 12
"""Of a long word, its space included."""


class Speech(Form):
    """What a debater says. Its thoughts are for the record alone."""

    thoughts: Short
    argument: Passage


@lru_cache
def speech_of(words: int) -> type[Speech]:
    """A speech with room for half as many words again as asked for: whatever is longer than that is cut later on,
    and must not be refused as a form.
    """
    room = StringConstraints(strip_whitespace=True, min_length=1, max_length=words * 3 // 2 * LETTERS)
    return create_model("Speech", __base__=Speech, argument=(Annotated[str, room], ...))


class Asked(Form):
    """An examiner's question."""

    question: Short


class Critique(Form):
    """What would make a speech better."""

    critique: Short


class Verdict(Answering):
    """A judge's, in the letters of the question's own order."""

    reasons: Short


class SwappedVerdict(Verdict):
    """A verdict on swapped options: its letter counts as the question's other one."""

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        said = super().read(text, problem, cut=cut)
        letters = dict(zip("AB", "BA", strict=True))
        return said.finding(replace(said.found, answer=letters.get(said.found.answer or "")))


class Helpful(Form):
    """Whether a critique helps; how probable the word was is how much."""

    answer: Literal["yes", "no"]
    _found: Extraction = PrivateAttr(Extraction(None, ParseStatus.MISSING, "form"))

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        said = super().read(text, problem, cut=cut)
        return said.finding(Extraction(said.answer, ParseStatus.OK, "form", place_of(text, said.answer)))

    def finding(self, found: Extraction) -> Self:
        self._found = found
        return self

    def extraction(self) -> Extraction:
        return self._found
