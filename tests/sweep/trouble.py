"""Protocols, models and trackers that go wrong on purpose."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from madbench.agents import Episode
from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.protocols.cot import ChainOfThought
from madbench.tracking import Published, TrackedRun
from madbench.types import Completion, Outcome, Problem, Request


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


@dataclass(frozen=True, kw_only=True)
class Waiting(ChainOfThought):
    """Plays its first `free` episodes at once; each of the others waits until a file is made in `folder`."""

    folder: str
    file: str
    free: int = 4

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        for _ in iter(lambda: self._held(problem), False):
            await asyncio.sleep(0.05)
        return await super().__call__(problem, episode)

    def _held(self, problem: Problem) -> bool:
        marks = Path(self.folder, f"{self.file}.marks")
        marks.mkdir(parents=True, exist_ok=True)
        mark = marks / problem.id.replace("/", "_")
        if len(list(marks.iterdir())) < self.free:
            mark.touch()
        return not (mark.exists() or Path(self.folder, self.file).exists())


@dataclass(frozen=True)
class Stored(SimulatedModel):
    """Gives stored texts: one for everything, or one for each seat's first words (the same whatever it hears)."""

    per_seat: bool = False

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[SimulatedEngine]:
        yield StoredEngine(self)


class StoredEngine(SimulatedEngine):
    async def generate(self, request: Request) -> Completion:
        said = await super().generate(request)
        if not self._model.per_seat:
            return replace(said, text="As an expert in such questions I can say this.\nAnswer: B")
        before = [message.text for message in request.messages if message.role == "assistant"]
        return replace(said, text=before[-1]) if before else said


@dataclass(frozen=True)
class Losing:
    """A tracker that loses its last row and notices nothing, or fails and says so."""

    problem: str = ""

    def publish(self, run: TrackedRun) -> Published:
        due = tuple(str(row["id"]) for row in run.rows)
        return Published("online", due, due[:-1], len(due), self.problem)


class Interrupted:
    """Ctrl-C comes while a text is executed."""

    def __init__(self):
        exec("raise KeyboardInterrupt")
