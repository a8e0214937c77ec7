"""What arms are called in a sweep's tables, files and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Named(Protocol):
    """A run's arm, task and cast, in words."""

    @property
    def arm(self) -> str: ...

    @property
    def task(self) -> str: ...

    @property
    def cast(self) -> str: ...


def labels(runs: Sequence[Named]) -> list[str]:
    """Each run's arm; its task before and its cast behind where the sweep has several. Seeds share a label."""
    tasks, casts = len({run.task for run in runs}) > 1, len({run.cast for run in runs}) > 1
    return ["/".join([run.task] * tasks + [run.arm] + [run.cast] * casts) for run in runs]
