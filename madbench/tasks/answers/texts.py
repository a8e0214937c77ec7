"""Free text, compared without regard to wrapping."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers.markers import Reach
from madbench.tasks.answers.reading import Found, Way, read
from madbench.types import Extraction

SHORT = 80
"""Characters up to which a whole unmarked one-line reply is taken for its answer."""
TEXT_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s?\{([^{}]*)\}")
PAIRS = (("**", "**"), ("*", "*"), ("`", "`"), ("$", "$"), ('"', '"'), ("'", "'"), ("“", "”"), ("\\(", "\\)"))
FENCE = re.compile(r"```[a-z]*\n(.*?)\n?```", re.DOTALL)


@dataclass(frozen=True)
class TextReader:
    """Free-text answers. `case`: letters' case counts. `whole`: an answer may take several lines, its inner
    spacing counts (grids, lists of moves).
    """

    case: bool = False
    whole: bool = False
    longest: int = 200
    marker: str = ""
    strict: bool = False

    @property
    def instruction(self) -> str:
        last = "Answer:" if self.whole else "the line"
        if self.whole:
            return f'End your reply with "{last}" and then the answer alone.'
        return f'End your reply with {last} "Answer: T", where T is the answer alone.'

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        reach: Reach = "text" if self.whole else "line"
        return read(
            text, Way(self._parse, self._guess, "whole_reply", self.marker, reach, self.strict), cut=cut
        )

    def canonical(self, answer: str) -> str | None:
        text = _lines(answer) if self.whole else _bare(answer)
        return (text if self.case or self.whole else text.casefold()) or None

    def schema(self) -> dict[str, JsonValue]:
        return {"type": "string", "minLength": 1, "maxLength": self.longest}

    def _parse(self, stretch: str) -> Found | None:
        answer = self.canonical(stretch)
        start = len(stretch) - len(stretch.lstrip())
        return Found(answer, start, len(stretch.rstrip())) if answer else None

    def _guess(self, text: str) -> list[Found]:
        shown = text.strip()
        found = self._parse(text) if len(shown) <= SHORT and "\n" not in shown else None
        return [found] if found else []


def _lines(text: str) -> str:
    """Lines without a fence around them; repeated until nothing more comes off."""
    while (barer := _fewer("\n".join(text.splitlines()))) != text:
        text = barer
    return text


def _fewer(text: str) -> str:
    fenced = FENCE.search(text)
    lines = (fenced[1] if fenced else text).strip("\n ").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n ")


def _bare(text: str) -> str:
    """One line without wrappers, trailing dot and doubled spaces; repeated until nothing more comes off."""
    while (barer := _barer(text)) != text:
        text = barer
    return text


def _barer(text: str) -> str:
    text = TEXT_COMMAND.sub(r"\1", " ".join(text.split()))
    text = text[:-1].rstrip() if text.endswith(".") else text
    if text.endswith("**") and text.count("**") == 1:
        return text[:-2].rstrip()
    for opening, closing in PAIRS:
        inner = text[len(opening) : -len(closing)]
        if text.startswith(opening) and text.endswith(closing) and inner and closing not in inner:
            return inner.strip()
    return text
