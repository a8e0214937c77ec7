"""Rows: one an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from madbench.types.endings import Ending
from madbench.types.samples import Sample
from madbench.types.transcript import Outcome, Turn


@dataclass(frozen=True, slots=True)
class RowId:
    """What makes a row unique within a run; `attempt` is the rerun after an infrastructure failure."""

    sample: str
    epoch: int = 0
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a session an episode stood, and the protocol's memory after it (JSON text)."""

    session: int
    position: int
    state: str


@dataclass(frozen=True, slots=True)
class Effort:
    """What is allowed to differ between two runs of one config."""

    seconds: float
    host: str


@dataclass(frozen=True, slots=True)
class Record:
    """One episode, failed or not: one row in every file downstream."""

    id: RowId
    sample: Sample | None
    ending: Ending
    outcome: Outcome | None
    turns: tuple[Turn, ...]
    scores: Mapping[str, float]
    place: Place | None
    effort: Effort
    error: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric with its 95 % interval and the number of samples behind it; undefined is None, never 0 or 1."""

    value: float | None
    low: float | None
    high: float | None
    n: int
