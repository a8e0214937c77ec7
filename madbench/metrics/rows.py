"""What was measured, kept small: one row an episode, no texts, columns in as few bytes as hold them exactly."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from madbench.metrics.columns import Coded, Codes, Column, Floats, Ints, Numbers, Stack, Words
from madbench.metrics.pairing import Keys
from madbench.metrics.pools import Ballot, Ballots, Pools
from madbench.types import RowId, seed_of

CHUNK = 1024
AnyT = TypeVar("AnyT", bound=np.generic)
NumberColumn = Column[np.floating]
WordColumn = Column[np.object_]


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
    repeats: Coded[np.int64]
    """Which repeat of the sample: epoch, and seed where several runs were put together."""
    clusters: Ints
    columns: Mapping[str, NumberColumn]
    labels: Mapping[str, WordColumn]
    pools: Pools

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def samples(self) -> npt.NDArray[np.bytes_]:
        """Every row's sample id."""
        return self.names[self.codes]

    @property
    def draws(self) -> Ints:
        """Every row's repeat of its sample."""
        return self.repeats.whole()

    def counted(self, defined: Floats) -> int:
        """Different samples among the rows where a number is defined."""
        return self.different(~np.isnan(defined))

    def different(self, kept: npt.NDArray[np.bool_]) -> int:
        """Different samples among some rows."""
        seen = np.zeros(len(self.names), np.bool_)
        seen[self.codes[kept]] = True
        return int(seen.sum())

    def column(self, name: str) -> Floats:
        """One number for every row; all NaN if no row has it."""
        found = self.columns.get(name)
        return np.full(len(self), np.nan) if found is None else found.whole().astype(np.float64, copy=False)

    def label(self, name: str) -> npt.NDArray[np.object_]:
        """One word for every row; empty where it has none."""
        found = self.labels.get(name)
        return np.full(len(self), "", np.object_) if found is None else found.whole()

    def named(self, prefix: str) -> Named:
        """All columns `prefix:rest`, by `rest`."""
        return Named(self, prefix + ":")

    @property
    def keys(self) -> Keys:
        """What pairs a row with another arm's: sample and draw."""
        return Keys(self.names, self.codes, self.draws)


class Named(Mapping[str, Floats]):
    """Columns of one prefix, each made when it is asked for."""

    def __init__(self, rows: Rows, start: str) -> None:
        self._rows, self._start = rows, start

    def __getitem__(self, name: str) -> Floats:
        if self._start + name not in self._rows.columns:
            raise KeyError(name)
        return self._rows.column(self._start + name)

    def __iter__(self) -> Iterator[str]:
        found = (name for name in self._rows.columns if name.startswith(self._start))
        return (name[len(self._start) :] for name in found)

    def __len__(self) -> int:
        return sum(1 for _ in self)


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
    """Columns of a stream of rows; no row is held whole."""
    growing = Growing()
    for row in measured:
        growing.add(row)
    return growing.packed()


def join(parts: Sequence[Rows]) -> Rows:
    """Several tables one below the other, their columns held once; a column that a part lacks is NaN there."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        *_coded([part.samples for part in parts]),
        Coded.stacked([part.repeats for part in parts]),
        np.concatenate([part.clusters for part in parts]) if parts else np.empty(0, np.int64),
        _stacks(parts, [part.columns for part in parts], np.array([np.nan])),
        _stacks(parts, [part.labels for part in parts], np.array([""], np.object_)),
        Pools.join([part.pools for part in parts]),
    )


def _stacks(
    parts: Sequence[Rows], tables: Sequence[Mapping[str, Column[AnyT]]], missing: npt.NDArray[AnyT]
) -> dict[str, Column[AnyT]]:
    absent = [Coded.constant(missing, len(part)) for part in parts]
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: Stack([table.get(name, gap) for table, gap in zip(tables, absent, strict=True)])
        for name in names
    }


def _coded(ids: list[npt.NDArray[np.bytes_]]) -> tuple[npt.NDArray[np.bytes_], npt.NDArray[np.int32]]:
    """The different ids, sorted, and every row's place among them. `ids` is emptied on the way."""
    flat = np.concatenate(ids) if ids else np.empty(0, "S1")
    ids.clear()
    order = np.argsort(flat, kind="stable").astype(np.int32)
    flat = flat[order]
    fresh = np.ones(len(flat), np.bool_)
    fresh[1:] = flat[1:] != flat[:-1]
    codes = np.empty(len(flat), np.int32)
    codes[order] = np.cumsum(fresh, dtype=np.int32) - 1
    return (flat if fresh.all() else flat[fresh]), codes


class Growing:
    """A table under construction, one row after the other."""

    def __init__(self) -> None:
        self._rows = 0
        self._fresh: list[bytes] = []
        self._ids: list[npt.NDArray[np.bytes_]] = []
        self._epochs, self._clusters, self._ballots = Codes(), array("q"), Ballots()
        self._numbers, self._words = dict[str, Numbers](), dict[str, Words]()

    def add(self, row: Measured) -> None:
        self._fresh.append(row.id.sample.encode())
        if len(self._fresh) == CHUNK:
            self._settle()
        self._epochs.add(row.id.epoch)
        self._clusters.append(seed_of(row.cluster))
        self._ballots.add(row.pool)
        for name in row.numbers:
            if name not in self._numbers:
                self._numbers[name] = Numbers(self._rows)
        for name in row.labels:
            if name not in self._words:
                self._words[name] = Words(self._rows)
        for name, numbers in self._numbers.items():
            numbers.add(row.numbers.get(name, np.nan))
        for name, words in self._words.items():
            words.add(row.labels.get(name, ""))
        self._rows += 1

    def packed(self) -> Rows:
        """The table; this one is empty afterwards."""
        self._settle()
        names, codes = _coded(self._ids)
        return Rows(
            names,
            codes,
            self._epochs.packed(np.fromiter(self._epochs.known, np.int64)),
            np.frombuffer(self._clusters, np.int64),
            {name: self._numbers.pop(name).packed() for name in list(self._numbers)},
            {name: self._words.pop(name).packed() for name in list(self._words)},
            self._ballots.packed(),
        )

    def _settle(self) -> None:
        """Ids as one block of bytes rather than as objects."""
        if self._fresh:
            self._ids.append(np.array(self._fresh))
            self._fresh = []
