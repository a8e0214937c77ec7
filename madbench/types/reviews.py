"""Reviews: artifacts, the issues known in them, and the findings that reviewers report.

A reviewer's answer is its findings, in canonical JSON, so that every protocol that can hold an answer can
review; `findings_of` and `canonical_findings` are the way there and back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeGuard, runtime_checkable

from pydantic import Field, JsonValue, TypeAdapter

from madbench.types.models import Strict
from madbench.types.samples import AnswerReader
from madbench.types.transcript import Answers

Severity = Literal["low", "medium", "high"]


class Span(Strict):
    """Lines of one document, 1-based, both ends included. An end beyond the document is kept as it was given."""

    document: str
    first: int = Field(ge=1)
    last: int = Field(ge=1)

    @property
    def size(self) -> int:
        """How many lines it spans; none if it ends before it begins."""
        return max(self.last - self.first + 1, 0)


class Issue(Strict):
    """A known fault: one fault, however many line ranges it touches."""

    id: str
    spans: tuple[Span, ...]
    kind: str = ""
    description: str = ""


class Finding(Strict):
    """What a reviewer reports. `id` is unique in its episode (`A/1`), empty until a protocol gives it one."""

    span: Span
    text: str
    severity: Severity = "medium"
    kind: str = ""
    references: tuple[str, ...] = ()
    """Evidence, as `document:line` or `document:first-last`."""
    confidence: float | None = Field(default=None, ge=0, le=1)
    id: str = ""


FINDINGS = TypeAdapter(tuple[Finding, ...])


def findings_of(answer: str | None) -> tuple[Finding, ...]:
    """The findings in a canonical answer; no answer holds none. Raises ValueError on any other text."""
    return () if answer is None else FINDINGS.validate_json(answer)


def canonical_findings(findings: Iterable[Finding]) -> str:
    """The one spelling of these findings: by place, then text, then id; defaults left out."""
    ordered = sorted(findings, key=lambda f: (f.span.document, f.span.first, f.span.last, f.text, f.id))
    rows = [finding.model_dump(mode="json", exclude_defaults=True) for finding in ordered]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def overlap(ours: Iterable[Span], theirs: Iterable[Span]) -> float:
    """Intersection over union of two sets of lines, 0 to 1."""
    left, right = tuple(ours), tuple(theirs)
    either = covered((*left, *right))
    return (covered(left) + covered(right) - either) / either if either else 0.0


def covered(spans: Iterable[Span]) -> int:
    """How many lines the spans hold, each once, however far a span may claim to reach."""
    total, document, reached = 0, "", 0
    for span in sorted(spans, key=lambda span: (span.document, span.first)):
        if span.document != document:
            document, reached = span.document, 0
        total += max(span.last - max(span.first - 1, reached), 0)
        reached = max(reached, span.last)
    return total


UNSHOWN = "⋯"
"""Stands for a line that its source does not show, as a diff shows none between its hunks."""


@dataclass(frozen=True, slots=True)
class Document:
    """A named file or text of an artifact."""

    name: str
    text: str

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self.text.splitlines())

    @property
    def numbered(self) -> str:
        """The text with a number before every line, as reviewers see it; unshown lines in a row are one row."""
        gap = f"{UNSHOWN:>4}"
        rows = [gap if line == UNSHOWN else f"{n:>4} | {line}" for n, line in enumerate(self.lines, 1)]
        return "\n".join(
            row for row, before in zip(rows, ["", *rows], strict=False) if (row, before) != (gap, gap)
        )


@dataclass(frozen=True, slots=True)
class Artifact:
    """What is reviewed: documents, what they are meant to do, and what was cleaned away at loading."""

    documents: tuple[Document, ...]
    purpose: str = ""
    notes: tuple[str, ...] = ()

    def resolves(self, span: Span) -> bool:
        """Whether all lines of a span exist."""
        named = [document for document in self.documents if document.name == span.document]
        return bool(named) and span.first <= span.last <= len(named[0].lines)


@runtime_checkable
class FindingReader(AnswerReader, Protocol):
    """A reader whose answers are findings: they are put together by place, not counted as equal texts."""

    @property
    def artifact(self) -> Artifact: ...

    def reply_schema(self) -> dict[str, JsonValue]:
        """The JSON schema of a whole review, for replies held by a grammar."""

    def merge(self, answers: Answers, *, quorum: float) -> str | None:
        """The findings that at least a share `quorum` of the given answers have in common; None if none was given."""


_KNOWN: dict[type, bool] = {}


def reads_findings(reader: AnswerReader) -> TypeGuard[FindingReader]:
    """Whether a reader's answers are findings. Asked once of each class: `isinstance` looks all members of a protocol
    up anew, which takes longer than measuring the answer.
    """
    kind = type(reader)
    if kind not in _KNOWN:
        _KNOWN[kind] = isinstance(reader, FindingReader)
    return _KNOWN[kind]
