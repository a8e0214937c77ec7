"""Samples, and the answers that readers find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from madbench.types.endings import ParseStatus


@dataclass(frozen=True, slots=True)
class Extraction:
    """An answer found in a text.

    `answer` is canonical (None where none was found), `rule` names the rule that fired; rules whose name
    starts with `fallback` guess from unmarked text and do not count as strict. `span` is the answer's
    place in the text, in characters.
    """

    answer: str | None
    status: ParseStatus
    rule: str
    span: tuple[int, int] | None = None

    @property
    def strict(self) -> str | None:
        return None if self.rule.startswith("fallback") else self.answer


class AnswerReader(Protocol):
    """How answers of one task are asked for, found in text and put in canonical form. Hashable, frozen."""

    @property
    def instruction(self) -> str:
        """The sentence that tells a model how to give its answer."""

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        """Find the answer in a reply; `cut` says that the token limit ended it."""

    def canonical(self, answer: str) -> str | None:
        """The one spelling of a bare answer; None if it is none of this task's answers."""

    def schema(self) -> dict[str, JsonValue]:
        """The JSON schema of a bare answer given as a form field (always bounded)."""


@runtime_checkable
class PassageReader(AnswerReader, Protocol):
    """A reader of answers that only a passage tells, which is no part of the question: who may see it is a protocol's
    business. Two answers are put forward.
    """

    @property
    def stem(self) -> str:
        """The question without its options."""

    @property
    def options(self) -> tuple[str, ...]: ...

    @property
    def passage(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Shot:
    """A worked example: what is asked (instruction included) and a full reply in the wanted form."""

    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class Problem:
    """The half of a sample that agents may be told.

    Samples of one `cluster` (twins, paraphrases, rows from one source) are not independent.
    """

    id: str
    cluster: str
    question: str
    reader: AnswerReader
    shots: tuple[Shot, ...] = ()

    @property
    def prompt(self) -> str:
        """The question and how to answer it, as every solver first sees it."""
        return f"{self.question}\n{self.reader.instruction}"


@dataclass(frozen=True, slots=True)
class Target:
    """The half that only the scorer may know; `facts` are what a task's own metrics need (a hint, say)."""

    answer: str
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    problem: Problem
    target: Target
