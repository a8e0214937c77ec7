"""Is a proposal's confidence backed by its evidence? As published, and as it was meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from madbench.protocols.roundtable_evidence import figures, strengths
from madbench.protocols.roundtable_seen import Bars
from madbench.types import InputError, check_settings

SAME = 0.005
"""Two strengths are one if they round to the same two decimals, about."""
LEVEL = re.compile(r"\b(low|medium|high)\b")


class Quality(Protocol):
    def fault(
        self, confidence: str, evidence: Sequence[str], question: str = "", *, claims: bool = True
    ) -> str:
        """What is wanting in a proposal, if anything is. One that claims nothing needs no strength."""

    def bars(self, question: str) -> Bars:
        """What personas are told of it."""


@dataclass(frozen=True, kw_only=True)
class EvidenceQuality:
    """Every correlation that is given as evidence must reach the bar of the confidence, and be in the data.

    What the question gives is wanted: correlations where it gives some, else figures where it gives any. Where bars
    are not `stated`, personas are told that confidence must fit the evidence, and no number.
    """

    high: float = 0.5
    medium: float = 0.3
    low: float = 0.0
    stated: bool = True

    def __post_init__(self) -> None:
        check_settings(self, "protocol.gates.quality")
        if not 0 <= self.low <= self.medium <= self.high <= 1:
            raise InputError(f"protocol.gates.quality: {self}; wanted 0 <= low <= medium <= high <= 1")

    def fault(
        self, confidence: str, evidence: Sequence[str], question: str = "", *, claims: bool = True
    ) -> str:
        text = evidence if isinstance(evidence, str) else "\n".join(evidence)
        found, shown = strengths(text), strengths(question)
        level = LEVEL.search(confidence.lower())
        if level is None:
            return f"{confidence!r} is no confidence: say low, medium or high"
        wanted = _given(question) if question else "strength"
        if (wanted == "strength" and not found) or (wanted == "number" and not figures(text)):
            return "no quantified evidence"
        for r in found:
            if shown and all(abs(r - known) > SAME for known in shown):
                return f"r = {r:.2f} is not in the data"
            if claims and r < (bar := {"high": self.high, "medium": self.medium, "low": self.low}[level[1]]):
                return f"r = {r:.2f} is too weak for {level[1]} confidence, which needs {bar:.2f}"
        return ""

    def bars(self, question: str) -> Bars:
        given = _given(question)
        wanted = "number" if given == "strength" and not self.stated else given
        return Bars(high=self.high, medium=self.medium, low=self.low, wanted=wanted)


def _given(question: str) -> Literal["strength", "number", "nothing"]:
    """What a question gives that evidence could hold."""
    return "strength" if strengths(question) else "number" if figures(question) else "nothing"


@dataclass(frozen=True, kw_only=True)
class PublishedQuality(EvidenceQuality):
    """The source's validator, faults included: `r` and a decimal under the bar anywhere, under exactly `high`."""

    def fault(
        self, confidence: str, evidence: Sequence[str], question: str = "", *, claims: bool = True
    ) -> str:
        found = [float(size) for size in re.findall(r"r\s*=?\s*(0\.\d+)", " ".join(evidence))]
        weak = [size for size in found if size < self.high]
        return f"high confidence with r = {weak[0]}" if confidence == "high" and weak else ""
