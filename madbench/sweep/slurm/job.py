"""What runs on a node: `python -m madbench.sweep.slurm.job FOLDER`, one task of an array.

It plays its order as any worker does and tells a file instead of a supervisor. SIGUSR2 is SLURM's warning that time is
running out (or, where the site says so, that another job takes the place): the worker stops, having lost nothing, and
the job asks for another turn. SIGTERM stops it as well, but then it is SLURM that decides what comes next.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from madbench.sweep.messages import Order
    from madbench.sweep.slurm.batches import Task

INTERRUPTED = 75
"""As in madbench.sweep.endings, known before anything is imported."""
WARNING = signal.SIGUSR2


class Warned:
    """Whether the warning came, and who is to be told when it does. It may come while modules are still loaded."""

    def __init__(self) -> None:
        self.came = False
        self._stop: Callable[[], object] = lambda: None
        signal.signal(WARNING, self._note)
        signal.signal(signal.SIGTERM, self._leave)

    def _note(self, *_: object) -> None:
        self.came = True
        self._stop()

    def _leave(self, *_: object) -> None:
        """Nothing has begun yet; once it has, the worker listens itself."""
        sys.exit(INTERRUPTED)

    @contextmanager
    def leash(self, stop: Callable[[], object]) -> Iterator[None]:
        """Have `stop` called at the warning, at once if it came already."""
        import asyncio

        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(stop)
        if self.came:
            stop()
        try:
            yield
        finally:
            self._stop = lambda: None

    def close(self) -> bool:
        """Whether the warning came; one that comes later, to a process that is about to end, says nothing any more."""
        signal.signal(WARNING, signal.SIG_IGN)
        return self.came


def main(arguments: list[str]) -> int:
    """Play the order of this task. Returns the exit code, 75 where it was stopped."""
    warned = Warned()
    from madbench.sweep.messages import Order
    from madbench.sweep.slurm.batches import read_batch, tasks_of
    from madbench.sweep.worker import carry_out

    folder = Path(arguments[0])
    batch = read_batch(folder)
    task = tasks_of(folder, batch)[int(os.environ["SLURM_ARRAY_TASK_ID"])]
    order = Order.model_validate_json(task.order.read_text(encoding="utf-8"))
    start, say = begun(task)
    if start and (holder := held(order)):
        give_way(task, start)
        again(holder, turns(task, start), batch.requeues)
        return INTERRUPTED
    begin(order, task.log, start)
    code = carry_out(order, say, warned.leash, batch.report)
    with suppress(OSError):  # a full disk: what it has of this is not what decides on another turn
        say.close()
    if warned.close() and code == INTERRUPTED:
        again("warned of the end: everything is written", turns(task, start), batch.requeues)
    return code


def begun(task: Task) -> tuple[int, TextIO]:
    """How often this task was started before, and a file of this start alone. Files are what counts: SLURM's own count
    is lost with a controller that dies before it saves, and a folder's listing may be old on a network's disk.
    """
    for start in count(len(task.said())):
        with suppress(FileExistsError):
            return start, task.says(start).open("x", encoding="utf-8")
    raise AssertionError


def job_id() -> str:
    """The id of our task. SLURM_JOB_ID will not do: that of an array's last task is the array's own, and means all."""
    return f"{os.environ['SLURM_ARRAY_JOB_ID']}_{os.environ['SLURM_ARRAY_TASK_ID']}"


def begin(order: Order, log: Path, start: int) -> None:
    """Leave in every run's folder which job plays it, where, and where that job's output lies."""
    from madbench.records.layout import RunFolder
    from madbench.sweep.logs import note
    from madbench.sweep.manifests import add_machine

    node = os.environ.get("SLURMD_NODENAME", socket.gethostname())
    for given in order.runs:
        run = RunFolder(Path(given.folder))
        note(run, f"SLURM job {job_id()} on {node}, start {start + 1}; its output is in {log}")
        add_machine(run)
        link = run.path / "job.log"
        with suppress(OSError):
            link.unlink(missing_ok=True)
            link.symlink_to(os.path.relpath(log, run.path))


def held(order: Order) -> str:
    """Which process still writes one of the runs, on a node that SLURM took for lost; nothing where none does."""
    from madbench.records.layout import RunFolder
    from madbench.types import InputError, StorageError

    for given in order.runs:
        try:
            with RunFolder(Path(given.folder)).locked():
                pass
        except StorageError:  # for whoever plays the run to tell
            continue
        except InputError as error:
            return str(error)
    return ""


def give_way(task: Task, start: int) -> None:
    """Note that this start found its run taken, if whoever has it said something since the last note: it says so every
    few seconds, and one that its lock outlived says nothing. What a full disk keeps from being noted counts as a turn.
    """
    from madbench.records.layout import write_text
    from madbench.types import StorageError

    said = sum(file.stat().st_size for file in task.said())
    if said > max((int(note.read_text(encoding="utf-8")) for note in task.yielded()), default=-1):
        with suppress(StorageError):
            write_text(task.yielding(start), f"{said}\n")


def turns(task: Task, start: int) -> int:
    """How many further turns a job has had: its starts, but for those that gave way to one that is still at work."""
    return start - len(task.yielded())


def again(why: str, turns: int, requeues: int) -> None:
    """Ask for another turn of this job, unless it had enough of them; whatever comes of it is in the log."""
    if turns >= requeues:
        print(f"{why}\nhad {turns} further turns already: not requeued", file=sys.stderr)
        return
    print(f"{why}\nasking for another turn", file=sys.stderr, flush=True)
    subprocess.run(["scontrol", "requeue", job_id()], check=False, timeout=60)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
