"""Reviews: a model's findings, read out of JSON, else out of lines that begin with a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from madbench.tasks.answers.finding_json import Place, Stated, stated
from madbench.tasks.answers.finding_lines import NOTHING, findings_in
from madbench.tasks.answers.finding_rows import Rows
from madbench.tasks.answers.merging import common, once
from madbench.tasks.answers.reasoning import masked
from madbench.types import (
    Answers,
    Artifact,
    Extraction,
    Finding,
    ParseStatus,
    canonical_findings,
    findings_of,
)


@dataclass(frozen=True)
class FindingsReader:
    """Reads reviews of one artifact. The answer is the canonical JSON of its findings, `[]` where it reports none.

    `cap` bounds how many findings count, the first ones; `longest` bounds a finding's text under a grammar, and
    `evidence` how many references it may give there. JSON counts before lines; the last JSON review of a reply
    counts; `strict` reads whole JSON reviews alone. A text in which no review is found is no answer.
    """

    artifact: Artifact
    cap: int = 4
    longest: int = 80
    evidence: int = 0
    strict: bool = False

    @property
    def instruction(self) -> str:
        """The form, its values in angle brackets: an echo of it is no review."""
        several = len(self.artifact.documents) > 1
        places = ['"document": "<name>"'] if several else []
        places += ['"line_start": <number>', '"line_end": <number>', '"text": "<what is wrong>"']
        places += ['"severity": "<low, medium or high>"', '"confidence": <0 to 100>']
        places += ['"references": ["<document>:<line>"]'] if self.evidence else []
        return (
            f'Reply with JSON alone: {{"findings": [{{{", ".join(places)}}}]}}, at most {self.cap} '
            f'finding{"s" * (self.cap > 1)}, the worst first. If nothing is wrong, reply {{"findings": []}}.'
        )

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        """The review in a reply. Never raises. A review that the token limit cut is none."""
        shown, unclosed = masked(text)
        if unclosed:
            return Extraction(None, ParseStatus.TRUNCATED, "unclosed_reasoning")
        found = stated(shown)
        if found.reviews and not (cut and found.unfinished):
            return self._settled(found)
        if cut:
            return Extraction(None, ParseStatus.TRUNCATED, "cut")
        if self.strict:
            return Extraction(None, ParseStatus.MISSING, "none")
        return self._loose(found) or self._prose(shown)

    def canonical(self, answer: str) -> str | None:
        try:
            return canonical_findings(findings_of(answer))
        except ValidationError:
            return self.read(answer).answer

    def schema(self) -> dict[str, JsonValue]:
        """A list of findings, the bare answer. Lines that do not exist cannot be written in it."""
        longest = max((len(document.lines) for document in self.artifact.documents), default=1)
        line: JsonValue = {"type": "integer", "minimum": 1, "maximum": max(longest, 1)}
        names: list[JsonValue] = [document.name for document in self.artifact.documents]
        fields: dict[str, JsonValue] = (
            {"document": {"type": "string", "enum": names}} if len(names) > 1 else {}
        )
        fields |= {"line_start": line, "line_end": line}
        fields["text"] = {"type": "string", "minLength": 1, "maxLength": self.longest}
        fields["severity"] = {"type": "string", "enum": ["low", "medium", "high"]}
        fields["confidence"] = {"type": "integer", "minimum": 0, "maximum": 100}
        if self.evidence:
            reference: JsonValue = {"type": "string", "minLength": 1, "maxLength": 40}
            fields["references"] = {"type": "array", "items": reference, "maxItems": self.evidence}
        item: JsonValue = {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }
        return {"type": "array", "items": item, "maxItems": self.cap}

    def reply_schema(self) -> dict[str, JsonValue]:
        return {
            "type": "object",
            "properties": {"findings": self.schema()},
            "required": ["findings"],
            "additionalProperties": False,
        }

    def merge(self, answers: Answers, *, quorum: float) -> str | None:
        """The findings that a share `quorum` of the given answers have in common, by overlap of lines."""
        given = [findings_of(answer) for answer in answers if answer is not None]
        return canonical_findings(common(given, quorum=quorum)) if given else None

    @property
    def _rows(self) -> Rows:
        return Rows(self.artifact)

    def _settled(self, found: Stated) -> Extraction:
        """The last of the reviews that a reply states; ambiguous if an earlier one differs."""
        *earlier, last = [self._found(list(self._told(rows)), "json", place) for rows, place in found.reviews]
        if all(one.answer == last.answer for one in earlier):
            return last
        return Extraction(last.answer, ParseStatus.AMBIGUOUS, last.rule, last.span)

    def _loose(self, found: Stated) -> Extraction | None:
        """Objects that each say something about a place, in no list, or in one that is no JSON."""
        said = [(finding, place) for row, place in found.loose if (finding := self._rows.placed(row))]
        if not said:
            return None
        return self._found([finding for finding, _ in said], "fallback_rows", (said[0][1][0], said[-1][1][1]))

    def _told(self, review: list[JsonValue]) -> Iterator[Finding]:
        """The findings of a list; a text in it is read as a line, or else as one about the whole."""
        for row in review:
            if isinstance(row, str):
                yield from findings_in(row, self._rows) or filter(None, [self._rows.finding({"text": row})])
            elif finding := self._rows.finding(row):
                yield finding

    def _prose(self, text: str) -> Extraction:
        if findings := findings_in(text, self._rows):
            return self._found(findings, "fallback_lines", (0, len(text)))
        if NOTHING.fullmatch(text.strip()):
            return self._found([], "fallback_nothing", (0, len(text)))
        return Extraction(None, ParseStatus.MISSING, "none")

    def _found(self, findings: list[Finding], rule: str, place: Place) -> Extraction:
        different = once(findings)
        rule = f"{rule}_capped" if len(different) > self.cap else rule
        return Extraction(canonical_findings(different[: self.cap]), ParseStatus.OK, rule, place)
