"""What debaters, judge and those between them say."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

from pydantic import PrivateAttr

from madbench.protocols.answering import Answering, place_of
from madbench.protocols.replies import Form, Passage, Short
from madbench.types import Extraction, ParseStatus, Problem


class Speech(Form):
    """What a debater says. Its thoughts are for the record alone."""

    thoughts: Short
    argument: Passage


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
