"""Turn thousands of lone awaits into few large batches that rows join and leave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from heapq import nsmallest
from traceback import clear_frames

from madbench.engines.jobs import Decoder, Job, OutOfMemory
from madbench.engines.lanes import shares
from madbench.types import Completion, EngineError

QUIET_TICKS = 8
JOIN_SHARE = 8


@dataclass(slots=True)
class Load:
    """What a scheduler did: `limit` rows at once (halved when memory ran out), and what it counted."""

    limit: int
    halvings: int = 0
    stints: int = 0
    widest: int = 0


@dataclass(slots=True)
class Stint:
    """What one stay in the model's thread came to: rows that ended, or the failure that stopped it."""

    done: list[tuple[Job, Completion]] = field(default_factory=list)
    failure: Exception | None = None


class Scheduler:
    """Hands waiting jobs to a decoder and its completions back to whoever awaits them.

    No timer decides when to run: a stint in the model's thread starts once the event loop has gone
    QUIET_TICKS passes without a new job, and lasts until a row ends. Then the rows' owners may ask again,
    and waiting jobs join as soon as 1 / JOIN_SHARE of the rows are free, shared fairly between lanes.

    Running out of memory halves the limit and runs the rows in flight again (equal seeds, equal tokens). A row
    that was alone runs once more, since its decoder has let go of all that it stored; then it is that row's
    EngineError. Rows that another failure took down together run again one by one, so that only the guilty one fails.
    """

    def __init__(self, decoder: Decoder, limit: int) -> None:
        self.load = Load(limit)
        self._decoder = decoder
        self._owners: dict[Job, asyncio.Future[Completion]] = {}
        self._waiting: list[Job] = []
        self._suspects: list[Job] = []
        self._flying: list[Job] = []
        self._again: Job | None = None
        self._served: dict[Hashable, int] = {}
        self._wake = asyncio.Event()
        self._closing = False

    async def complete(self, job: Job) -> Completion:
        """Run one job. Raises EngineError where the model failed on it."""
        if self._closing:
            raise EngineError("the engine is closed")
        future: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self._owners[job] = future
        self._waiting.append(job)
        self._wake.set()
        try:
            return await future
        finally:
            self._owners.pop(job, None)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Scheduler]:
        """Run while the context lasts; jobs that are still open when it ends get an EngineError."""
        with ThreadPoolExecutor(1, thread_name_prefix="model") as thread:
            pump = asyncio.create_task(self._pump(thread))
            try:
                yield self
            finally:
                self._closing = True
                self._wake.set()
                with suppress(asyncio.CancelledError):
                    await pump
                self._abandon(EngineError("the engine was closed"))

    async def _pump(self, thread: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            await self._settle()
            if self._closing:
                return
            batch = self._take()
            stint = await loop.run_in_executor(thread, self._stint, batch)
            self._deliver(stint)
            if not (self._waiting or self._suspects or self._flying):
                self._wake.clear()

    async def _settle(self) -> None:
        quiet, size = 0, len(self._waiting)
        while quiet < QUIET_TICKS:
            await asyncio.sleep(0)
            quiet = quiet + 1 if len(self._waiting) == size else 0
            size = len(self._waiting)

    def _take(self) -> list[Job]:
        """The jobs that join now: as many of each lane as is fair, of equals those served longest ago."""
        self._waiting = [job for job in self._waiting if self._awaited(job)]
        self._suspects = [job for job in self._suspects if self._awaited(job)]
        room = self.load.limit - len(self._flying)
        if self._suspects:
            return [] if self._flying else [self._suspects.pop(0)]
        if not self._waiting or room * JOIN_SHARE < self.load.limit:
            return []
        waiting = sorted((job.lane for job in self._waiting), key=lambda lane: self._served.get(lane, 0))
        given = shares(waiting, (job.lane for job in self._flying), room)
        self._served |= dict.fromkeys(given, self.load.stints + 1)
        batch = [job for lane, rows in given.items() for job in self._nearest(lane, rows)]
        taken = set(batch)
        self._waiting = [job for job in self._waiting if job not in taken]
        return batch

    def _nearest(self, lane: Hashable, rows: int) -> list[Job]:
        """So many of a lane's waiting jobs, those nearest to its oldest one's length first."""
        waiting = [job for job in self._waiting if job.lane == lane]
        oldest = len(waiting[0].ids)
        return nsmallest(rows, waiting, key=lambda job: (abs(len(job.ids) - oldest), job.ids))

    def _stint(self, batch: Sequence[Job]) -> Stint:
        """Admit a batch and step until a row ends. In the model's thread; the loop touches nothing meanwhile."""
        self._flying.extend(batch)
        self.load.stints += 1
        self.load.widest = max(self.load.widest, len(self._flying))
        stint = Stint()
        try:
            if batch:
                self._decoder.admit(batch)
            while self._decoder.live and not stint.done and not self._closing:
                stint.done = self._decoder.advance()
        except Exception as failure:
            stint.failure = failure
            _let_go(failure)
            self._decoder.clear()
        return stint

    def _deliver(self, stint: Stint) -> None:
        for job, completion in stint.done:
            self._flying.remove(job)
            self._answer(job, completion)
        if stint.failure is not None:
            self._recover(stint.failure)

    def _recover(self, failure: Exception) -> None:
        """Line the rows in flight up again, or fail the only one."""
        rows, self._flying = self._flying, []
        alone, short = len(rows) == 1, isinstance(failure, OutOfMemory)
        if alone and short and rows[0] is not self._again:
            self._again = rows[0]
            self._suspects = rows + self._suspects
        elif alone:
            self._answer(rows[0], _as_engine_error(failure))
        elif short:
            self.load.limit = max(1, len(rows) // 2)
            self.load.halvings += 1
            self._waiting = rows + self._waiting
        else:
            self._suspects += rows

    def _answer(self, job: Job, result: Completion | EngineError) -> None:
        if (future := self._awaited(job)) is None:
            return
        if isinstance(result, Completion):
            future.set_result(result)
        else:
            future.set_exception(result)

    def _awaited(self, job: Job) -> asyncio.Future[Completion] | None:
        """What a caller waits for; None where nobody waits any more."""
        future = self._owners.get(job)
        return None if future is None or future.done() else future

    def _abandon(self, error: EngineError) -> None:
        for job in list(self._owners):
            self._answer(job, error)


def _let_go(failure: BaseException) -> None:
    """Free what the frames of a failed step hold, as large tensors, and keep the lines it passed through."""
    behind = [failure]
    for one in behind:  # grows on the way; a failure may be its own cause
        clear_frames(one.__traceback__)
        for inner in (one.__cause__, one.__context__):
            if inner is not None and inner not in behind:
                behind.append(inner)


def _as_engine_error(failure: Exception) -> EngineError:
    error = EngineError(f"{type(failure).__name__}: {failure}")
    error.__cause__ = failure
    return error
