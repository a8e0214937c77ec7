"""A model whose completions are written down as one more row of a run's folder."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from madbench.records.layout import RunFolder
from madbench.records.plan import Asked, Plan
from madbench.records.shards import Shard
from madbench.types import (
    Completion,
    Effort,
    Ending,
    Engine,
    Model,
    ParseStatus,
    Reading,
    Record,
    Request,
    RowId,
    Speaker,
    Turn,
)


@dataclass(frozen=True)
class Taped:
    model: Model
    path: Path

    @asynccontextmanager
    async def open(self):
        async with self.model.open() as engine:
            tape = Tape(engine, [])
            yield tape
            write(self.path, tape.heard)


@dataclass
class Tape:
    engine: Engine
    heard: list[tuple[Request, Completion]]

    async def generate(self, request):
        completion = await self.engine.generate(request)
        self.heard.append((request, completion))
        return completion

    def excess(self, request):
        return self.engine.excess(request)

    def identity(self, request):
        return self.engine.identity(request)


def write(path, heard, seed=0):
    """Add a row to a run's folder, whose turns are what was heard."""
    folder = RunFolder(path)
    rows = dict(folder.read_plan().owed)
    sample = f"sample{len(rows)}"
    turns = tuple(
        Turn(Speaker("solver", 0, at, at), "Asked", request, said, Reading(ParseStatus.OK, "Statement"))
        for at, (request, said) in enumerate(heard)
    )
    folder.write_plan(Plan({**rows, sample: 1}), Asked(seed, 1, None, {}))
    with Shard(folder.shard()) as shard:
        shard.append(Record(RowId(sample), None, Ending.DONE, None, turns, {}, None, Effort(0.0, "")))
