"""A job's rows as they come: one JSON line an episode, appended and never changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from madbench.records.codec import decode, encode
from madbench.records.lines import Lines, parse, scan
from madbench.types import Ending, Record, RowId


class Shard:
    """One writer's file of rows. Opening it mends a torn last line."""

    def __init__(self, path: Path) -> None:
        self._lines = Lines(path)

    def append(self, record: Record) -> int:
        """Write a row; returns its place in the file, in bytes. Raises OSError where the disk refuses."""
        return self._lines.append(encode(record))

    @property
    def done(self) -> frozenset[tuple[str, int]]:
        """The (sample, epoch) pairs with a final row in the file."""
        heads = heads_of(self._lines.path)
        return frozenset((id.sample, id.epoch) for _, id, ending in heads if ending is not Ending.RETRY)

    def close(self) -> None:
        self._lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def heads_of(path: Path) -> Iterator[tuple[int, RowId, Ending]]:
    """Place, id and ending of every row in a shard."""
    for place, row in scan(path):
        yield place, RowId(*row["id"]), Ending(row["ending"])


def record_at(path: Path, place: int) -> Record:
    """The row that starts at a place, in bytes."""
    with path.open("rb") as file:
        file.seek(place)
        return decode(parse(file.readline(), f"{path}, byte {place}"))
