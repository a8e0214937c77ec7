"""What happened in an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from madbench.types.endings import ParseStatus, StopReason
from madbench.types.models import Completion, Request
from madbench.types.samples import Sample, Target

Answers = tuple[str | None, ...]
"""One round's canonical answers by seat; None where a seat gave none."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whose ask this is. `turn` counts the asks of this seat, `attempt` the repairs of one ask."""

    role: str
    seat: int
    round: int
    turn: int
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of one completion; `reply` is the parsed reply as plain data, `note` what failed."""

    status: ParseStatus
    kind: str
    rule: str = ""
    answer: str | None = None
    probability: float | None = None
    reply: Mapping[str, JsonValue] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One ask. `seen` names the observation class; `cuts` what the context policy removed.

    A `spare` turn is charged to no arm: votes beyond the arm's own, or another question's answers.
    """

    speaker: Speaker
    seen: str
    request: Request
    completion: Completion
    reading: Reading
    cuts: tuple[str, ...] = ()
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of an episode's append-only ledger: what happened, by whom, in words that a test can match."""

    kind: str
    by: str
    round: int
    text: str = ""
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a protocol decided, and every seat's answer round by round on the way there.

    `confidence` maps a source (token_probability, vote_share, stated_number, stated_label,
    judge_probability) to a number in [0, 1] or a label; sources are never pooled. For votes beyond the
    arm's own, `positions` still has one entry per seat; `facts` holds what a protocol's own metrics need.
    """

    answer: str | None
    positions: tuple[Answers, ...]
    stop: StopReason
    confidence: Mapping[str, float | str] = field(default_factory=dict)
    ledger: tuple[Event, ...] = ()
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


class Task(Protocol):
    """What a file in tasks/ defines: where samples come from and what makes an outcome right."""

    @property
    def name(self) -> str: ...

    def samples(self) -> list[Sample]:
        """All samples in their seeded order, ids unique. Raises InputError naming the file and row."""

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        """Scores of one episode, `correct` (0 or 1) among them. Never raises on any answer."""
