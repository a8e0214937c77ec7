"""What was handed to SLURM: a folder an array, written before sbatch is called, so that no job is lost sight of."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import Timeout
from pydantic import ValidationError

from madbench.records.layout import component, write_text
from madbench.records.locks import locked
from madbench.sweep.messages import Order
from madbench.types import InputError, Strict

PATIENCE = 120.0
"""Seconds that a second driver waits while a first one submits."""


class BusyError(InputError):
    """Another driver submits, and has for too long."""


class Batch(Strict):
    """One array. Its name, which no other has, is its jobs' name: the queue finds them by it even where the id that
    sbatch gave was never written down. `tasks` are the run folders of each job. A closed one has no job any more.
    """

    name: str
    tasks: tuple[tuple[str, ...], ...]
    requeues: int
    report: float
    array: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One job of an array, whether it runs, waits, or ended."""

    folder: Path
    number: int
    runs: tuple[str, ...]

    @property
    def place(self) -> tuple[str, int]:
        return self.folder.name, self.number

    @property
    def order(self) -> Path:
        return self.folder / f"{self.number}.order.json"

    @property
    def log(self) -> Path:
        """What the job printed, all of its starts."""
        return self.folder / f"{self.number}.log"

    def says(self, start: int) -> Path:
        """What the job's worker tells of its runs, a file a start: SLURM may start a job again."""
        return self.folder / f"{self.number}.{start}.jsonl"

    def said(self) -> list[Path]:
        """Those files, in the order of the starts."""
        found = self.folder.glob(f"{self.number}.*.jsonl")
        return sorted(found, key=lambda file: int(file.name.split(".")[1]))

    def yielding(self, start: int) -> Path:
        """Where a start that left its run to another, which was still at it, notes how much that one had said."""
        return self.folder / f"{self.number}.{start}.yielded"

    def yielded(self) -> list[Path]:
        """Those notes, in any order."""
        return [*self.folder.glob(f"{self.number}.*.yielded")]


@dataclass(frozen=True, slots=True)
class Batches:
    """All arrays that were ever submitted for an experiment's folder."""

    home: Path

    @property
    def folder(self) -> Path:
        return self.home / "slurm"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Look and submit alone. Raises BusyError where another driver is at it for too long."""
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            lock = locked(self.folder / "submit.lock", PATIENCE)
        except Timeout as error:
            raise BusyError(
                f"{self.folder}: another command is submitting this sweep; wait for it"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def new(self, orders: Sequence[Order], requeues: int, report: float) -> Batch:
        """Write down what is about to be submitted."""
        now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        name = f"{component(self.home.name, 60)}-{now}-{secrets.token_hex(3)}"
        (self.folder / name).mkdir()
        tasks = tuple(tuple(run.folder for run in order.runs) for order in orders)
        batch = Batch(name=name, tasks=tasks, requeues=requeues, report=report)
        for task, order in zip(self.tasks(batch), orders, strict=True):
            write_text(task.order, order.model_dump_json(indent=1))
        self.write(batch)
        return batch

    def write(self, batch: Batch) -> None:
        write_text(self.folder / batch.name / "batch.json", batch.model_dump_json(indent=1) + "\n")

    def open(self) -> list[Batch]:
        """Arrays that may still have jobs."""
        found = [read_batch(file.parent) for file in sorted(self.folder.glob("*/batch.json"))]
        return [batch for batch in found if not batch.closed]

    def tasks(self, batch: Batch) -> list[Task]:
        return tasks_of(self.folder / batch.name, batch)


def tasks_of(folder: Path, batch: Batch) -> list[Task]:
    return [Task(folder, number, runs) for number, runs in enumerate(batch.tasks)]


def read_batch(folder: Path) -> Batch:
    """Raises InputError where its file cannot be read."""
    file = folder / "batch.json"
    try:
        return Batch.model_validate_json(file.read_text(encoding="utf-8"))
    except ValidationError as error:
        raise InputError(f"{file}: not readable ({error.errors()[0]['msg']})") from error
