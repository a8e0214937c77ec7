"""What a side of the published debate is shown and says: no artifact, and its own claims as objections to itself."""

from __future__ import annotations

from typing import Self

from madbench.tasks.answers import visible
from madbench.types import Observation, Problem, Reply, Strict


class LegacyClaim(Strict):
    id: str
    severity: str
    text: str


class LegacyObjection(Strict):
    id: str
    claim: str
    text: str


class LegacyRound(Observation):
    """Own claims, the other's claims, and what is called the outstanding objections."""

    side: str
    round: int
    own: tuple[LegacyClaim, ...]
    others: tuple[LegacyClaim, ...]
    objections: tuple[LegacyObjection, ...]


class LegacyReply(Reply):
    """Free text."""

    text: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        return cls(text=visible(text))
