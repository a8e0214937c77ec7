"""Protocols and trackers that go wrong on purpose."""

import os
import signal
from dataclasses import dataclass

from madbench.agents import Episode
from madbench.protocols.cot import ChainOfThought
from madbench.tracking import Published, TrackedRun
from madbench.types import Outcome, Problem


@dataclass(frozen=True, kw_only=True)
class Raising(ChainOfThought):
    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        raise ZeroDivisionError("wrong on purpose")


@dataclass(frozen=True, kw_only=True)
class Killing(ChainOfThought):
    """Kills its own process, so often as `lives` files can still be made in `folder`."""

    folder: str
    times: int = 1

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        outcome = await super().__call__(problem, episode)
        used = sum(1 for _ in os.scandir(self.folder))
        if used < self.times:
            os.mknod(f"{self.folder}/{used}")
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome


@dataclass(frozen=True)
class Losing:
    """A tracker that loses its last row and notices nothing, or fails and says so."""

    problem: str = ""

    def publish(self, run: TrackedRun) -> Published:
        due = tuple(str(row["id"]) for row in run.rows)
        return Published("online", due, due[:-1], len(due), self.problem)
