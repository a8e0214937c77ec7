"""From orders to arrays: submitit makes the scripts and calls sbatch; what runs on the node is a worker of ours."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import JsonValue

from madbench.sweep.messages import Assignment, Order, WorkerSettings
from madbench.sweep.slurm import queue
from madbench.sweep.slurm.batches import Batch, Batches
from madbench.sweep.slurm.settings import Parameters, SlurmSettings
from madbench.types import InputError, MadbenchError

if TYPE_CHECKING:
    from madbench.sweep.slurm.arrays import Executor

Part = TypeVar("Part")
OURS = ("job_name", "use_srun", "srun_args", "stderr_to_stdout", "nodes", "tasks_per_node", "ntasks_per_node")
"""Parameters of submitit that a launcher settles: a job is one worker process on one node."""
OURS_TOO = (
    *("array", "output", "error", "open-mode", "signal", "requeue", "no-requeue"),
    *("job-name", "clusters", "wait"),
)
"""Options of sbatch that are settled likewise."""
WARNING = 120
"""Seconds before its time limit at which a job is warned, unless `signal_delay_s` says otherwise."""


class RejectedError(InputError):
    """sbatch would not take an array. `before` were taken."""

    def __init__(self, words: str, before: Sequence[Batch]) -> None:
        ids = [batch.array for batch in before]
        told = "nothing was submitted"
        if ids:
            told = (
                f"submitted before it: {', '.join(f'array {b.array} ({len(b.tasks)} jobs)' for b in before)}; they "
                f"go on, the same command attaches to them, and `scancel {' '.join(ids)}` ends them"
            )
        super().__init__(f"hydra.launcher.job: SLURM rejected it ({words}); {told}")
        self.words, self.before = words, tuple(before)


@dataclass(frozen=True, slots=True)
class Submitter:
    """Makes arrays of orders under one sweep's settings."""

    settings: SlurmSettings
    batches: Batches

    def submit(self, groups: Sequence[Sequence[Assignment]], *, alone: bool = False) -> list[Batch]:
        """Hand over runs, each group of which can share a model.

        Raises InputError for settings that cannot be, RejectedError where sbatch says no, QueueError where the site's
        limit cannot be asked for. An array that sbatch refused stays open: it may say no and have it all the same.
        """
        orders = self._orders(groups, 1 if alone else self.settings.runs_per_job)
        ready = [
            self._ready(part, parameters)
            for parameters, alike in groupby(orders, lambda order: self._parameters(order.runs[0].cast))
            for part in parts(list(alike), self._most())
        ]
        done = list[Batch]()
        for batch, asking in ready:
            try:
                done.append(self._sent(batch, asking))
            except MadbenchError as refused:
                for left, _ in ready[len(done) + 1 :]:
                    self.batches.write(left.model_copy(update={"closed": True}))
                raise RejectedError(str(refused), done) from refused
        return done

    def _ready(self, orders: Sequence[Order], parameters: Parameters) -> tuple[Batch, Executor]:
        """An array that is written down and can be asked for."""
        batch = self.batches.new(orders, self.settings.requeues, self.settings.watch.report)
        folder = self.batches.folder / batch.name
        return batch, executor(
            folder, {**parameters, **settled(batch.name, folder, parameters, self.settings)}
        )

    def _sent(self, batch: Batch, asking: Executor) -> Batch:
        command = [sys.executable, "-m", "madbench.sweep.slurm.job", str(self.batches.folder / batch.name)]
        sent = batch.model_copy(update={"array": asking.array(len(batch.tasks), command)})
        self.batches.write(sent)
        return sent

    def _orders(self, groups: Sequence[Sequence[Assignment]], size: int | None) -> list[Order]:
        worker = WorkerSettings.model_validate(
            {name: getattr(self.settings, name) for name in WorkerSettings.model_fields}
        )
        shares = [share for group in groups for share in parts(group, size or len(group))]
        orders = [Order(runs=tuple(share), settings=worker) for share in shares]
        return sorted(orders, key=lambda order: repr(self._parameters(order.runs[0].cast)))

    def _parameters(self, cast: str) -> Parameters:
        return {**self.settings.job, **self.settings.casts.get(cast, {})}

    def _most(self) -> int:
        """The most tasks of an array, by the settings or the site."""
        if self.settings.max_array is not None:
            return self.settings.max_array
        return queue.max_array()


def parts(whole: Sequence[Part], size: int) -> Iterator[Sequence[Part]]:
    """In order, at most `size` together."""
    for start in range(0, len(whole), size):
        yield whole[start : start + size]


def settled(name: str, folder: Path, given: Parameters, settings: SlurmSettings) -> dict[str, JsonValue]:
    """Parameters that are no user's: raises InputError where one tries."""
    more = given.get("additional_parameters") or {}
    if not isinstance(more, dict):
        raise InputError(
            f"hydra.launcher.job.additional_parameters: expected options of sbatch, found {more!r}"
        )
    if wrong := [key for key in (*given, *more) if key in OURS or key.replace("_", "-") in OURS_TOO]:
        raise InputError(
            f"hydra.launcher.job: {wrong[0]} is settled by the launcher: a job is one worker on one node"
        )
    warning = given.get("signal_delay_s") or WARNING
    ours: dict[str, JsonValue] = {
        "output": str(folder / "%a.log"),
        "signal": f"B:USR2@{warning}",
        "requeue" if settings.requeues else "no-requeue": True,
    }
    setup = given.get("setup") or []
    if not isinstance(setup, list):
        raise InputError(f"hydra.launcher.job.setup: expected a list of commands, found {setup!r}")
    return {
        "job_name": name,
        "use_srun": False,
        "stderr_to_stdout": True,
        "setup": ["trap '' USR2  # a warning is for the worker", *setup],
        "additional_parameters": {**more, **ours},
    }


def executor(folder: Path, parameters: Mapping[str, JsonValue]) -> Executor:
    """Raises InputError where submitit is not installed, finds no SLURM, or does not know a parameter."""
    try:
        from madbench.sweep.slurm.arrays import Executor
    except ImportError as error:
        raise InputError(
            "hydra/launcher=slurm: submitit is not installed; pip install 'madbench[slurm]'"
        ) from error
    try:
        return Executor.of(folder, {key: value for key, value in parameters.items() if value is not None})
    except RuntimeError as error:
        raise InputError(f"hydra/launcher=slurm: no srun and sbatch on this machine ({error})") from error
    except ValueError as error:
        raise InputError(f"hydra.launcher.job: {error}") from error
