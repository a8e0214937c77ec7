"""The head of a GGUF file (version 2 and later): what it is and how large, read in a second.

Layout: magic, version, counts of tensors and of key-value pairs, the pairs, then one description a tensor.
"""

from __future__ import annotations

import mmap
import struct
from collections import Counter
from math import prod
from pathlib import Path
from typing import NamedTuple

from madbench.types import InputError

_FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
DIMENSIONS, DEPTH = 8, 8
"""The most that a tensor has, and lists within lists: formats know 4 and 1."""


class Header(NamedTuple):
    """What a GGUF file says of itself: its family, its number of weights, and its commonest kind of tensor."""

    family: str
    weights: int
    kind: str


def read_header(path: Path) -> Header:
    """Family and size of a GGUF file, weights unread. Raises InputError if it is none."""
    from gguf import GGMLQuantizationType

    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            family, tensors = _Cursor(view).head()
        kinds = Counter(GGMLQuantizationType(kind).name for _, kind in tensors)
    except (ValueError, KeyError, struct.error, OSError, OverflowError) as error:
        raise InputError(f"model {path}: not a GGUF file: {error}") from error
    del kinds["F32"]
    commonest = next((kind for kind, _ in kinds.most_common(1)), "F32")
    return Header(family, sum(size for size, _ in tensors), commonest)


class _Cursor:
    """A place in a file that moves on as values are read."""

    def __init__(self, view: mmap.mmap) -> None:
        self._view, self._at = view, 0

    def head(self) -> tuple[str, list[tuple[int, int]]]:
        """The family, and each tensor's number of weights and kind."""
        if self._view[:4] != b"GGUF":
            raise ValueError(f"it begins with {self._view[:4]!r}")
        self._at = 8
        tensors, pairs = self._take("Q"), self._take("Q")
        family = ""
        for _ in range(pairs):
            key, kind = self._text(), self._take("I")
            if key == b"general.architecture" and kind == _STRING:
                family = self._text().decode()
            else:
                self._skip(kind)
        return family, [self._tensor() for _ in range(tensors)]

    def _tensor(self) -> tuple[int, int]:
        self._text()
        dimensions = self._take("I")
        if dimensions > DIMENSIONS:
            raise ValueError(f"a tensor of {dimensions} dimensions")
        shape = [self._take("Q") for _ in range(dimensions)]
        kind = self._take("I")
        self._take("Q")
        return prod(shape), kind

    def _skip(self, kind: int, depth: int = 0) -> None:
        if depth > DEPTH:
            raise ValueError("lists within lists")
        if kind == _STRING:
            self._text()
        elif kind == _ARRAY:
            inner, count = self._take("I"), self._take("Q")
            if inner in _FIXED:
                self._at += count * struct.calcsize(_FIXED[inner])
            else:
                for _ in range(count):
                    self._skip(inner, depth + 1)
        else:
            self._at += struct.calcsize(_FIXED[kind])

    def _take(self, code: str) -> int:
        value: int = struct.unpack_from(f"<{code}", self._view, self._at)[0]
        self._at += struct.calcsize(code)
        return value

    def _text(self) -> bytes:
        length = self._take("Q")
        text = self._view[self._at : self._at + length]
        self._at += length
        return text
