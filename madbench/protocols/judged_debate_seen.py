"""What debaters, judge and those between them are shown, and the forms of their replies."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self

from pydantic import PrivateAttr

from madbench.protocols.answering import Answering, place_of
from madbench.protocols.replies import Form, Passage, Short
from madbench.types import Extraction, Observation, ParseStatus, Problem, Strict


class Heard(Strict):
    """One speech (or an examiner's question) as it stands in the transcript."""

    answer: str
    round: int
    text: str
    question: str = ""


class Floor(Observation):
    """A debater's turn: the passage, its own answer, the other one, and the transcript so far."""

    passage: str
    question: str
    mine: str
    other: str
    alone: bool
    transcript: tuple[Heard, ...]
    asked: str
    words: int


class Retold(Observation):
    """A debater's own speech with a critique of it, to be given again."""

    speech: str
    critique: str
    words: int


class Judged(Observation):
    """All that a verdict rests on; the options are lettered in the order given. `passage` is for experts alone."""

    question: str
    options: tuple[str, ...]
    transcript: tuple[Heard, ...]
    passage: str


class Examined(Observation):
    """What an examiner knows when it puts a question to one side."""

    question: str
    answer: str
    transcript: tuple[Heard, ...]


class Draft(Observation):
    """A speech and what it argues for, for whoever rates or criticises it."""

    question: str
    options: tuple[str, ...]
    answer: str
    speech: str


class Rated(Observation):
    """A critique of a speech, to be found helpful or not."""

    speech: str
    critique: str


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
