"""One job: the episodes of one protocol over the samples of one task, each a row on disk before the next."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from madbench.agents import Cast
from madbench.metrics import MeasuredRun, Rows
from madbench.records.index import Index
from madbench.records.layout import RunFolder
from madbench.records.plan import Asked, Plan, viewed
from madbench.records.shards import Shard
from madbench.records.status import State, Status
from madbench.run.episodes import Play
from madbench.run.merging import merge, write_numbers
from madbench.run.strands import Strand, strands
from madbench.types import Ending, ProtocolSettings, Record, RoleSettings, Sample, StorageError, Task

STATUS_SECONDS = 1.0
FINISHING_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class RunName:
    """Who this run is in tables: words, no identity."""

    arm: str
    task: str
    protocol: str
    cast: str


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run, and where its rows go. `limit` (None: all samples) and `epochs` only extend a plan."""

    folder: RunFolder
    task: Task
    protocol: ProtocolSettings
    defaults: RoleSettings
    seed: int
    epochs: int
    limit: int | None
    name: RunName


def samples_of(task: Task) -> Sequence[Sample]:
    """A task's samples, loaded once for all jobs that share the task."""
    try:
        hash(task)
    except TypeError:  # a list among its settings
        return task.samples()
    return _loaded(task)  # type: ignore[arg-type]


@lru_cache(maxsize=4)
def _loaded(task: Task) -> Sequence[Sample]:
    return task.samples()


def view_of(job: Job) -> Plan:
    """The rows that this job asks for; its folder may hold more."""
    return viewed([sample.problem.id for sample in samples_of(job.task)], job.limit, job.epochs)


def extend_plan(job: Job) -> Plan:
    """Write down what the folder owes from now on."""
    ids = [sample.problem.id for sample in samples_of(job.task)]
    plan = job.folder.read_plan().extended(ids, job.limit, job.epochs)
    job.folder.write_plan(plan, asked(job))
    return plan


async def run_job(
    job: Job, cast: Cast, *, on_episode: Callable[[Record], None] = lambda _: None, concurrency: int = 1024
) -> Status:
    """Play every row of the job that has no final row on disk; a failed episode is a row too.

    At most `concurrency` episodes are in flight. Cancelling the call stops it cleanly: rows are synced, the
    status says `interrupted`, and a later call goes on. Raises InputError on bad input or where another
    process holds the folder; StorageError where rows cannot be written.
    """
    with job.folder.locked():
        index = Index(extend_plan(job))
        index.read(job.folder.shards())
        with Shard.own(job.folder.path / "shards") as shard:
            running = Running(job, index, shard, on_episode)
            return await running.all(Play(job.protocol, job.task, job.defaults, cast, job.seed), concurrency)


class Running:
    """A job under way: strands are taken by a bounded crowd of workers, rows appended as they come."""

    def __init__(self, job: Job, index: Index, shard: Shard, on_episode: Callable[[Record], None]) -> None:
        self._job, self._index, self._shard, self._on_episode = job, index, shard, on_episode
        self._samples = samples_of(job.task)
        self._count = len(self._samples[: job.limit])
        rows = product(islice(self._samples, self._count), range(job.epochs))
        self._planned = self._count * job.epochs
        self._done = sum(index.final(sample.problem.id, epoch) for sample, epoch in rows)
        self._tokens, self._fault, self._told = 0, "", 0.0

    async def all(self, play: Play, concurrency: int) -> Status:
        self._tell("running")
        extent = self._count, self._job.epochs
        pending = strands(self._job.protocol, self._samples, extent, self._index)

        async def work() -> None:
            for strand in pending:
                await self._strand(strand, play)

        try:
            await crowd(work, min(concurrency, self._planned - self._done))
        except asyncio.CancelledError:
            self._tell("interrupted")
            raise
        except Exception as error:
            self._tell("failed", f"{type(error).__name__}: {error}", traceback.format_exc())
            raise
        left = self._planned - self._done
        return self._tell("failed" if self._fault else "incomplete" if left else "done", trace=self._fault)

    async def _strand(self, strand: Strand, play: Play) -> None:
        async for record in strand.played(play):
            place = self._shard.append(record)
            self._index.add(self._shard.path, place, record.id, record.ending)
            self._note(record)
            self._on_episode(record)

    def _note(self, record: Record) -> None:
        self._done += record.ending is not Ending.RETRY
        if record.ending is Ending.RETRY and record.error.startswith("Traceback"):
            self._fault = self._fault or record.error
        for turn in record.turns:
            if not turn.spare:
                self._tokens += turn.completion.prompt_tokens + turn.completion.output_tokens
        if time.monotonic() - self._told > STATUS_SECONDS:
            self._tell("running")

    def _tell(self, state: State, error: str = "", trace: str = "") -> Status:
        error = error or (trace.strip().splitlines() or [""])[-1]
        status = Status(state, self._done, self._planned, self._tokens, error, trace)
        with suppress(StorageError):  # a status that the disk refuses costs no row
            status.write(self._job.folder)
        self._told = time.monotonic()
        return status


async def crowd(work: Callable[[], Coroutine[None, None, None]], size: int) -> None:
    """So many workers at once; the first one's error, as it was raised, stops the others."""
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(size):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def finish_job(job: Job, on_wait: Callable[[], None] = lambda: None) -> MeasuredRun:
    """Merge the shards into tables, hold every seam, write metrics.json; returns the numbers behind it.

    Loads neither task nor model. Another process that does the same, which takes minutes for a million rows, is waited
    for; `on_wait` is called then. Raises SeamError where rows were lost or doubled.
    """
    with job.folder.locked(FINISHING_SECONDS, on_wait):
        job.folder.write_plan(job.folder.read_plan(), asked(job))
        merge(job.folder)
        return measured_run(job, write_numbers(job.folder))


def measured_run(job: Job, rows: Rows) -> MeasuredRun:
    """Rows under the names that tables call this run by."""
    name, planned = job.name, len(asked(job).view(job.folder.read_plan()))
    return MeasuredRun(name.arm, name.task, name.protocol, name.cast, job.seed, planned, rows)


def asked(job: Job) -> Asked:
    return Asked(job.seed, job.epochs, job.limit, job.defaults.model_dump(mode="json"))
