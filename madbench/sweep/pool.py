"""The supervisor of worker processes: one per cast, started again when it dies, and outlived by its sweep."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from madbench.records.layout import component
from madbench.sweep.endings import INTERRUPTED
from madbench.sweep.messages import Assignment, Message, News, Notice, Order, PoolSettings

DEATHS = 2
"""A worker that died so often is not trusted with several runs at once any more."""
GRACE = 30.0
"""Seconds that a worker has to write what it holds when told to stop."""
MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


Hear = Callable[[str, Message], None]
"""Called with a worker's name and what it said."""


class Pool:
    """Plays groups of runs in worker processes. `logs` is the folder of the workers' standard errors."""

    def __init__(self, settings: PoolSettings, logs: Path, hear: Hear) -> None:
        self._settings, self._logs, self._hear = settings, logs, hear
        self._gate = asyncio.Semaphore(settings.workers)
        self._states: dict[str, News] = {}
        self._stopping = False
        self._live: set[asyncio.subprocess.Process] = set()

    async def play(self, groups: Iterable[Sequence[Assignment]]) -> None:
        """Returns when every run has ended one way or another; cancelled, it stops its workers and waits for them."""
        async with asyncio.TaskGroup() as group:
            for number, runs in enumerate(groups):
                group.create_task(self._group(f"worker{number}", runs))

    async def _group(self, name: str, runs: Sequence[Assignment]) -> None:
        """All runs of one cast in one worker; after two deaths each alone, so that it takes no other with it."""
        async with self._gate:
            for life in range(DEATHS):
                died = await self._worker(f"{name}.{life}", self._open(runs))
                if died is None:
                    return
                self._hear(name, Notice(text=f"{died.splitlines()[0]} Starting another, which resumes."))
            for run in self._open(runs):
                died = await self._worker(component(f"{name}-{run.arm}"), [run])
                if died is not None:
                    self._note(name, News(folder=run.folder, state="failed", note=died))

    def _open(self, runs: Sequence[Assignment]) -> list[Assignment]:
        """Runs that have not ended; none once the sweep is to stop."""
        ended = {
            folder
            for folder, news in self._states.items()
            if news.state in ("done", "incomplete", "failed", "refused", "interrupted")
        }
        return [] if self._stopping else [run for run in runs if run.folder not in ended]

    async def _worker(self, name: str, runs: Sequence[Assignment]) -> str | None:
        """Start a worker and hear it to its end; what it died of, None if it ended in order."""
        if not runs:
            return None
        order = Order(runs=tuple(runs), settings=self._settings)
        self._logs.mkdir(parents=True, exist_ok=True)
        log = self._logs / f"{name}-{os.getpid()}.log"
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "madbench.sweep.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                limit=1 << 24,
            )
        self._live.add(process)
        try:
            await self._converse(name, process, order)
        except asyncio.CancelledError:
            await self._stop(process)
            raise
        finally:
            self._live.discard(process)
            last_words = _taken(log)
        if self._open(runs) and process.returncode != INTERRUPTED:
            return f"The worker process died ({_cause(process.returncode)}).\n{last_words}"
        return None

    async def _converse(self, name: str, process: asyncio.subprocess.Process, order: Order) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(order.model_dump_json().encode() + b"\n")
        async for line in process.stdout:
            if line.endswith(b"\n"):  # the last words of one that was killed may be torn
                self._note(name, MESSAGE.validate_json(line))
        await process.wait()

    def _note(self, worker: str, message: Message) -> None:
        if isinstance(message, News):
            self._states[message.folder] = message
            if message.state in ("failed", "refused") and self._settings.on_failure == "stop":
                self._stopping = True
                for process in self._live:
                    with suppress(ProcessLookupError):  # it ended, and was not taken from the list yet
                        process.send_signal(signal.SIGTERM)
        self._hear(worker, message)

    async def _stop(self, process: asyncio.subprocess.Process) -> None:
        """Ask a worker to stop; end it and its children if it does not, or if asked a second time."""
        if process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), GRACE)
        except (TimeoutError, asyncio.CancelledError):
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        return f"{name}, often out of memory" if name == "SIGKILL" else name
    return f"exit code {code}"


def _taken(log: Path, lines: int = 30) -> str:
    """The last lines of a worker's log; an empty one is removed."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if not text:
        log.unlink()
    return "\n".join(text.splitlines()[-lines:])
