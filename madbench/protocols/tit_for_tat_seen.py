"""What the sides, the moderator and the judge of a tit for tat are shown, and the forms of the latter two's replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import JsonValue

from madbench.protocols.answering import Answering
from madbench.protocols.replies import Short, Statement
from madbench.types import Observation, Problem


class Debater(Observation):
    """Who both sides are."""


class Moderator(Observation):
    """Who the moderator is."""


class Opening(Observation):
    """The question, put to the affirmative side."""

    prompt: str


class Opposing(Observation):
    """The question and the affirmative side's answer, put to the negative side. `level`: how often to agree, 0 to
    10; None to disagree.
    """

    prompt: str
    other: str
    level: int | None


class Rejoinder(Observation):
    """The other side's last words, put to a side that remembers all before them."""

    other: str
    instruction: str
    level: int | None


class Arguments(Observation):
    """Both sides' words of one round, put to a moderator who remembers the rounds before."""

    question: str
    round: int
    affirmative: str
    negative: str
    answer: dict[str, JsonValue]

    @classmethod
    def of(cls, problem: Problem, pro: Sequence[Statement], con: Sequence[Statement]) -> Self:
        return cls(
            question=problem.question,
            round=len(pro),
            affirmative=pro[-1].text,
            negative=con[-1].text,
            answer=problem.reader.schema(),
        )


class Case(Observation):
    """What a judge who was not there is shown of both sides, each in the order of its words."""

    question: str
    affirmative: tuple[str, ...]
    negative: tuple[str, ...]
    answer: dict[str, JsonValue]

    @classmethod
    def of(cls, problem: Problem, pro: Sequence[Statement], con: Sequence[Statement]) -> Self:
        return cls(
            question=problem.question,
            affirmative=tuple(said.text for said in pro),
            negative=tuple(said.text for said in con),
            answer=problem.reader.schema(),
        )


class Decision(Answering):
    """A moderator's: whether there is an answer to settle on, and the one it would be now."""

    reasons: Short
    settled: bool

    @property
    def final(self) -> str | None:
        return self.found.answer if self.settled else None


class Ruling(Answering):
    """A judge's."""

    candidates: Short
    reasons: Short
