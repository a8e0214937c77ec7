"""Which of a sweep's jobs are still there: for a command that comes later, and for a user who wants to leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from madbench.sweep.slurm import queue
from madbench.sweep.slurm.batches import Batches, Task
from madbench.sweep.slurm.listening import Watched
from madbench.sweep.slurm.queue import Place, QueueError, Seen


def lives(seen: Seen | None) -> bool:
    """Whether a job has something before it."""
    return seen is not None and not seen.over


def attached(batches: Batches, runs: frozenset[str], buried: Place | None = None) -> list[Watched]:
    """Jobs of other commands that play, or will play, one of these runs. Arrays without a job left are closed.

    One that was `buried` is not looked for, whatever the queue still says of it. Raises QueueError.
    """
    live = alive(batches)
    for batch in batches.open():
        if not any(name == batch.name for name, _ in live):
            batches.write(batch.model_copy(update={"closed": True}))
    found = [
        Watched(task, shared, seen.id, attached=True)
        for task, seen in live.values()
        if (shared := runs & frozenset(task.runs)) and task.place != buried
    ]
    if found:
        told = " ".join(queue.together(watched.id for watched in found))
        print(f"SLURM: {told} of another command still there, followed from here", flush=True)
    return found


def alive(batches: Batches) -> Mapping[Place, tuple[Task, Seen]]:
    """All jobs of all commands that have not ended. Raises QueueError."""
    known = batches.open()
    seen = queue.look([batch.name for batch in known]) if known else {}
    tasks = [task for batch in known for task in batches.tasks(batch)]
    return {task.place: (task, found) for task in tasks if (found := seen.get(task.place)) and not found.over}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a sweep's jobs when its driver leaves."""

    batches: Batches
    runs: frozenset[str]

    def left(self, *, cancel: bool) -> str:
        """What to tell the user; the jobs are cancelled if that is asked for."""
        try:
            jobs = [found for task, found in alive(self.batches).values() if self.runs & frozenset(task.runs)]
            ids = queue.together(job.id for job in jobs)
            if cancel:
                queue.cancel(ids)
        except QueueError as error:
            return f"SLURM does not answer ({error}): jobs may be left; squeue --me shows them"
        if not ids:
            return "SLURM: none of this sweep's jobs is left"
        if cancel:
            return f"SLURM: cancelled {' '.join(ids)}; they write what they hold"
        return (
            f"SLURM: still there: {queue.counts(jobs)} ({' '.join(ids)}). They go on without this command, and the "
            f"same command follows them again. To end them: scancel {' '.join(ids)}"
        )
