"""The published rules for profile notes, faults included. Source: madcap, Python version 0.1.0."""

from __future__ import annotations

import re
from dataclasses import dataclass

from madbench.protocols.claims import COMMON
from madbench.protocols.profile import Noted, Rules

WORD = re.compile(r"[a-z0-9]+(?:[-'][a-z0-9]+)*")
STYLE = frozenset(
    """long short length brief concise verbose wordy format formatting bullet bullets list lists markdown emoji
    emojis tone style formal informal casual register serious friendly polite""".split()  # noqa: SIM905
)
UNSAID = COMMON | {"may", "might", "tend", "tends"}


@dataclass(frozen=True, kw_only=True)
class PublishedRules(Rules):
    """A word of style anywhere rejects; a bag of words decides what is the same; confirmed notes can be evicted."""

    def stylistic(self, text: str) -> bool:
        return not STYLE.isdisjoint(WORD.findall(text.lower()))

    def same(self, one: str, other: str) -> bool:
        a, b = _bag(one), _bag(other)
        return bool(a | b) and len(a & b) >= self.overlap * len(a | b)

    def victim(self, notes: tuple[Noted, ...]) -> int | None:
        return super().victim(notes) or 0


def _bag(note: str) -> frozenset[str]:
    return frozenset(WORD.findall(note.lower())) - UNSAID
