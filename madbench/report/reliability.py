"""Confidence against being right, tallied over records: small, whatever the number of episodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from madbench.metrics.measure import measure
from madbench.types import Record

BINS = 10
CONFIDENCE, FINDINGS = "confidence:", "sure:n:"


@dataclass
class Bin:
    """Episodes (or findings) of one bin: how many, and the sums of their confidence and of the right ones."""

    n: int = 0
    confidence: float = 0.0
    right: float = 0.0


@dataclass
class Reliability:
    """Ten bins of equal width for each source of confidence; 1.0 belongs to the last. Sources are never pooled."""

    sources: defaultdict[str, list[Bin]] = field(
        default_factory=lambda: defaultdict(lambda: [Bin() for _ in range(BINS)])
    )

    def add(self, record: Record) -> None:
        numbers = measure(record).numbers
        self._add_findings(numbers)
        for name, value in numbers.items():
            if name.startswith(CONFIDENCE) and 0 <= value <= 1:
                here = self.sources[name.removeprefix(CONFIDENCE)][min(int(value * BINS), BINS - 1)]
                here.n, here.confidence, here.right = (
                    here.n + 1,
                    here.confidence + value,
                    here.right + numbers["correct"],
                )

    def _add_findings(self, numbers: Mapping[str, float]) -> None:
        """Of reviews one finding after the other, right if it matches a known issue."""
        for name, value in numbers.items():
            if name.startswith(FINDINGS):
                tenth = name.removeprefix(FINDINGS)
                here = self.sources["stated with findings"][int(tenth)]
                here.n += int(value)
                here.right += numbers[f"sure:matched:{tenth}"]
                here.confidence += numbers[f"sure:thousandths:{tenth}"] / 1000
