"""One finding out of what a model wrote down as one: names of fields and ways of spelling values vary widely."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.types import Artifact, Finding, Severity, Span

Row = Mapping[str, JsonValue]

TEXT = ("text", "description", "message", "comment", "issue", "finding", "claim", "problem", "title")
DOCUMENT = ("document", "file", "path", "filename", "file_path")
FIRST = ("line_start", "start_line", "first_line", "line", "first", "start", "line_number")
LAST = ("line_end", "end_line", "last_line", "last", "end")
PLACE = ("lines", "line_range", "location", "place", "span")
STEPS = ("step", "steps")
"""Lines of a trace of reasoning; of other documents, they are steps of the reviewer's own."""
REFERENCES = ("references", "evidence_references", "evidence_refs", "evidence")
KIND = ("kind", "category", "type")

FARTHEST = 99_999
"""Line numbers beyond it are cut down to it: no document has so many lines, and spans stay countable."""

ONE = re.compile(r"(?:lines?\s|L)?\s?(\d{1,18})", re.IGNORECASE)
RANGE = re.compile(r"(?P<first>\d{1,18})(?:\s{0,3}(?:-|–|—|to|through|\.\.)\s{0,3}L?(?P<last>\d{1,18}))?")
HIGH = re.compile(r"\b(?:high|critical|severe|major|blocker|error)\b", re.IGNORECASE)
LOW = re.compile(r"\b(?:low|minor|trivial|info|nit|style)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rows:
    """Reads findings about one artifact.

    A finding that names no line, or one below 1, is about its whole document; lines beyond it are kept as they are.
    A document is known by its name, or by the end of its path where only one ends so; other names are kept.
    """

    artifact: Artifact

    @property
    def traces(self) -> bool:
        """Whether lines are steps of reasoning."""
        return any(document.name.startswith("steps") for document in self.artifact.documents)

    def finding(self, row: JsonValue) -> Finding | None:
        """The finding in a row; None for a row that says nothing."""
        if not isinstance(row, Mapping):
            return None
        text, place = _text(row, TEXT), self._span(row)
        if not text and place is None:
            return None
        return Finding(
            span=place or self.whole(_text(row, DOCUMENT)),
            text=text,
            severity=severity(_text(row, ("severity", "priority", "level"))),
            kind=_text(row, KIND),
            references=tuple(_references(row)),
            confidence=confidence(row.get("confidence")),
        )

    def placed(self, row: JsonValue) -> Finding | None:
        """The finding in a row that names lines."""
        return self.finding(row) if isinstance(row, Mapping) and self._span(row) else None

    def span(self, name: str, first: int, last: int | None = None) -> Span:
        """Lines of a document that is called `name`; ends in the wrong order are turned round."""
        low, high = sorted(min(max(line, 1), FARTHEST) for line in (first, first if last is None else last))
        return Span(document=self.document(name), first=low, last=high)

    def whole(self, name: str) -> Span:
        """All lines of a document."""
        known = self.document(name)
        lines = [len(document.lines) for document in self.artifact.documents if document.name == known]
        return Span(document=known, first=1, last=max([1, *lines]))

    def document(self, name: str) -> str:
        """The full name of the document that is meant; the only one where none is named."""
        names = [document.name for document in self.artifact.documents]
        said = _clean(name).strip("`'\"*[]() ").removeprefix("./")
        if said in names:
            return said
        if not said:
            return names[0] if len(names) == 1 else ""
        ends = [known for known in names if f"/{known.casefold()}".endswith(f"/{said.casefold()}")]
        return ends[0] if len(ends) == 1 else said

    def _span(self, row: Row) -> Span | None:
        name, stated = _text(row, DOCUMENT), _text(row, (*PLACE, *STEPS) if self.traces else PLACE)
        named, _, place = name.rpartition(":")
        if named and RANGE.fullmatch(place):
            name, stated = named, stated or place
        first, last = _line(row, FIRST), _line(row, LAST)
        if first is None and (found := RANGE.search((stated or _text(row, FIRST)).rpartition(":")[2])):
            name = name or stated.rpartition(":")[0]
            first, last = int(found["first"]), int(found["last"] or found["first"])
        first = last if first is None else first
        return self.span(name, first, last) if first and min(first, last or first) > 0 else None


def severity(said: str) -> Severity:
    """The severity in a word or two, `High` say; medium where it says neither."""
    return "high" if HIGH.search(said) else "low" if LOW.search(said) else "medium"


def confidence(said: JsonValue) -> float | None:
    """A share of 1 from a whole percentage (90), a fraction (0.9), or either as text (`90%`).

    Words (`high`) are no numbers, and neither are those out of range: None. A whole 1 is one per cent, as asked.
    """
    if isinstance(said, str) and (found := re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(%?)\s*", said)):
        number = float(found[1])
        return confidence(int(number) if found[2] or "." not in found[1] else number)
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 100:
        return None
    return said / 100 if isinstance(said, int) or said > 1 else said


def _line(row: Row, names: tuple[str, ...]) -> int | None:
    """The first line number among these fields."""
    for name in names:
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return int(value)
        if isinstance(value, str) and (found := ONE.fullmatch(value.strip())):
            return int(found[1])
    return None


def _text(row: Row, names: tuple[str, ...]) -> str:
    """The first of these fields that says anything, on one line; `[12, 14]` is said `12-14`."""
    for name in names:
        value = row.get(name)
        if isinstance(value, list) and all(isinstance(part, str | int) for part in value):
            value = "-".join(map(str, value))
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return _clean(str(value))
    return ""


def _references(row: Row) -> Iterator[str]:
    for name in REFERENCES:
        value = row.get(name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and part.strip():
                yield _clean(part)


def _clean(text: str) -> str:
    """One line that any encoding can hold."""
    return " ".join(text.encode("utf-8", "replace").decode().split())
