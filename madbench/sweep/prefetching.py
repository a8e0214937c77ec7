"""Bringing models and data to a machine before anything runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from madbench.run.job import samples_of
from madbench.sweep.configs import JobConfig
from madbench.sweep.endings import DONE
from madbench.sweep.planning import plan


@runtime_checkable
class Fetched(Protocol):
    """Weights that come from elsewhere."""

    def fetch(self) -> object:
        """Bring them to this machine's cache."""


@runtime_checkable
class Weighted(Protocol):
    """A model that has weights."""

    @property
    def weights(self) -> Fetched: ...


def prefetch(jobs: Sequence[JobConfig]) -> int:
    """Check all jobs and bring their models and data here. Raises InputError for what cannot be had."""
    told: list[str] = []
    for run in plan(jobs):
        told.append(f"task {run.name.task}: {len(samples_of(run.built.task))} samples")
        for model in run.built.models:
            if isinstance(model, Weighted):
                model.weights.fetch()
            told.append(f"model {model.name}: here")
    print("\n".join(dict.fromkeys(told)))
    return DONE
