"""A run's rows as parquet: records, their turns and their ledgers, written and read as streams.

records.parquet has a row an episode, turns.parquet a row an ask, events.parquet a row a ledger entry, all in
the records' order, so that the three are read side by side and no join can go wrong. Nested values whose shape
protocols and tasks choose are JSON text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from madbench.records.columns import (
    Row,
    event_rows,
    events_schema,
    record_row,
    records_schema,
    turn_rows,
    turns_schema,
)
from madbench.records.layout import SCHEMA_VERSION, RunFolder, beside, stored, tidy
from madbench.records.lines import readable
from madbench.records.rows import record_of
from madbench.types import InputError, Record, SeamError

BATCH = 64
"""Records that are held in memory at once."""
GROUP = 16_000_000
"""Bytes of a group of rows, before compression. Of each group a writer holds about 900 bytes a column until it is
closed, and so does every reader."""
SPAN = 32
"""Batches of records that a group spans at most: short rows too wait no longer in a long run than in a small one."""
STAMP = "content"
"""Key of a hash over all three tables, the same in each: files of two merges are told apart."""


def write_tables(folder: RunFolder, records: Iterable[Record]) -> None:
    """Write the three tables beside the old ones, then put them in their place. One writer a folder.

    Raises StorageError where the disk refuses; the old ones stay.
    """
    schemas = {folder.records: records_schema(), folder.turns: turns_schema(), folder.events: events_schema()}
    with stored(folder.path):
        try:
            _write(folder, schemas, records)
            for path in schemas:
                beside(path).replace(path)
        finally:
            for path in schemas:
                beside(path).unlink(missing_ok=True)
            tidy(folder.path)


def _write(folder: RunFolder, schemas: dict[Path, Any], records: Iterable[Record]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = {b"schema_version": str(SCHEMA_VERSION).encode()}
    stamp = hashlib.blake2b(digest_size=8)
    with ExitStack() as stack:
        groups: dict[Path, Groups] = {}
        for path, schema in schemas.items():
            writer = pq.ParquetWriter(beside(path), schema.with_metadata(metadata), compression="zstd")
            groups[path] = Groups(stack.enter_context(writer))
        for number, batch in enumerate(batches(records, BATCH), 1):
            for path, rows in _rows(folder, batch).items():
                table = pa.Table.from_pydict(columns(rows, schemas[path]), groups[path].writer.schema)
                for piece in table.to_batches():
                    stamp.update(piece.serialize())
                groups[path].add(table)
            if number % SPAN == 0:
                flush(groups.values())
        flush(groups.values())
        for group in groups.values():
            group.writer.add_key_value_metadata({STAMP: stamp.hexdigest()})


@dataclass
class Groups:
    """Rows on their way into one file, in groups of about `GROUP` bytes: smaller ones would cost more the longer the
    table is.
    """

    writer: Any
    waiting: list[Any] = field(default_factory=list)

    def add(self, table: Any) -> None:
        if len(table):
            self.waiting.append(table)
        if sum(one.nbytes for one in self.waiting) >= GROUP:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        if rows := sum(len(one) for one in self.waiting):
            self.writer.write_table(pa.concat_tables(self.waiting), row_group_size=rows)
        self.waiting.clear()
        release()


def flush(groups: Iterable[Groups]) -> None:
    for group in groups:
        group.flush()


def _rows(folder: RunFolder, batch: list[Record]) -> dict[Path, list[Row]]:
    return {
        folder.records: [record_row(record) for record in batch],
        folder.turns: [row for record in batch for row in turn_rows(record)],
        folder.events: [row for record in batch for row in event_rows(record)],
    }


def columns(rows: list[Row], schema: Any) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in schema.names}


def batches(items: Iterable[Record], size: int) -> Iterator[list[Record]]:
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def read_records(folder: RunFolder) -> Iterator[Record]:
    """The records again, in the order written, a batch at a time.

    Raises InputError for a table of a newer version or of other columns, SeamError where the tables do not belong
    together.
    """
    records = _joined(folder)
    while True:
        with readable(f"{folder.path}: its tables"):
            record = next(records, None)
        if record is None:
            return
        yield record


def _joined(folder: RunFolder) -> Iterator[Record]:
    _check_stamps(folder)
    turns, events = read_rows(folder.turns), read_rows(folder.events)
    for row in read_rows(folder.records):
        mine = list(islice(turns, row["n_turns"])), list(islice(events, row["n_events"]))
        for found in (*mine[0], *mine[1]):
            if (found["sample"], found["epoch"]) != (row["sample"], row["epoch"]):
                raise SeamError(
                    f"{folder.path}: turns or events of {row['sample']} are not where they belong"
                )
        if len(mine[0]) != row["n_turns"] or len(mine[1]) != row["n_events"]:
            raise SeamError(f"{folder.path}: {row['sample']} has lost turns or events")
        yield record_of(row, *mine)
    if next(turns, None) or next(events, None):
        raise SeamError(f"{folder.path}: there are turns or events of no record")


def _check_stamps(folder: RunFolder) -> None:
    """A merge that was killed between two renames leaves tables of two merges."""
    import pyarrow.parquet as pq

    stamps = {
        (pq.read_metadata(path).metadata or {}).get(STAMP.encode())
        for path in (folder.records, folder.turns, folder.events)
    }
    if len(stamps - {None}) > 1:
        raise SeamError(
            f"{folder.path}: its tables are of two merges, the last of which was cut off; the run's own command (or "
            "`score`) makes them anew from its shards"
        )


def release() -> None:
    """Give memory back that was freed: small objects leave holes behind that larger ones do not fill."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def read_rows(path: Path, names: list[str] | None = None) -> Iterator[Row]:
    """Rows of one table (`names`: only these columns), older versions brought up to date.

    Each group of rows has its own reader: one reader of all groups holds more the longer the table is. No threads: each
    would keep a heap of its own.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        version = check_version(path, file.schema_arrow.metadata or {})
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(BATCH, row_groups=[group], columns=names, use_threads=False):
                for row in batch.to_pylist():
                    yield upgraded(row, version)
            release()


def check_version(path: Path, metadata: dict[bytes, bytes]) -> int:
    version = int(metadata.get(b"schema_version", b"0"))
    if version > SCHEMA_VERSION:
        raise InputError(
            f"{path}: written as version {version}; this madbench reads up to {SCHEMA_VERSION}: update it"
        )
    return version


def upgraded(row: Row, version: int) -> Row:
    """A row of an older version as today's. Version 0 (never released) had no notes beside readings."""
    if version == 0:
        return {"note": "", **row}
    return row
