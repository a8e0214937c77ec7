"""No tracking."""

from __future__ import annotations

from dataclasses import dataclass

from madbench.tracking.runs import Published, TrackedRun


@dataclass(frozen=True)
class NoTracking:
    """Tells nobody; does not even read the rows."""

    def publish(self, run: TrackedRun) -> Published:
        return Published("none")
