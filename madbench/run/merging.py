"""From shards to tables: the last attempt at every row, in the plan's order, with nothing lost between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from madbench.records.index import Index
from madbench.records.layout import RunFolder
from madbench.records.plan import Plan
from madbench.records.seams import check_seam
from madbench.records.tables import read_rows, write_tables
from madbench.types import Record, SeamError

RowKey = tuple[str, int]


class Found:
    """The (sample, epoch) of a plan's rows that are on disk, and of rows there that nobody planned."""

    def __init__(self, index: Index, plan: Plan) -> None:
        self._index, self._plan = index, plan

    def __iter__(self) -> Iterator[RowKey]:
        return chain(self._index.found(self._plan), self._index.strays)


class Written:
    """The (sample, epoch) of the rows in records.parquet, read back."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[RowKey]:
        rows = read_rows(self._folder.records, ["sample", "epoch"])
        return ((row["sample"], row["epoch"]) for row in rows)


def merge(folder: RunFolder, view: Plan) -> None:
    """Write the tables from the shards: all that the folder holds, of which `view` must be complete.

    Raises SeamError naming what was lost, doubled or invented.
    """
    plan = folder.read_plan()
    index = Index(plan)
    index.read(folder.shards())
    check_seam("plan to shards", view, Found(index, view))
    write_tables(folder, merged(index, plan))
    check_seam("merge to parquet", Found(index, plan), Written(folder))


def merged(index: Index, plan: Plan) -> Iterator[Record]:
    """The last attempt at every row that is on disk."""
    for sample, epoch in index.found(plan):
        record = index.record(sample, epoch)
        if (record.id.sample, record.id.epoch) != (sample, epoch):
            raise SeamError(f"shards to merge: wanted {(sample, epoch)}, found {record.id}")
        yield record
