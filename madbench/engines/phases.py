"""Models that do not fit together take turns: all waiting requests of one, then the next is loaded in its place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from madbench.types import Completion, Engine, EngineError, Model, Request

QUIET_TICKS = 64
"""Passes of the event loop without a new request after which whoever could ask has asked."""

Turn = asyncio.Future[Engine]


class Known(Protocol):
    """What of a model is known without its weights."""

    def excess(self, request: Request) -> int: ...

    def identity(self, request: Request) -> str: ...


@runtime_checkable
class Weighty(Model, Protocol):
    """A model whose weights take this machine's memory while it is open."""

    def language(self) -> Known:
        """What `excess` and `identity` of the open model say, without its weights."""


@runtime_checkable
class Described(Protocol):
    """An engine that has something to say for a manifest."""

    def facts(self) -> dict[str, JsonValue]:
        """Effective settings, device, versions."""


class Phases:
    """Keeps one weighty model open at a time.

    A phase lasts while its model has requests under way, or waiting once everybody has gone as far as they can;
    then the model that most wait for is next. So loads grow with how often the talk passes from model to model
    (rounds), not with how many episodes are under way. What is replied depends on none of this.
    """

    def __init__(self) -> None:
        self._models: list[Model] = []
        self._loads: Counter[int] = Counter()
        self._facts: dict[int, dict[str, JsonValue]] = {}
        self._live: tuple[int, Engine] | None = None
        self._waiting: dict[int, list[Turn]] = {}
        self._inside: set[Turn] = set()
        self._elsewhere = 0
        self._stir = asyncio.Event()

    async def engine(self, model: Weighty) -> PhasedEngine:
        """An engine for a model that is loaded when its turn comes."""
        self._models.append(model)
        return PhasedEngine(self, len(self._models) - 1, await asyncio.to_thread(model.language))

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Phases]:
        """Let models take turns while the context lasts; who is still waiting then gets an EngineError."""
        pump = asyncio.create_task(self._pump())
        try:
            yield self
        finally:
            pump.cancel()
            with suppress(asyncio.CancelledError):
                await pump
            for number in [*self._waiting]:
                self._refuse(number, EngineError("the engine was closed"))

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncGenerator[Engine]:
        """Wait for a model's phase, which lasts at least as long as the context."""
        turn: Turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(number, []).append(turn)
        self._stir.set()
        try:
            yield await turn
        finally:
            self._inside.discard(turn)
            self._stir.set()

    @asynccontextmanager
    async def elsewhere(self) -> AsyncGenerator[None]:
        """A call to a model that is always there; its asker may want a phase next, which is worth waiting for."""
        self._elsewhere += 1
        try:
            yield
        finally:
            self._elsewhere -= 1
            self._stir.set()

    def facts(self, number: int) -> dict[str, JsonValue]:
        """What the model's engine says of itself, or said when it was last loaded, and how often it was."""
        self._note()
        return {**self._facts.get(number, {}), "loads": self._loads[number]}

    async def _pump(self) -> None:
        while True:
            await self._settle()
            number = max(self._waiting, key=lambda one: len(self._waiting[one]))
            try:
                await self._phase(number)
            except Exception as error:
                self._refuse(number, error)

    async def _phase(self, number: int) -> None:
        """Load a model and serve it until nobody asks for it any more."""
        self._loads[number] += 1
        async with self._models[number].open() as engine:
            self._live = number, engine
            while number in self._waiting or self._inside:
                self._admit(number, engine)
                self._stir.clear()
                await self._stir.wait()
                if not self._inside:
                    await self._settle()
            self._note()
            self._live = None
            del engine

    def _note(self) -> None:
        """Keep what the model that is loaded now says of itself."""
        if self._live and isinstance(self._live[1], Described):
            self._facts[self._live[0]] = self._live[1].facts()

    def _admit(self, number: int, engine: Engine) -> None:
        for turn in self._waiting.pop(number, []):
            if not turn.done():
                self._inside.add(turn)
                turn.set_result(engine)

    async def _settle(self) -> None:
        """Wait until somebody waits for a model, and then until nobody has come for a while."""
        quiet = 0
        while quiet < QUIET_TICKS:
            if self._elsewhere or not self._asked():
                self._stir.clear()
                await self._stir.wait()
            before = self._asked()
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._asked() == before and not self._elsewhere else 0

    def _asked(self) -> int:
        """How many wait; those that gave up are forgotten."""
        held = {
            number: [turn for turn in turns if not turn.done()] for number, turns in self._waiting.items()
        }
        self._waiting = {number: turns for number, turns in held.items() if turns}
        return sum(map(len, self._waiting.values()))

    def _refuse(self, number: int, error: Exception) -> None:
        for turn in self._waiting.pop(number, []):
            if not turn.done():
                turn.set_exception(error)


class PhasedEngine:
    """A model that is there when its turn comes."""

    def __init__(self, phases: Phases, number: int, known: Known) -> None:
        self._phases, self._number, self._known = phases, number, known

    async def generate(self, request: Request) -> Completion:
        """As the model's own, once it is loaded."""
        async with self._phases.turn(self._number) as engine:
            return await engine.generate(request)

    def excess(self, request: Request) -> int:
        return self._known.excess(request)

    def identity(self, request: Request) -> str:
        return self._known.identity(request)

    def facts(self) -> dict[str, JsonValue]:
        return self._phases.facts(self._number)


class Beside:
    """A model that is always there, beside those that take turns."""

    def __init__(self, phases: Phases, engine: Engine) -> None:
        self._phases, self._engine = phases, engine

    async def generate(self, request: Request) -> Completion:
        async with self._phases.elsewhere():
            return await self._engine.generate(request)

    def excess(self, request: Request) -> int:
        return self._engine.excess(request)

    def identity(self, request: Request) -> str:
        return self._engine.identity(request)

    def facts(self) -> dict[str, JsonValue]:
        return self._engine.facts() if isinstance(self._engine, Described) else {}
