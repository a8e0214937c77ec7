"""Scores and metrics of a finished run again, from its records alone; no model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from madbench.agents import Cast
from madbench.records.index import Index
from madbench.records.layout import RunFolder
from madbench.records.seams import check_seam
from madbench.records.tables import read_records, write_tables
from madbench.run.episodes import Play
from madbench.run.job import samples_of
from madbench.run.merging import merged, write_numbers
from madbench.run.replay import Replay, Reread
from madbench.run.scores import scores_of
from madbench.run.strands import other_problem
from madbench.types import (
    Ending,
    InputError,
    ProtocolSettings,
    Record,
    RoleSettings,
    Task,
)


def score(folder: RunFolder, task: Task, protocol: ProtocolSettings, *, reread: Reread | None = None) -> int:
    """Write the tables and metrics.json anew, every score redone from outcome, turns and target.

    `reread` makes another reader of each sample's own: every episode is then played again on its recorded
    completions, each keyed by who spoke, so that readings, votes and consensus are redone too; the shards keep
    what was run. Returns how many rows could not be replayed (they count as errored). Raises InputError where
    the folder holds no records, SeamError where rows were lost or doubled.
    """
    lost = 0

    def rows() -> Iterator[Record]:
        nonlocal lost
        for record in source(folder):
            new = record if replay is None else loop.run(replay.again(record))
            lost += new.ending is Ending.RETRY and record.ending is not Ending.RETRY
            yield rescored(new, task, protocol)

    with folder.locked(), asyncio.Runner() as loop:
        replay = None if reread is None else replay_of(folder, task, protocol, reread)
        write_tables(folder, rows())
        write_numbers(folder)
    return lost


def source(folder: RunFolder) -> Iterator[Record]:
    """A run's records: from its shards, or (where only tables were kept) from these."""
    if not folder.shards():
        if not folder.records.exists():
            raise InputError(f"{folder.path}: no records in it; wanted a run's folder with shards or tables")
        return read_records(folder)
    plan = folder.read_plan()
    index = Index(plan)
    index.read(folder.shards())
    check_seam(f"{folder.path.name}: shards to scores", (), index.strays)
    return merged(index, plan)


def rescored(record: Record, task: Task, protocol: ProtocolSettings) -> Record:
    """The record with its scores computed anew."""
    if record.sample is None:
        return record
    scores, note = scores_of(task, protocol.edges, record.sample, record.outcome, record.turns)
    error = record.error if record.ending is not Ending.DONE else note
    return replace(record, scores=scores, error=error)


def replay_of(folder: RunFolder, task: Task, protocol: ProtocolSettings, reread: Reread) -> Replay:
    asked, samples = folder.read_asked(), samples_of(task)
    others = {sample.problem.id: other_problem(samples, at) for at, sample in enumerate(samples)}
    play = Play(protocol, task, RoleSettings.model_validate(asked.defaults), Cast({}), asked.seed)
    return Replay(play, reread, others)
