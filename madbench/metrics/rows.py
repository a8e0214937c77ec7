"""What was measured, kept small: one row an episode, no texts, columns in the narrowest exact type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from madbench.metrics.pools import Ballot, Pools
from madbench.types import RowId, seed_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
CHUNK = 1024
AnyT = TypeVar("AnyT", bound=np.generic)
Table = dict[str, npt.NDArray[AnyT]]


@dataclass(frozen=True, slots=True)
class Measured:
    """One episode in numbers. A name that is absent from `numbers` is undefined for this episode.

    Rows of one `cluster` are not independent. `pool` holds the independent answers of an episode that
    consists of nothing else.
    """

    id: RowId
    cluster: str
    numbers: Mapping[str, float]
    labels: Mapping[str, str] = field(default_factory=dict)
    pool: tuple[Ballot, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Many episodes as columns. Build with `tabulate`; undefined is NaN here and None in every estimate."""

    names: npt.NDArray[np.bytes_]
    """The different samples' ids, sorted."""
    codes: npt.NDArray[np.int32]
    """Every row's sample, as its place in `names`."""
    draws: Ints
    """Which repeat of the sample: epoch, and seed where several runs were put together."""
    clusters: Ints
    columns: Mapping[str, npt.NDArray[np.floating]]
    labels: Mapping[str, npt.NDArray[np.bytes_]]
    pools: Pools

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def samples(self) -> npt.NDArray[np.bytes_]:
        """Every row's sample id."""
        return self.names[self.codes]

    def counted(self, defined: Floats) -> int:
        """Different samples among the rows where a number is defined."""
        return len(np.unique(self.codes[~np.isnan(defined)]))

    def column(self, name: str) -> Floats:
        """One number for every row; all NaN if no row has it."""
        found = self.columns.get(name)
        return np.full(len(self), np.nan) if found is None else found.astype(np.float64)

    def label(self, name: str) -> npt.NDArray[np.str_]:
        """One word for every row; empty where it has none."""
        found = self.labels.get(name)
        return np.full(len(self), "") if found is None else np.char.decode(found, "utf-8")

    def named(self, prefix: str) -> dict[str, Floats]:
        """All columns `prefix:rest`, by `rest`."""
        start = prefix + ":"
        return {name[len(start) :]: self.column(name) for name in self.columns if name.startswith(start)}

    @property
    def keys(self) -> list[tuple[bytes, int]]:
        """What pairs a row with another arm's: sample and draw."""
        return list(zip(self.samples.tolist(), self.draws.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run's rows and the names that say which run it is; `planned` is how many rows it owes."""

    arm: str
    task: str
    protocol: str
    cast: str
    seed: int
    planned: int
    rows: Rows


def tabulate(measured: Iterable[Measured]) -> Rows:
    """Columns of a stream of rows; no more than a thousand rows are held whole at a time."""
    parts = [_pack(chunk) for chunk in _chunks(measured)]
    columns, labels = [dict(part.columns) for part in parts], [dict(part.labels) for part in parts]
    parts = [replace(part, columns={}, labels={}) for part in parts]
    return _join(parts, columns, labels)


def join(parts: Sequence[Rows]) -> Rows:
    """Several tables one below the other; a column that a part lacks is NaN there."""
    return _join(parts, [dict(part.columns) for part in parts], [dict(part.labels) for part in parts])


def _join(parts: Sequence[Rows], columns: list[Table[np.floating]], labels: list[Table[np.bytes_]]) -> Rows:
    """As `join`; each column is dropped from the parts' as soon as it is joined, so that memory holds it once."""
    sizes = [len(part) for part in parts]
    return Rows(
        *_coded(np.concatenate([part.samples for part in parts]) if parts else np.empty(0, "S1")),
        np.concatenate([part.draws for part in parts]) if parts else np.empty(0, np.int64),
        np.concatenate([part.clusters for part in parts]) if parts else np.empty(0, np.int64),
        {name: _stack(name, columns, sizes, np.float16("nan")) for name in _names(columns)},
        {name: _stack(name, labels, sizes, np.bytes_(b"")) for name in _names(labels)},
        Pools.join([part.pools for part in parts]),
    )


def _coded(ids: npt.NDArray[np.bytes_]) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.int32]]:
    names, codes = np.unique(ids, return_inverse=True)
    return names, codes.astype(np.int32)


def _names(tables: Iterable[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(name for table in tables for name in table))


def _stack(name: str, tables: list[Table[AnyT]], sizes: Sequence[int], missing: AnyT) -> npt.NDArray[AnyT]:
    return np.concatenate(
        [
            table.pop(name) if name in table else np.full(size, missing)
            for table, size in zip(tables, sizes, strict=True)
        ]
    )


def _chunks(measured: Iterable[Measured]) -> Iterator[list[Measured]]:
    chunk: list[Measured] = []
    for row in measured:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _pack(rows: list[Measured]) -> Rows:
    return Rows(
        *_coded(np.array([row.id.sample.encode() for row in rows])),
        np.array([row.id.epoch for row in rows], np.int64),
        np.array([seed_of(row.cluster) for row in rows], np.int64),
        {name: _narrow(name, rows) for name in _names(row.numbers for row in rows)},
        {
            name: np.array([row.labels.get(name, "").encode() for row in rows])
            for name in _names(row.labels for row in rows)
        },
        Pools.of([row.pool for row in rows]),
    )


def _narrow(name: str, rows: list[Measured]) -> npt.NDArray[np.floating]:
    """The column in the narrowest float type that holds all its values exactly."""
    wide = np.array([row.numbers.get(name, np.nan) for row in rows], np.float64)
    with np.errstate(over="ignore"):
        for narrow in (wide.astype(np.float16), wide.astype(np.float32)):
            if np.array_equal(narrow, wide, equal_nan=True):
                return narrow
    return wide
