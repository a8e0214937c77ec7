"""A worker process: opens each model of one cast once and plays all its runs at the same time.

It reads one Order from standard input and writes News and Spent, a JSON line each, to standard output. Its
supervisor holds standard input open: when that closes, or on SIGTERM, it stops, having lost nothing.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from pydantic import JsonValue

from madbench.agents import Cast
from madbench.engines.phases import Beside, Described, Phases, Weighty
from madbench.records.journal import Journal
from madbench.run.journaled import JournaledEngine
from madbench.sweep.building import Built
from madbench.sweep.endings import BAD_INPUT, DONE, FAILED, INTERRUPTED
from madbench.sweep.manifests import add_engines
from madbench.sweep.messages import News, Notice, Order, Spent, WorkerSettings, write
from madbench.sweep.playing import Play
from madbench.types import Engine, InputError, Model, StorageError

PERIOD = 0.5
"""Seconds between two reports of progress."""
Leash = Callable[[Callable[[], object]], AbstractContextManager[None]]
"""A context in which something may call what it was given, to stop the work."""


class Engines:
    """The open models of this process: one journaled engine for each distinct setting."""

    def __init__(self, stack: AsyncExitStack, say: TextIO, phases: Phases | None) -> None:
        self._stack, self._say, self._phases = stack, say, phases
        self._open: list[tuple[Model, Engine, JournaledEngine]] = []

    async def of(self, model: Model, home: Path) -> JournaledEngine:
        """The engine of a model, opened at its first call."""
        for known, _, journaled in self._open:
            if known == model:
                return journaled
        write(self._say, Notice(text=f"opening {model.name}"))
        journal = self._stack.enter_context(Journal(home / "journal" / model.fingerprint()))
        engine = await self._opened(model)
        self._open.append((model, engine, JournaledEngine(engine, journal)))
        return self._open[-1][2]

    async def _opened(self, model: Model) -> Engine:
        """A model that stays open, or one that is loaded whenever its turn comes."""
        if self._phases is None:
            return await self._stack.enter_async_context(model.open())
        if isinstance(model, Weighty):
            return await self._phases.engine(model)
        return Beside(self._phases, await self._stack.enter_async_context(model.open()))

    async def cast(self, built: Built, home: Path) -> Cast:
        """The players of a run's roles; a default that nobody needs is not opened."""
        needed = {role if built.cast.get(role) else "default" for role in built.protocol.plays}
        return Cast({role: [await self.of(one, home) for one in built.cast[role]] for role in sorted(needed)})

    def facts(self) -> dict[str, JsonValue]:
        """What the engines say of themselves, by model."""
        return {
            model.name: engine.facts() for model, engine, _ in self._open if isinstance(engine, Described)
        }

    def spent(self, seconds: float) -> Spent:
        counts = [engine.counts for _, _, engine in self._open]
        return Spent(
            calls=sum(count.calls for count in counts),
            shared=sum(count.shared for count in counts),
            prompt_tokens=sum(count.prompt_tokens for count in counts),
            output_tokens=sum(count.output_tokens for count in counts),
            seconds=seconds,
        )


async def work(order: Order, say: TextIO, period: float = PERIOD) -> int:
    """Play an order to its end. Returns the exit code."""
    plays = [Play(given, order.settings, say) for given in order.runs]
    try:
        return await _played(plays, order.settings, say, period)
    except asyncio.CancelledError:
        for play in plays:
            play.leave()
        raise


async def _played(plays: list[Play], settings: WorkerSettings, say: TextIO, period: float) -> int:
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        phases = await stack.enter_async_context(Phases().running()) if settings.resident == "one" else None
        engines = Engines(stack, say, phases)
        casts = [await engines.cast(play.run.built, play.run.config.home) for play in plays]
        for play in plays:
            add_engines(play.run.folder, engines.facts())
        ticker = asyncio.create_task(_tick(plays, engines, say, period))
        try:
            playing = [play.play(cast) for play, cast in zip(plays, casts, strict=True)]
            fine = await _all(playing, stop=settings.on_failure == "stop")
        finally:
            ticker.cancel()
            with suppress(StorageError):  # what they said at the start is there
                for play in plays:
                    add_engines(play.run.folder, engines.facts())
            write(say, engines.spent(time.monotonic() - began))
    return DONE if fine else FAILED


async def _all(runs: list[Coroutine[None, None, bool]], *, stop: bool) -> bool:
    """Whether every run went well; with `stop`, the first failure cancels the others."""
    tasks = [asyncio.create_task(run) for run in runs]
    try:
        for finished in asyncio.as_completed(tasks):
            if not await finished and stop:
                break
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    return all(end is True for end in ends)


async def _tick(plays: list[Play], engines: Engines, say: TextIO, period: float) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(period)
        for play in plays:
            play.tell()
        write(say, engines.spent(time.monotonic() - began))


async def obey(order: Order, say: TextIO, leash: Leash, period: float = PERIOD) -> int:
    """Work until done or told to stop by what `leash` arranges. Returns the exit code."""
    playing = asyncio.create_task(work(order, say, period))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, playing.cancel)
    with leash(playing.cancel):
        try:
            return await playing
        except asyncio.CancelledError:
            return INTERRUPTED


@contextmanager
def supervised(stop: Callable[[], object]) -> Iterator[None]:
    """Stop when the supervisor is gone: it held standard input open."""
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin.fileno(), stop)
    try:
        yield
    finally:
        loop.remove_reader(sys.stdin.fileno())


def _line(source: int) -> bytes:
    """The one line that a supervisor writes, unbuffered: whatever follows it is the end."""
    text = b""
    while not text.endswith(b"\n") and (chunk := os.read(source, 1 << 16)):
        text += chunk
    return text


def main() -> int:
    """Read an order, work, and keep standard output for messages alone: other prints go to standard error."""
    say = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    order = Order.model_validate_json(_line(sys.stdin.fileno()))
    return carry_out(order, say, supervised)


def carry_out(order: Order, say: TextIO, leash: Leash, period: float = PERIOD) -> int:
    """Obey an order to the end, and say of its runs what ended the worker itself. Returns the exit code."""
    look_seldom_for_cycles()
    try:
        return asyncio.run(obey(order, say, leash, period))
    except Exception as error:
        bad = isinstance(error, InputError)
        note = str(error) if bad else traceback.format_exc()
        for given in order.runs:
            write(say, News(folder=given.folder, state="refused" if bad else "failed", note=note))
        return BAD_INPUT if bad else FAILED


def look_seldom_for_cycles() -> None:
    """Thousands of episodes in flight are no garbage (4,096 are 1.3 million objects, in no cycle), and looking through
    them for cycles every 700 objects takes a third of the harness' time, every 50,000 a sixth.
    """
    gc.set_threshold(1_000_000, 5, 20)


if __name__ == "__main__":
    sys.exit(main())
