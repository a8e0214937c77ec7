"""One run in a worker: played, counted, watched over, and told of."""

from __future__ import annotations

import asyncio
import sys
import traceback
from pathlib import Path
from typing import TextIO

from madbench.agents import Cast
from madbench.engines.lanes import LANE
from madbench.metrics.guard import telling, watch
from madbench.run.job import RunName, run_job
from madbench.sweep.logs import note
from madbench.sweep.messages import Assignment, News, Notice, State, WorkerSettings, write
from madbench.sweep.planning import restore
from madbench.types import Ending, InputError, MadbenchError, Record

FIRST = 8
"""So many episodes of a run are looked at, to say at once if it is dead; …"""
MOST = 64
"""… more of them, up to so many, where the first ones can tell nothing."""


class DeadRunError(MadbenchError):
    """A run whose first episodes mean nothing, stopped since its user wanted it so."""


class Play:
    """One run on its way, and what there is to tell of it."""

    def __init__(self, given: Assignment, settings: WorkerSettings, say: TextIO) -> None:
        self._settings = settings
        self._first: list[Record] | None = []
        name = RunName(given.arm, given.task, given.protocol, given.cast)
        self.run = restore(given.config, name, Path(given.folder))
        self._say, self._news = say, News(folder=given.folder, state="waiting")

    def count(self, record: Record) -> None:
        """Note an episode that ended; one that is to be tried again is not done."""
        charged = [turn.completion for turn in record.turns if not turn.spare]
        self._news = self._news.model_copy(
            update={
                "done": self._news.done + (record.ending is not Ending.RETRY),
                "prompt_tokens": self._news.prompt_tokens + sum(c.prompt_tokens for c in charged),
                "output_tokens": self._news.output_tokens + sum(c.output_tokens for c in charged),
            }
        )
        if self._first is not None:
            self._first.append(record)
            count = len(self._first)
            if count == MOST or (count >= FIRST and telling(self._first)):
                self.look()

    def look(self) -> None:
        """Announce what the first episodes show to be wrong. Raises DeadRunError where that is to stop the run."""
        first, self._first = self._first or [], None
        for alarm in watch(first):
            text = f"{self.run.name.arm}: {alarm}; in {self.run.folder.path}"
            write(self._say, Notice(text=text))
            note(self.run.folder, text)
            if self._settings.on_dead == "stop":
                raise DeadRunError(text)

    def tell(self, **changes: str) -> None:
        self._news = self._news.model_copy(update=changes)
        write(self._say, self._news)

    async def play(self, cast: Cast) -> bool:
        """Play all episodes; a run that fails is reported with its traceback, and takes no other with it."""
        self._enter("running")
        LANE.set(self.run.folder.path)
        try:
            many = self._settings.concurrency if self._settings.resident == "all" else sys.maxsize
            status = await run_job(self.run.job, cast, on_episode=self.count, concurrency=many)
            self.look()
        except asyncio.CancelledError:
            self._enter("interrupted")
            raise
        except Exception as error:
            told = str(error) if isinstance(error, MadbenchError) else traceback.format_exc()
            self._enter("refused" if isinstance(error, InputError) else "failed", told)
            return False
        self._enter(status.state, status.traceback or status.error)
        return status.state == "done"

    def leave(self) -> None:
        """Note that a run which never began was interrupted too."""
        if self._news.state == "waiting":
            self._enter("interrupted")

    def _enter(self, state: State, reason: str = "") -> None:
        """Say so to the supervisor and in the run's own log."""
        self.tell(state=state, note=reason)
        note(self.run.folder, f"{state} {reason}")
