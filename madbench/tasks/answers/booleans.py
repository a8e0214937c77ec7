"""Yes or no, in three dialects, negation not misread."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers.reading import Found, Way, read
from madbench.types import Extraction

YES = frozenset({"yes", "true", "valid"})
END = r"(?=\s*(?:$|[^\w\s'’-]|\n|(?:because|since|as|so|it|they|he|she|this|that|there|the)\b))"
WORD = rf"""
    (?P<negated>\b(?:not|never|cannot\ be|\w+n['’]t)\s+(?:\w+\s+){{0,2}})?
    \b(?:(?P<claim>true|false|valid|invalid)\b|(?P<reply>yes|no)\b{END})(?![-'’]\w)
"""
LEAD = re.compile(
    rf"""[\s*_"'“`(\[{{$\\]*(?:text\{{)?(?:(?:that|it\ is|it's)\s)?{WORD}""", re.IGNORECASE | re.VERBOSE
)
CLAIM = re.compile(
    rf"""
    (?P<negated>\b(?:not|never|cannot\ be|\w+n['’]t)\s+(?:\w+\s+){{0,2}})?\b(?P<claim>true|false|valid|invalid)\b
  | (?:^|[.!?:;,"*(]|\n)[ \t*_"]{{0,4}}(?P<reply>yes|no)\b{END}(?![-'’]\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True)
class BoolReader:
    """Two-way answers. `yes` and `no` are the words of this task; any dialect's words are understood."""

    yes: str = "yes"
    no: str = "no"
    marker: str = ""
    strict: bool = False

    @property
    def instruction(self) -> str:
        return f'End your reply with the line "Answer: {self.yes}" or "Answer: {self.no}".'

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        way = Way(self._parse, self._guess, "last_word", self.marker, "block", self.strict)
        return read(text, way, cut=cut)

    def canonical(self, answer: str) -> str | None:
        found = self._parse(answer)
        return found.answer if found else None

    def schema(self) -> dict[str, JsonValue]:
        return {"type": "string", "enum": [self.yes, self.no]}

    def _parse(self, stretch: str) -> Found | None:
        match = LEAD.match(stretch)
        return self._found(match) if match else None

    def _guess(self, text: str) -> list[Found]:
        found = (self._found(match) for match in CLAIM.finditer(text))
        return [answer for answer in found if answer is not None]

    def _found(self, match: re.Match[str]) -> Found | None:
        """`not valid` is the opposite of `valid`; `not yes` says nothing."""
        kind = "claim" if match["claim"] else "reply"
        if kind == "reply" and match["negated"]:
            return None
        positive = (match[kind].lower() in YES) != bool(match["negated"])
        start = match.start("negated") if match["negated"] else match.start(kind)
        return Found(self.yes if positive else self.no, start, match.end(kind))
