"""An engine whose completions are on disk before anybody sees them, and are never paid for twice."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace

from madbench.records.journal import Journal
from madbench.types import Completion, Engine, Request

HALVES = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Counts:
    """What was spent, in calls and tokens; `shared` completions cost nothing."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    shared: int = 0

    def add(self, completion: Completion) -> None:
        self.calls += 1
        self.prompt_tokens += completion.prompt_tokens
        self.output_tokens += completion.output_tokens


@dataclass(slots=True)
class Flight:
    """A request under way, for others that want the same."""

    over: asyncio.Event = field(default_factory=asyncio.Event)
    completion: Completion | None = None


class JournaledEngine:
    """Answers from the journal where it can; else asks the engine, once for equal requests at a time.

    `counts` tells what the engine ran, and how many completions came from the journal or from an equal
    request in flight instead. With `share=False` every request is run and none is answered from the journal.
    """

    def __init__(self, engine: Engine, journal: Journal, *, share: bool = True) -> None:
        self.counts = Counts()
        self._engine, self._journal, self._share = engine, journal, share
        self._flights: dict[str, Flight] = {}

    async def generate(self, request: Request) -> Completion:
        identity = self._engine.identity(request)
        if not self._share:
            return await self._run(identity, request)
        while (flight := self._flights.get(identity)) is not None:
            await flight.over.wait()
            if flight.completion is not None:
                return self._shared(flight.completion)
        if (known := self._journal.get(identity)) is not None:
            await asyncio.sleep(0)
            return self._shared(known)
        return await self._fly(identity, request)

    def excess(self, request: Request) -> int:
        return self._engine.excess(request)

    def identity(self, request: Request) -> str:
        return self._engine.identity(request)

    async def _fly(self, identity: str, request: Request) -> Completion:
        """Run for all who wait; where it fails or is cancelled, the next of them runs it for the others."""
        flight = self._flights[identity] = Flight()
        try:
            flight.completion = await self._run(identity, request)
            return flight.completion
        finally:
            del self._flights[identity]
            flight.over.set()

    async def _run(self, identity: str, request: Request) -> Completion:
        completion = writable(await self._engine.generate(request))
        self._journal.put(identity, completion)
        self.counts.add(completion)
        return completion

    def _shared(self, completion: Completion) -> Completion:
        self.counts.shared += 1
        return completion


def writable(completion: Completion) -> Completion:
    """The same with the replacement character for halves of surrogate pairs, which no file can hold."""
    if not HALVES.search(completion.text):
        return completion
    pieces = tuple((HALVES.sub("\ufffd", piece), logprob) for piece, logprob in completion.pieces)
    return replace(completion, text=HALVES.sub("\ufffd", completion.text), pieces=pieces)
