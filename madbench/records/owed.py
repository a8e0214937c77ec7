"""Epochs by sample id, in the task's order, in little more memory than the ids' own letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt


class Owed(Mapping[str, int]):
    """A mapping that is made once: ids end to end in one text, their ends, epochs and hashes beside it.

    About twenty-five bytes a sample on top of its id. A lookup is a binary search over hashes. No id comes twice.
    """

    def __init__(self, pairs: Iterable[tuple[str, int]] = ()) -> None:
        letters, ends, epochs = bytearray(), [0], list[int]()
        lengths, counts = np.empty(0, np.int64), np.empty(0, np.int32)
        for sample, count in pairs:
            letters += sample.encode(errors="surrogatepass")
            ends.append(len(letters))
            epochs.append(count)
            if len(epochs) == BLOCK:
                lengths, counts = np.append(lengths, ends[1:]), np.append(counts, epochs).astype(np.int32)
                ends, epochs = [len(letters)], []
        self._letters = bytes(letters)
        self._ends = np.append(lengths, ends[1:]).astype(np.int64)
        self._epochs = np.append(counts, epochs).astype(np.int32)
        keys = np.fromiter(map(hash, self._samples()), np.int64, len(self._ends))
        self._order = np.argsort(keys, kind="stable").astype(np.int32)
        self._keys: npt.NDArray[np.int64] = keys[self._order]

    def __getitem__(self, sample: str) -> int:
        key = hash(sample)
        at = int(np.searchsorted(self._keys, key, "right")) - 1
        while at >= 0 and self._keys[at] == key:
            place = int(self._order[at])
            if self._sample(place) == sample:
                return int(self._epochs[place])
            at -= 1
        raise KeyError(sample)

    def __iter__(self) -> Iterator[str]:
        return self._samples()

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def epochs(self) -> npt.NDArray[np.int32]:
        """Of every sample, in order."""
        return self._epochs

    def pairs(self) -> Iterator[tuple[str, int]]:
        """As `items`, without a lookup for each."""
        return zip(self._samples(), map(int, self._epochs), strict=True)

    def _samples(self) -> Iterator[str]:
        return (self._sample(place) for place in range(len(self._ends)))

    def _sample(self, place: int) -> str:
        start = int(self._ends[place - 1]) if place else 0
        return self._letters[start : int(self._ends[place])].decode(errors="surrogatepass")


BLOCK = 4096
"""So many samples are collected before they are packed."""
