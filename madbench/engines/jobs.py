"""What a scheduler hands to a model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from madbench.engines.lanes import LANE
from madbench.types import Completion, Request


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A request, its prompt's token ids, and the lane it was asked in. Two jobs are never equal, whatever they ask."""

    request: Request
    ids: tuple[int, ...]
    lane: Hashable = field(default_factory=LANE.get)


class OutOfMemory(Exception):
    """A model ran out of memory: fewer rows at once may still fit."""


class Decoder(Protocol):
    """Rows in flight on one model; rows may join and leave between any two steps. One thread calls it."""

    @property
    def live(self) -> int:
        """Rows in flight."""

    def admit(self, jobs: Sequence[Job]) -> None:
        """Let jobs join as rows. Raises OutOfMemory, and whatever a job's own fault raises."""

    def advance(self) -> list[tuple[Job, Completion]]:
        """One step of all rows; the rows that it ended leave. Raises as `admit`."""

    def clear(self) -> None:
        """Forget all rows, as after a failure; the next `admit` starts afresh."""
