"""What a user may say of a sweep's SLURM jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from madbench.sweep.messages import WorkerSettings
from madbench.types import Strict

Parameters = Mapping[str, JsonValue]
"""What sbatch is asked for, in submitit's names (`partition`, `timeout_min`, `mem_gb`, `gpus_per_node`, `setup`, …)."""


class Watch(Strict):
    """How the driver follows its jobs, in seconds: it looks every `every`, and believes that a job is gone once the
    queue has said so, and nothing was heard of it, for `settle`, since files of another node may come late. Jobs report
    every `report`.

    Without `follow` it submits and leaves; the same command attaches.
    """

    every: float = Field(default=10.0, gt=0)
    settle: float = Field(default=30.0, ge=0)
    report: float = Field(default=5.0, gt=0)
    follow: bool = True


class SlurmSettings(WorkerSettings):
    """How a sweep is spread over jobs, and what becomes of these.

    Every job asks for `job`; those of a cast named in `casts` for what stands there instead. A job plays
    `runs_per_job` runs of one cast on one loaded model (None: all of them). An array has at most `max_array` tasks
    (None: as many as the site allows).

    A job that is warned of its end asks for another turn at most `requeues` times. What a dead job left is submitted
    again at most `resubmits` times, each run alone.
    """

    job: Parameters = Field(default_factory=dict)
    casts: Mapping[str, Parameters] = Field(default_factory=dict)
    runs_per_job: int | None = Field(default=None, ge=1)
    max_array: int | None = Field(default=None, ge=1)
    requeues: int = Field(default=20, ge=0)
    resubmits: int = Field(default=1, ge=0)
    on_interrupt: Literal["leave", "cancel"] = "leave"
    watch: Watch = Field(default_factory=Watch)
