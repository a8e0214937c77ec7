"""The driver of a sweep's SLURM jobs: it submits what nobody plays, follows all, and outlives their deaths."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from madbench.sweep.manifests import write_manifest
from madbench.sweep.messages import Notice
from madbench.sweep.planning import Planned
from madbench.sweep.progress import Progress
from madbench.sweep.slurm import queue
from madbench.sweep.slurm.batches import Batch, Batches, BusyError
from madbench.sweep.slurm.listening import Watched
from madbench.sweep.slurm.queue import Place, QueueError, Seen
from madbench.sweep.slurm.settings import SlurmSettings
from madbench.sweep.slurm.standing import Standing, attached, lives
from madbench.sweep.slurm.submitting import RejectedError, Submitter
from madbench.sweep.standing import finished
from madbench.sweep.sweeping import Player, by_cast
from madbench.types import InputError, MadbenchError

Result = TypeVar("Result")


def submitted(settings: SlurmSettings) -> Player:
    """SLURM jobs, followed until they end; those of an earlier command are followed as well."""

    async def play(runs: Sequence[Planned], progress: Progress) -> bool:
        driver = Driver(runs, progress, settings)
        standing = Standing(driver.batches, frozenset(run.id for run in runs))
        try:
            await whole(driver.begin)
            if settings.watch.follow:
                await driver.follow()
        except asyncio.CancelledError:
            print(standing.left(cancel=settings.on_interrupt == "cancel"), flush=True)
            raise
        if not settings.watch.follow:
            print(standing.left(cancel=False), flush=True)
        return settings.watch.follow

    return play


async def whole(call: Callable[[], Result]) -> Result:
    """Make a call that takes its time, in a thread. Cancelled meanwhile, it is finished all the same."""
    making = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait([making])
        raise


class Driver:
    """Follows the jobs of one sweep."""

    def __init__(self, runs: Sequence[Planned], progress: Progress, settings: SlurmSettings) -> None:
        self._runs = {run.id: run for run in runs}
        self._progress, self._settings = progress, settings
        self.batches = Batches(runs[0].config.home)
        self._submitter = Submitter(settings, self.batches)
        self._watched: list[Watched] = []
        self._deaths: Counter[str] = Counter()
        self._displaced: Counter[str] = Counter()
        self._seen: Mapping[Place, Seen] = {}
        self._told: set[str] = set()

    def begin(self) -> None:
        """Attach to jobs that still play one of the runs, submit the others.

        Raises InputError where the queue cannot be asked, since nothing may be submitted twice, and for what cannot
        be submitted.
        """
        if strange := sorted(set(self._settings.casts) - {run.name.cast for run in self._runs.values()}):
            here = sorted({run.name.cast for run in self._runs.values()})
            self._say(
                f"hydra.launcher.casts: nothing to submit is of {', '.join(strange)}; there is {', '.join(here)}"
            )
        try:
            self._enlist([*self._runs])
        except QueueError as error:
            raise InputError(f"hydra/launcher=slurm: cannot ask for what is there: {error}") from error

    def _enlist(self, runs: Sequence[str], *, alone: bool = False, buried: Place | None = None) -> None:
        """Follow jobs of other commands that play one of these runs, and submit the others: alone, since two drivers
        see the same job die.
        """
        with self.batches.locked():
            found = attached(self.batches, frozenset(runs), buried)
            self._watched += found
            taken = {run for watched in found for run in watched.runs}
            for batch in self._submit([run for run in runs if run not in taken], alone=alone):
                self._watch(batch)

    def _submit(self, runs: Sequence[str], *, alone: bool = False) -> list[Batch]:
        chosen = [self._runs[run] for run in runs]
        for run in chosen:
            write_manifest(run)
        return self._submitter.submit(by_cast(chosen), alone=alone)

    def _watch(self, batch: Batch) -> None:
        tasks = self.batches.tasks(batch)
        for task in tasks:
            id = f"{batch.array}_{task.number}"
            self._watched.append(Watched(task, frozenset(task.runs), id))
        told = f"SLURM: array {batch.array}, {len(tasks)} jobs, submitted"
        print(f"{told}; their output is in {tasks[0].folder}", flush=True)

    async def follow(self) -> None:
        """Until every run has ended one way or another."""
        while self._watched:
            await self._round()
            if self._watched:
                await asyncio.sleep(self._settings.watch.every)

    async def _round(self) -> None:
        for watched in self._watched:
            watched.listen(self._progress)
        await self._stop_at_failure()
        for watched in [one for one in self._watched if not one.left(self._progress)]:
            self._watched.remove(watched)
            await self._complete(watched)
        if not self._watched or not await self._look():
            return
        for watched in [one for one in self._watched if self._dead(one)]:
            self._watched.remove(watched)
            await self._bury(watched)

    async def _complete(self, watched: Watched) -> None:
        """A job of an earlier command may have been asked for fewer rows than this one."""
        done = [self._runs[run] for run in sorted(watched.runs) if self._progress.state(run) == "done"]
        if watched.attached and (short := [run.id for run in done if finished(run) < run.episodes]):
            await self._again(watched, short, alone=False)

    async def _look(self) -> bool:
        """Ask the queue; whether it answered. It is asked again as long as it does not."""
        names = {watched.task.folder.name for watched in self._watched}
        try:
            self._seen = await whole(lambda: queue.look(names))
        except QueueError as error:
            self._say(f"SLURM does not answer: {error}. Asking again.")
            return False
        for watched in self._watched:
            if found := self._seen.get(watched.place):
                watched.id = found.id
        return True

    def _dead(self, watched: Watched) -> bool:
        """Whether the queue has said for long enough that a job has ended, with no word from it meanwhile, or says that
        it never will begin.
        """
        found = self._seen.get(watched.place)
        if found is not None and found.hopeless:
            self._say(f"job {found.id} cannot start ({found.reason}): cancelled, and taken for dead")
            return True
        if lives(found):
            watched.gone = None
            return False
        watched.gone = watched.gone or time.monotonic()
        return time.monotonic() - watched.gone >= self._settings.watch.settle

    async def _bury(self, watched: Watched) -> None:
        """A job is gone that owes something: its place was taken, it was stopped, or it died."""
        watched.listen(self._progress)
        left, why = watched.left(self._progress), await whole(lambda: queue.cause(watched.id))
        found = self._seen.get(watched.place)
        if queue.PREEMPTED in (why.partition(",")[0], found and found.state):
            await self._replace(
                watched, left, f"SLURM job {watched.id} lost its place, and was not requeued ({why})."
            )
            await self._complete(watched)
            return
        halted = [run for run in left if watched.stopped(run, self._progress) or "CANCELLED" in why]
        for run in halted:
            self._progress.end(run, "interrupted", f"SLURM job {watched.id} was stopped ({why}).")
        if lives(found):
            await self._cancel([watched.id])
        if died := [run for run in left if run not in halted]:
            await self._mourn(watched, died, f"SLURM job {watched.id} died ({why}).")
        await self._complete(watched)

    async def _replace(self, watched: Watched, left: Sequence[str], told: str) -> None:
        """Submit what a job left whose place another took: no run is at fault, and each has as many further turns as a
        site that requeues would give it.
        """
        for run in left:
            self._displaced[run] += 1
            self._progress.end(run, "interrupted", told)
        if more := [run for run in left if self._displaced[run] <= self._settings.requeues]:
            self._say(f"{told} What it left is submitted again.")
            await self._again(watched, more, alone=False)

    async def _mourn(self, watched: Watched, died: Sequence[str], told: str) -> None:
        """Submit what a dead job left, each run alone, but for runs that had deaths enough."""
        for run in died:
            self._deaths[run] += 1
            self._progress.end(
                run, "failed", f"{told} Its output: {watched.task.log}\n{watched.last_words()}"
            )
        if more := [run for run in died if self._deaths[run] <= self._settings.resubmits]:
            self._say(f"{told} What it left is submitted again.")
            await self._again(watched, more, alone=True)

    async def _again(self, buried: Watched, runs: Sequence[str], *, alone: bool) -> None:
        """Have runs played once more, as soon as SLURM answers; what cannot be submitted has failed."""
        known = len(self._watched)
        try:
            await self._answered(lambda: self._enlist(runs, alone=alone, buried=buried.place))
        except MadbenchError as error:
            self._say(str(error))
            for batch in error.before if isinstance(error, RejectedError) else ():
                self._watch(batch)
            for run in runs:
                self._progress.end(run, "failed", self._progress.note(run) or str(error))
        for run in {run for watched in self._watched[known:] for run in watched.runs}:
            self._progress.end(run, "waiting")

    async def _answered(self, call: Callable[[], None]) -> None:
        """Make a call again until SLURM answers it and no other driver is at it."""
        while True:
            try:
                await whole(call)
            except (QueueError, BusyError) as error:
                self._say(f"not submitted yet: {error}. Asking again.")
                await asyncio.sleep(self._settings.watch.every)
            else:
                return

    async def _stop_at_failure(self) -> None:
        failed = any(self._progress.state(run) in ("failed", "refused") for run in self._runs)
        if failed and self._settings.on_failure == "stop":
            await self._look()
            await self._cancel([one.id for one in self._watched if lives(self._seen.get(one.place))])

    async def _cancel(self, ids: Sequence[str]) -> None:
        try:
            await whole(lambda: queue.cancel(queue.together(ids)))
        except QueueError as error:
            self._say(f"cannot cancel {' '.join(ids)}: {error}")

    def _say(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._progress.hear("driver", Notice(text=text))
