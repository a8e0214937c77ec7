"""Keys and values of all rows in flight, written in place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

_COLUMNS = 128


class Pair(NamedTuple):
    """One layer's keys and values, each (rows, heads, columns, size)."""

    keys: Tensor
    values: Tensor


class Slab:
    """One buffer a layer. Row i's tokens occupy the columns that end at `end`, which all rows share.

    Rows 0..live-1 are in use. A step appends one column; a row that leaves is overwritten by the last.
    Buffers are of `numbers`, which hold those that the layers make (`made`) without loss; None: of the same.
    """

    def __init__(self, numbers: torch.dtype | None = None) -> None:
        self.layers: list[Pair] = []
        self.end = 0
        self.made = torch.float32
        self._numbers = numbers
        self._rows, self._columns = 0, 0

    def reserve(self, live: int, rows: int, before: int, after: int) -> None:
        """Room for `rows` rows of `before` columns up to `end` and `after` beyond; the `live` first are kept.

        Where buffers are made anew, those of at least twice as many rows shrink.
        """
        if rows <= self._rows and before <= self.end and self.end + after <= self._columns:
            return
        columns = -(-(before + after) // _COLUMNS) * _COLUMNS
        rows = rows if 2 * rows <= self._rows else max(rows, self._rows)
        held = min(before, self.end)
        for index, pair in enumerate(self.layers):
            self.layers[index] = Pair(
                *(self._moved(old, live, (rows, columns), (held, before)) for old in pair)
            )
        self.end, self._rows, self._columns = before, rows, columns

    def _moved(self, old: Tensor, live: int, shape: tuple[int, int], held: tuple[int, int]) -> Tensor:
        (rows, columns), (width, end) = shape, held
        new = old.new_zeros(rows, old.shape[1], columns, old.shape[3])
        new[:live, :, end - width : end] = old[:live, :, self.end - width : self.end]
        return new

    def layer(self, index: int, like: Tensor) -> Pair:
        """The buffers of one layer, made at their first use after the shape of `like`."""
        while index >= len(self.layers):
            shape = (self._rows, like.shape[1], self._columns, like.shape[3])
            self.made = like.dtype
            keys, values = (like.new_zeros(shape, dtype=self._numbers) for _ in Pair._fields)
            self.layers.append(Pair(keys, values))
        return self.layers[index]

    @property
    def bytes_a_token(self) -> int:
        """What one column of one row takes in all layers, in the numbers that the layers made."""
        buffers = (buffer for pair in self.layers for buffer in pair)
        return sum(buffer.shape[1] * buffer.shape[3] for buffer in buffers) * self.made.itemsize

    def kept(self, row: int, columns: slice) -> list[Pair]:
        """Copies of some columns of a row, in the numbers that the layers made."""
        return [
            Pair(*(buffer[row, :, columns].to(self.made, copy=True) for buffer in pair))
            for pair in self.layers
        ]

    def move(self, source: int, target: int, width: int) -> None:
        """Copy the last `width` columns of one row over another row's."""
        columns = slice(self.end - width, self.end)
        for pair in self.layers:
            for buffer in pair:
                buffer[target, :, columns] = buffer[source, :, columns]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a slab that one forward pass reads and writes.

    `rows` are its rows, `columns` the columns it may attend to, of which the last `queries` are written.
    `fresh` (rows, queries) marks the tokens that are new; elsewhere what the slab holds stays. None: all. It may lie
    on another device than a layer does, whose buffers are where its own keys are.
    """

    slab: Slab
    rows: slice
    columns: slice
    queries: int
    fresh: Tensor | None = None

    @property
    def past(self) -> int:
        """Columns that were there before this pass."""
        past: int = self.columns.stop - self.columns.start - self.queries
        return past

    def write(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store new keys and values, (rows, heads, queries, size); return all that may be attended to."""
        pair = self.slab.layer(layer, keys)
        written = slice(self.columns.stop - self.queries, self.columns.stop)
        for buffer, new in zip(pair, (keys, values), strict=True):
            place = buffer[self.rows, :, written]
            keep = self.fresh
            place.copy_(
                new if keep is None else torch.where(keep.to(new.device)[:, None, :, None], new, place)
            )
        return pair.keys[self.rows, :, self.columns], pair.values[self.rows, :, self.columns]
