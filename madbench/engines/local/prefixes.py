"""Keys and values of texts that many prompts begin with, kept so that they are computed once."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from madbench.engines.local.slab import Pair, Slab

BLOCK = 4
"""Prefixes are kept and compared in whole blocks of so many tokens."""


@dataclass(eq=False, slots=True)
class Segment:
    """Tokens `start` to `stop` of some prefix, whose earlier tokens are its parent's."""

    parent: Segment | None
    start: int
    stop: int
    layers: list[Pair]
    names: list[bytes] = field(default_factory=list)
    children: int = 0

    @property
    def bytes(self) -> int:
        return sum(buffer.numel() * buffer.element_size() for pair in self.layers for buffer in pair)


class Found(NamedTuple):
    """The longest stored prefix of some tokens: its last segment (None: nothing is stored) and its length."""

    segment: Segment | None
    length: int


class Prefixes:
    """A tree of segments within a budget of bytes; the least recently used leaves go first.

    A stored prefix is never changed: rows get copies.
    """

    def __init__(self, budget: int) -> None:
        self.budget, self.size, self.peak = budget, 0, 0
        self._found: dict[bytes, Found] = {}
        self._segments: OrderedDict[Segment, None] = OrderedDict()

    def clear(self) -> None:
        """Forget all that is stored; the peak stays."""
        self.size = 0
        self._found.clear()
        self._segments.clear()

    def longest(self, ids: Sequence[int], below: int) -> Found:
        """The longest stored prefix of `ids` of at most `below` tokens."""
        best = Found(None, 0)
        for name in _names(ids[:below]):
            found = self._found.get(name)
            if found is None:
                break
            best = found
        return best

    def load(self, found: Found, slab: Slab, row: int, start: int) -> None:
        """Copy a prefix into a row of a slab, its first token at column `start`."""
        length = found.length
        segment: Segment | None = found.segment
        while segment is not None:
            self._segments.move_to_end(segment)
            count = length - segment.start
            for index, pair in enumerate(segment.layers):
                for kept, buffer in zip(pair, slab.layers[index], strict=True):
                    columns = slice(start + segment.start, start + length)
                    buffer[row, :, columns] = kept[:, :count]
            length = segment.start
            segment = segment.parent

    def add(self, ids: Sequence[int], slab: Slab, row: int) -> None:
        """Keep what is new of the tokens `ids`, whose keys and values end at `slab.end`, if it fits."""
        known = self.longest(ids, len(ids))
        stop = len(ids) // BLOCK * BLOCK
        if stop <= known.length or not self._room((stop - known.length) * slab.bytes_a_token, known.segment):
            return
        columns = slice(slab.end - len(ids) + known.length, slab.end - len(ids) + stop)
        segment = Segment(known.segment, known.length, stop, slab.kept(row, columns))
        if known.segment is not None:
            known.segment.children += 1
        for position, name in enumerate(_names(ids[:stop])):
            end = (position + 1) * BLOCK
            if end > known.length:
                segment.names.append(name)
                self._found[name] = Found(segment, end)
        self._segments[segment] = None
        self.size += segment.bytes
        self.peak = max(self.peak, self.size)

    def _room(self, wanted: int, kept: Segment | None) -> bool:
        """Make room before anything is copied; whether there is. `kept` and what it stands on stay."""
        leaves = (leaf for leaf in list(self._segments) if not leaf.children and leaf is not kept)
        while self.size + wanted > self.budget and (leaf := next(leaves, None)) is not None:
            del self._segments[leaf]
            for name in leaf.names:
                del self._found[name]
            self.size -= leaf.bytes
            if leaf.parent is not None:
                leaf.parent.children -= 1
        return self.size + wanted <= self.budget


def shared(prompts: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """The beginnings, in whole blocks, that some of these prompts have in common, and how many begin so."""
    ordered = sorted(set(prompts))
    common = {first[: _common(first, second)] for first, second in pairwise(ordered)}
    return {
        beginning: _upto(ordered, beginning) - bisect_left(ordered, beginning)
        for beginning in common
        if beginning
    }


def _upto(ordered: Sequence[tuple[int, ...]], beginning: tuple[int, ...]) -> int:
    """Where, among sorted prompts, those with this beginning end."""
    return bisect_right(ordered, beginning, key=lambda ids: ids[: len(beginning)])


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    length = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    length = min(len(first), len(second)) if length is None else length
    return length // BLOCK * BLOCK


def _names(ids: Sequence[int]) -> Iterator[bytes]:
    """A name for every whole-block prefix, shortest first; each depends on all tokens so far."""
    name = b""
    for start in range(0, len(ids) - BLOCK + 1, BLOCK):
        name = hashlib.blake2b(
            name + array("q", ids[start : start + BLOCK]).tobytes(), digest_size=16
        ).digest()
        yield name
