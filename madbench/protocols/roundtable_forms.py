"""What the personas of a round table say. Moves, votes and confidence are fields; none is guessed from prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from pydantic import Field, StringConstraints, field_validator

from madbench.protocols.answering import Answering
from madbench.protocols.replies import Form, Short

Name = Literal["generalist", "statistician", "storyteller", "detective", "contrarian", "skeptic"]
PERSONAS: tuple[Name, ...] = get_args(Name)
ADVERSARIES: frozenset[str] = frozenset({"contrarian", "skeptic"})
"""Those who are there to object."""
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)]
PASS = "PASS"


class Contribution(Answering):
    """Something new for the table, to one persona or to all; or a pass. `answer` is where the speaker stands now."""

    text: Remark
    move: Literal["add", "support", "object", "pass"]
    to: Name | Literal["everyone"]

    @property
    def words(self) -> str:
        return PASS if self.move == "pass" else self.text


class Proposal(Answering):
    """What the table is asked to sign."""

    insight: Short
    evidence: Annotated[tuple[Short, ...], Field(max_length=4)]
    confidence: Literal["low", "medium", "high"]

    @field_validator("evidence", mode="before")
    @classmethod
    def _one_piece_is_a_list_too(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


class Vote(Form):
    """A vote, by name, after a word on what became of the voter's own concerns."""

    agent: Name
    concerns: Literal["none", "answered", "unanswered"]
    reason: Short
    vote: Literal["agree", "disagree"]

    @property
    def agrees(self) -> bool:
        return self.vote == "agree"


@dataclass(frozen=True, slots=True)
class Forms:
    """One way to speak."""

    contribution: type[Contribution]
    proposal: type[Proposal]
    vote: type[Vote]


FULL = Forms(Contribution, Proposal, Vote)
