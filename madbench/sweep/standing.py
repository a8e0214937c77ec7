"""How a run stands, as its own folder tells; and telling it there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from madbench.records.index import Index
from madbench.records.plan import Plan
from madbench.records.status import Status, read_status
from madbench.run.job import view_of
from madbench.sweep.logs import note
from madbench.sweep.messages import State
from madbench.sweep.planning import Planned
from madbench.types import InputError, StorageError


@dataclass(frozen=True, slots=True)
class Before:
    """What a folder holds of a run when a sweep begins: `waiting` for more, `done`, or not to be read."""

    state: State
    done: int = 0
    problem: str = ""


def before(run: Planned) -> Before:
    """A run whose rows cannot be read stops no other."""
    try:
        done = finished(run)
    except (InputError, StorageError) as error:
        note(run.folder, str(error))
        return Before("refused" if isinstance(error, InputError) else "failed", problem=str(error))
    return Before("done" if done == run.episodes else "waiting", done)


def finished(run: Planned) -> int:
    """How many rows in view are final on disk."""
    view = view_of(run.job)
    index = Index(Plan({**run.folder.read_plan().owed, **view.owed}))
    index.read(run.folder.shards())
    return sum(index.final(*row) for row in view)


def tell_failure(run: Planned, told: str) -> None:
    """Note what a run failed of, unless it said so itself; as far as its disk lets us."""
    with suppress(InputError, StorageError):
        found = read_status(run.folder)
        if found is None or found.state in ("running", "done"):
            note(run.folder, told)
            error = reason(told)
            Status("failed", finished(run), run.episodes, error=error, traceback=told).write(run.folder)


def tell_success(run: Planned) -> None:
    """A run that failed when its files were last put together, and now does not, is done."""
    with suppress(InputError, StorageError):
        found = read_status(run.folder)
        if found is not None and found.state == "failed" and found.done == found.planned:
            Status("done", found.done, found.planned, found.tokens).write(run.folder)


def reason(told: str) -> str:
    """What a run ended of, in one line: a traceback's last, any other text's first."""
    lines = told.strip().splitlines() or ["did not start"]
    return lines[-1] if any(line.startswith("Traceback") for line in lines) else lines[0]
