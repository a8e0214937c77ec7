"""Judging as a task of its own: is this finding that known issue? Its records are what `score judge=` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pydantic import JsonValue, ValidationError

from madbench.tasks.answers.labels import MATCH, LabelReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.tasks.sources import Table, read_file
from madbench.types import (
    Artifact,
    Finding,
    InputError,
    Issue,
    Outcome,
    Problem,
    Sample,
    Span,
    Strict,
    Target,
)

AROUND = 2
SHOWN = 40
"""Lines of a document that a judge is shown at most: those of finding and issue, and two around each."""


class Pair(Strict):
    """One request to a judge. `reference` is what its label is compared with, `control` a stranger's issue."""

    id: str
    artifact_id: str
    finding: Finding
    issue: Issue
    excerpt: str = ""
    control: bool = False
    reference: Literal["MATCH", "NO_MATCH"]


@dataclass(frozen=True)
class FindingPairs:
    """Pairs of findings and known issues, from a file that the verb `pairs` wrote (or any of its shape).

    `correct` is agreement with each pair's reference: for controls, whose issue is another artifact's, a judge that
    says MATCH is wrong; for the others the reference is another matcher's or other judges' verdict.
    """

    path: str
    name: str = "finding_pairs"

    def samples(self) -> list[Sample]:
        return [_sample(pair) for pair in self._pairs]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target) | {"says_match": float(outcome.answer == MATCH)}

    def facts(self) -> Mapping[str, JsonValue]:
        """What a manifest says of the data."""
        return {
            "source": self._table.origin,
            "rows": len(self._pairs),
            "controls": sum(pair.control for pair in self._pairs),
            "content": self.content(),
        }

    def content(self) -> str:
        """Hash over all samples, in order."""
        return content_hash(self.samples())

    @cached_property
    def _table(self) -> Table:
        return read_file(self.path)

    @cached_property
    def _pairs(self) -> list[Pair]:
        pairs = [_pair(row, self._table.where(index)) for index, row in enumerate(self._table.rows)]
        seen: dict[str, int] = {}
        for index, pair in enumerate(pairs):
            if (first := seen.setdefault(pair.id, index)) != index:
                raise InputError(
                    f"id {pair.id!r} twice: {self._table.where(first)}, and {self._table.where(index)}"
                )
        return pairs


def pair_id(artifact: Artifact, finding: Finding, issue: Issue) -> str:
    """What a label belongs to: the same words at the same place of the same artifact, and the same issue."""
    documents = [[document.name, document.text] for document in artifact.documents]
    words = " ".join(finding.text.split()).casefold()
    asked = [documents, finding.span.model_dump(), finding.kind, words, issue.model_dump(mode="json")]
    return short_hash(repr(asked))


def excerpt_of(artifact: Artifact, finding: Finding, issue: Issue) -> str:
    """The numbered lines that a finding and an issue are about, and some around them."""
    shown: list[str] = []
    for document in artifact.documents:
        spans = [span for span in (*issue.spans, finding.span) if span.document == document.name]
        near = {line for span in spans for line in _near(span, len(document.lines))}
        rows = [row for number, row in enumerate(document.numbered.split("\n"), 1) if number in near]
        shown += [document.name, *rows] if rows else []
    return "\n".join(shown[:SHOWN])


def _near(span: Span, lines: int) -> range:
    return range(max(span.first - AROUND, 1), min(span.last + AROUND, lines, span.first + SHOWN) + 1)


def _pair(row: Mapping[str, JsonValue], where: str) -> Pair:
    try:
        return Pair.model_validate(row, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{where}: {place}: {first['msg']}; wanted {', '.join(Pair.model_fields)}"
        ) from error


def _sample(pair: Pair) -> Sample:
    places = ", ".join(map(_place, pair.issue.spans))
    known = ": ".join(filter(None, (pair.issue.kind, pair.issue.description)))
    parts = (
        "A reviewer reports a finding; an issue is known. Do both speak of the same fault?",
        pair.excerpt,
        f"Finding ({_place(pair.finding.span)}): {pair.finding.text or 'no words'}",
        f"Known issue ({places}): {known or 'no words'}",
    )
    question = "\n\n".join(filter(None, parts))
    facts: dict[str, JsonValue] = {"control": pair.control}
    return Sample(Problem(pair.id, pair.artifact_id, question, LabelReader()), Target(pair.reference, facts))


def _place(span: Span) -> str:
    lines = f"line {span.first}" if span.last == span.first else f"lines {span.first}-{span.last}"
    return f"{span.document}, {lines}"
