"""Where every planned row lies on disk, in a few dozen bytes a row, however long the rows are."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from madbench.records.owed import Owed
from madbench.records.plan import Plan
from madbench.records.shards import heads_of, record_at
from madbench.types import Ending, Record, RowId

NONE = -1


class Begins:
    """Where each sample's rows begin and how many they are: sixteen bytes a sample, however long its id."""

    def __init__(self, owed: Owed) -> None:
        self._salt = 0
        while len(np.unique(keys := self._all(owed))) < len(keys):
            self._salt += 1
        order = np.argsort(keys)
        firsts = np.cumsum(owed.epochs, dtype=np.int64) - owed.epochs
        self._keys = array("q", keys[order].tobytes())
        self._firsts = array("I", firsts[order].astype(np.uint32).tobytes())
        self._counts = array("I", owed.epochs[order].astype(np.uint32).tobytes())

    def _all(self, owed: Owed) -> npt.NDArray[np.int64]:
        return np.fromiter(map(self._key, owed), np.int64, len(owed))

    def of(self, sample: str) -> tuple[int, int]:
        """First row and number of rows; none for a sample that nobody planned."""
        key = self._key(sample)
        at = bisect_left(self._keys, key)
        known = at < len(self._keys) and self._keys[at] == key
        return (self._firsts[at], self._counts[at]) if known else (0, 0)

    def _key(self, sample: str) -> int:
        return hash((sample, self._salt))


class Index:
    """Last attempts by (sample, epoch): in which shard, at which byte, and whether they are final."""

    def __init__(self, plan: Plan) -> None:
        self.shards: list[Path] = []
        self.strays: list[tuple[str, int]] = []
        """Rows on disk that nobody planned, and second rows of one attempt."""
        self._begins, total = Begins(plan.owed), len(plan)
        self._place, self._shard = array("q", [NONE]) * total, array("H", [0]) * total
        self._attempt, self._final = array("H", [0]) * total, bytearray(total)

    def read(self, shards: Iterable[Path]) -> None:
        """Take in every row of the shards."""
        for path in shards:
            for place, id, ending in heads_of(path):
                self.add(path, place, id, ending)

    def add(self, shard: Path, place: int, id: RowId, ending: Ending) -> None:
        if not 0 <= id.epoch < self._begins.of(id.sample)[1]:
            self.strays.append((id.sample, id.epoch))
            return
        at, known = self._at(id.sample, id.epoch), self._place[self._at(id.sample, id.epoch)] != NONE
        if known and self._attempt[at] == id.attempt:
            self.strays.append((id.sample, id.epoch))
        if not known or self._attempt[at] < id.attempt:
            self._place[at], self._attempt[at] = place, id.attempt
            self._shard[at] = self._number(shard)
            self._final[at] = ending is not Ending.RETRY

    def final(self, sample: str, epoch: int) -> bool:
        return bool(self._final[self._at(sample, epoch)])

    def has(self, sample: str, epoch: int) -> bool:
        return self._place[self._at(sample, epoch)] != NONE

    def attempt(self, sample: str, epoch: int) -> int:
        """The number of the next attempt at a row."""
        at = self._at(sample, epoch)
        return self._attempt[at] + 1 if self._place[at] != NONE else 0

    def record(self, sample: str, epoch: int) -> Record:
        """The last attempt at a row, read from disk."""
        at = self._at(sample, epoch)
        return record_at(self.shards[self._shard[at]], self._place[at])

    def found(self, plan: Plan) -> Iterator[tuple[str, int]]:
        """Those of the plan's rows that are on disk, final or not."""
        return (row for row in plan if self.has(*row))

    def _at(self, sample: str, epoch: int) -> int:
        return self._begins.of(sample)[0] + epoch

    def _number(self, shard: Path) -> int:
        if shard not in self.shards:
            self.shards.append(shard)
        return self.shards.index(shard)
