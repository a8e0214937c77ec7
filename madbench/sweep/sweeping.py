"""A sweep from composed configs to its report."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from madbench.records.layout import RunFolder
from madbench.sweep.checks import claim_home
from madbench.sweep.configs import JobConfig
from madbench.sweep.display import show
from madbench.sweep.dry import dry_run
from madbench.sweep.endings import DONE
from madbench.sweep.manifests import write_manifest
from madbench.sweep.messages import Assignment, PoolSettings
from madbench.sweep.planning import Planned, plan
from madbench.sweep.pool import Pool
from madbench.sweep.progress import Progress, Row
from madbench.sweep.standing import before, reason, tell_failure
from madbench.sweep.summing import conclude
from madbench.types.spelling import plain

SIGNALS = (signal.SIGINT, signal.SIGTERM)
Player = Callable[[Sequence[Planned], Progress], Coroutine[None, None, bool]]
"""Plays runs and tells how they come along; False if they were interrupted. Cancelled, it loses nothing."""


@dataclass(frozen=True, slots=True)
class Swept:
    """How it ended: the exit code; of every job, in their order, the folder of its run, or why it has no numbers."""

    code: int
    ends: tuple[RunFolder | str, ...] = ()


def sweep(jobs: Sequence[JobConfig], player: Player, earlier: Sequence[JobConfig] = ()) -> Swept:
    """Check all jobs, run what is missing, report. A dry run has no ends.

    Jobs that the same sweep ran `earlier` are reported as they ended, and not run again.
    Raises InputError before any run starts, KeyboardInterrupt where a signal stopped it.
    """
    runs = plan([*earlier, *jobs])
    if jobs[0].extent.dry_run:
        print(plain(dry_run(runs), keep="\n\t"))
        return Swept(DONE)
    claim_home([run.config.home for run in runs])
    for run in runs:
        run.folder.claim(run.facts)
    known = [before(run) for run in runs]
    rows = [Row(run.name.arm, run.id, run.episodes, one.done) for run, one in zip(runs, known, strict=True)]
    progress = Progress(rows)
    for run, one in zip(runs, known, strict=True):
        if one.state != "waiting":
            progress.end(run.id, one.state, one.problem)
    for run in runs[: len(earlier)]:
        if progress.state(run.id) == "waiting":
            progress.end(run.id, "failed", "it ended earlier in this sweep, and not in order")
    missing = [run for run in runs if progress.state(run.id) == "waiting"]
    over = sum(one.state == "done" for one in known)
    print(f"{jobs[0].home}: {len(runs)} runs, {over} of them finished before", flush=True)
    if missing and not asyncio.run(play(missing, progress, player)):
        raise KeyboardInterrupt
    _note_deaths(runs, progress)
    code = conclude(runs, progress)
    return Swept(code, tuple(_end(run, progress) for run in runs[len(earlier) :]))


def pooled(settings: PoolSettings) -> Player:
    """Worker processes of this machine, one per cast."""

    async def play(runs: Sequence[Planned], progress: Progress) -> bool:
        for run in runs:
            write_manifest(run)
        await Pool(settings, runs[0].config.home / "logs", progress.hear).play(by_cast(runs))
        return settings.on_failure == "stop" or all(progress.state(run.id) != "interrupted" for run in runs)

    return play


def by_cast(runs: Sequence[Planned]) -> list[list[Assignment]]:
    """Assignments of runs that can share a worker."""
    groups: dict[str, list[Assignment]] = {}
    for run in runs:
        groups.setdefault(run.group, []).append(assignment(run))
    return list(groups.values())


async def play(runs: Sequence[Planned], progress: Progress, player: Player) -> bool:
    """Play runs before a user's eyes. False if a signal stopped it; a second one does not wait for workers."""
    playing, showing = asyncio.create_task(player(runs, progress)), asyncio.create_task(show(progress))
    try:
        with stopping(playing.cancel):
            return await playing
    except asyncio.CancelledError:
        return False
    finally:
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)
        print(*progress.notices, sep="\n", end="\n" if progress.notices else "", flush=True)


@contextmanager
def stopping(stop: Callable[[], object]) -> Iterator[None]:
    """Signals that end a process call `stop` instead, as long as the context lasts."""
    loop, before = asyncio.get_running_loop(), {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])


def assignment(run: Planned) -> Assignment:
    return Assignment(
        config=run.config,
        folder=run.id,
        arm=run.name.arm,
        task=run.name.task,
        protocol=run.name.protocol,
        cast=run.name.cast,
    )


def _end(run: Planned, progress: Progress) -> RunFolder | str:
    state = progress.state(run.id)
    return run.folder if state == "done" else f"{state}: {run.name.arm}: {reason(progress.note(run.id))}"


def _note_deaths(runs: Sequence[Planned], progress: Progress) -> None:
    """A run whose worker died could not say so in its own folder."""
    for run in runs:
        if progress.state(run.id) == "failed":
            tell_failure(run, progress.note(run.id))
