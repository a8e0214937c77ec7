"""What a tracker is told, and what it tells back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from madbench.types import Estimate


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """A finished run whose seams held. Its readable name is its folder's.

    `home` is the experiment's output folder, under which a tracker may keep files of its own; `rows` has one
    plain mapping an episode, the row's id under `id`; `files` are the result files.
    """

    folder: Path
    home: Path
    group: str
    job_type: str
    config: Mapping[str, object]
    estimates: Mapping[str, Estimate]
    rows: Iterable[Mapping[str, object]]
    files: tuple[Path, ...] = ()

    @property
    def name(self) -> str:
        return self.folder.name


@dataclass(frozen=True, slots=True)
class Published:
    """What became of one run: the row ids due (the cap's share of all), the ids found written, and the count of all.

    The caller checks `due` against `found`, and tells the user of a `problem` (empty where all went well).
    `mode` is online, offline, disabled or none. `before`: nothing was sent, since all of it had been.
    """

    mode: str
    due: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    total: int = 0
    problem: str = ""
    before: bool = False


class Tracking(Protocol):
    """Settings of a tracker."""

    def publish(self, run: TrackedRun) -> Published:
        """Hand one run over. Never raises; returns within the tracker's own bound, whatever the service does."""
