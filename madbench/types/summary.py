"""A sweep's result: arms with estimates, comparisons between them, and what became of every planned row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from madbench.types.models import Strict
from madbench.types.records import Estimate


@dataclass(frozen=True, slots=True)
class Arm:
    """One run's (or, where `seed` is None, all seeds' pooled) metrics; every metric name is in every arm."""

    arm: str
    task: str
    protocol: str
    cast: str
    seed: int | None
    metrics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Arm `a` minus arm `b` on the same samples; `p` is Holm-adjusted among all arms' comparisons with that control.

    `b` may be a control that is no arm of its own: `self_consistency@equal_calls` (at `a`'s calls), `debate@round_0`.
    """

    a: str
    b: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Integrity:
    """Is the pipeline whole? Counts of one arm's rows; `lost` and `leaks` must be 0."""

    arm: str
    planned: int
    found: int
    errored: int
    unparsed: int
    lost: int
    leaks: int
    quoted: int


class Reference(Strict):
    """What an experiment wants printed beside its `arm`: rows of a table (`paper/table`) whose fields are `where`.

    `ours` names metrics to compare with where the table's own choice does not fit.
    """

    table: str
    arm: str
    where: Mapping[Literal["protocol", "task", "model", "config", "n", "note"], str | int] = {}
    ours: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Published:
    """A value that somebody printed, on the scale of ours, and the arm and metric here to set beside it.

    `setting` is what they ran (protocol, task, model, config); `differs` says in what else theirs is not ours.
    """

    source: str
    setting: Mapping[str, str]
    metric: str
    printed: Estimate
    arm: str
    ours: str
    differs: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What `summary.json` holds. `verdict` is one plain sentence by a fixed rule; `notes` are warnings."""

    name: str
    arms: tuple[Arm, ...]
    comparisons: tuple[Comparison, ...]
    integrity: tuple[Integrity, ...]
    verdict: str
    notes: tuple[str, ...] = ()
    spent: Mapping[str, float] | None = None
    published: tuple[Published, ...] = ()
