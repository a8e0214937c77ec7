"""A judge's label: whether a finding and a known issue are the same, read token by token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from madbench.tasks.answers.reading import Found, Way, read
from madbench.types import Extraction, ParseStatus

MATCH: Final = "MATCH"
NO_MATCH: Final = "NO_MATCH"
DENIED = r"(?:\b(?:not?|never|cannot|neither|\w+n['’]t)\b[^.,:;!?\n]{0,40})"
LABEL = re.compile(rf"(?P<denied>{DENIED})?(?<![\w-])(?:(?P<no>NO[_ -]MATCH)|(?P<yes>MATCH))(?![\w-])")
MARKED = re.compile(rf"[\s*_\"'“`(\[]*{LABEL.pattern}", re.IGNORECASE)
ECHO = re.compile(
    r"(?<![\w-])(?:NO[_ -])?MATCH\b\W{0,6}(?:or|and)?\W{0,6}(?:NO[_ -])?MATCH(?![\w-])", re.IGNORECASE
)
"""Two labels side by side: the choices told again, no choice."""


@dataclass(frozen=True)
class LabelReader:
    """`MATCH` or `NO_MATCH`, each only as a whole token; a denied `MATCH` is `NO_MATCH`.

    Unmarked text is searched for labels in capitals alone, so that a judge's prose about what matches is none.
    """

    strict: bool = False

    @property
    def instruction(self) -> str:
        return f'End your reply with the line "Answer: {MATCH}" or "Answer: {NO_MATCH}".'

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        text = ECHO.sub(lambda found: " " * len(found[0]), text)
        whole = None if cut else self.canonical(text)
        if whole is not None:
            return Extraction(whole, ParseStatus.OK, "whole_reply", (0, len(text)))
        way = Way(self._parse, self._guess, "last_label", reach="line", strict=self.strict)
        return read(text, way, cut=cut)

    def canonical(self, answer: str) -> str | None:
        found = MARKED.fullmatch(answer.strip(" \t\n.!*_`\"'"))
        return _label(found).answer if found else None

    def schema(self) -> dict[str, JsonValue]:
        return {"type": "string", "enum": [MATCH, NO_MATCH]}

    def reply_schema(self) -> dict[str, JsonValue]:
        """Under a grammar a label is the whole reply."""
        return self.schema()

    def _parse(self, stretch: str) -> Found | None:
        found = MARKED.match(stretch)
        return _label(found) if found else None

    def _guess(self, text: str) -> list[Found]:
        return [_label(found) for found in LABEL.finditer(text)]


def _label(found: re.Match[str]) -> Found:
    """The label that stands there: a denied `NO_MATCH` stays one, since nobody denies in order to affirm."""
    yes = found["yes"] is not None and not found["denied"]
    start = found.start("denied") if found["denied"] else found.start("yes" if found["yes"] else "no")
    return Found(MATCH if yes else NO_MATCH, start, found.end())


def legacy_label(text: str) -> str:
    """As AdversarialDebate's field tests read labels: by substring, `MATCH` first, so that no judge could say no."""
    return MATCH if MATCH in text.upper() else NO_MATCH
