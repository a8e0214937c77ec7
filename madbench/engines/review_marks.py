"""What a simulated reviewer reads of a conversation: marked documents, and findings with what they are worth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from madbench.types import Message

MARK = re.compile(r"⟦document=(?P<name>\S+) issues=(?P<issues>[\d,]*) lines=(?P<lines>\d+)⟧")
APART = 2
"""False findings keep this many lines between themselves and a known issue, so that none can pass for it."""


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """A document's name, its number of lines, and the lines that are known to be wrong."""

    name: str
    lines: int
    issues: tuple[int, ...]

    @property
    def sound(self) -> list[int]:
        """The lines on which a finding is false beyond doubt."""
        every = range(1, self.lines + 1)
        return [line for line in every if all(abs(line - issue) > APART for issue in self.issues)]


@dataclass(frozen=True, slots=True)
class Place:
    """A line that is reported, whether it is `real`ly wrong, and a token that tells this report from any other."""

    document: str
    line: int
    real: bool
    token: str

    @property
    def text(self) -> str:
        """The words in which it is reported; the mark tells later readers what the claim is worth."""
        worth = "⟦real⟧" if self.real else "⟦false⟧"
        return f"Line {self.line} of {self.document} is wrong {worth} {self.token}"

    @property
    def reference(self) -> str:
        return f"{self.document}:{self.line}"


def documents_in(messages: Sequence[Message]) -> tuple[MarkedDocument, ...]:
    """The documents that were shown last; none if no message shows a marked one."""
    for message in reversed(messages):
        if message.role != "assistant" and (marks := list(MARK.finditer(message.text))):
            shown = {mark["name"]: mark for mark in marks}
            return tuple(
                MarkedDocument(
                    name, int(mark["lines"]), tuple(map(int, filter(None, mark["issues"].split(","))))
                )
                for name, mark in shown.items()
            )
    return ()


WORDS = re.compile(r"Line (\d+) of (\S+) is wrong ⟦(real|false)⟧ ([0-9a-f]{8})")
NAMED = r"(?<![\w/]){}(?![\w/])"


def places_in(text: str) -> list[Place]:
    """All reports of simulated reviewers that a text repeats, the first of each line, in order."""
    found: dict[str, Place] = {}
    for line, document, worth, token in WORDS.findall(text):
        place = Place(document, int(line), worth == "real", token)
        found.setdefault(place.reference, place)
    return list(found.values())


def place_of(name: str, messages: Sequence[Message]) -> Place | None:
    """The report that stands behind an id (`A/1`, `B/1/2`) where it was shown last."""
    for message in reversed(messages):
        for match in re.finditer(NAMED.format(re.escape(name)), message.text):
            if found := places_in(message.text[match.end() :]):
                return found[0]
    return None


def repeated(messages: Sequence[Message]) -> str:
    """What a faithful restatement of the last message would hold: its reports, or else the marks of its documents."""
    text = messages[-1].text
    return "; ".join(place.text for place in places_in(text)) or " ".join(
        mark[0] for mark in MARK.finditer(text)
    )
