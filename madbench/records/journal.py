"""Every completion a model gave, by identity: kept so that none is paid for twice."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Self

from madbench.records.codec import decode_completion, encode_completion
from madbench.records.lines import Lines, parse, scan
from madbench.types import Completion, InputError

KEY, PLACE = 3, 7
STRIDE = KEY + PLACE
FILE_BITS = 40
BUCKETS = 1 << 10


class Places:
    """Places by identity in about eleven bytes an entry: buckets of packed (hash, place) pairs.

    Two identities may share a hash; whoever looks a place up compares the identity that is stored there.
    """

    def __init__(self) -> None:
        self._buckets: list[bytearray | None] = [None] * BUCKETS

    def add(self, identity: str, place: int) -> None:
        number, key = _hashed(identity)
        bucket = self._buckets[number]
        if bucket is None:
            bucket = self._buckets[number] = bytearray()
        bucket += key + place.to_bytes(PLACE, "big")

    def of(self, identity: str) -> list[int]:
        """Places that were added under this identity (or, hardly ever, one of the same hash)."""
        number, key = _hashed(identity)
        bucket, found = self._buckets[number], []
        at = bucket.find(key) if bucket else -1
        while bucket and at >= 0:
            if at % STRIDE == 0:
                found.append(int.from_bytes(bucket[at + KEY : at + STRIDE], "big"))
            at = bucket.find(key, at + 1)
        return found


def _hashed(identity: str) -> tuple[int, bytes]:
    digest = hashlib.blake2b(identity.encode(), digest_size=KEY + 2).digest()
    return int.from_bytes(digest[KEY:], "big") % BUCKETS, digest[:KEY]


class Journal:
    """One model's completions in a folder of JSONL files, one writer a file.

    Every file in the folder is read; new completions go to the first file that nobody else is writing.
    """

    def __init__(self, folder: Path) -> None:
        self._own = self._claim(folder)
        self._files = [self._own.path, *(p for p in sorted(folder.glob("*.jsonl")) if p != self._own.path)]
        self._readers = [path.open("rb") for path in self._files]
        self._places = Places()
        for number, path in enumerate(self._files):
            for place, row in scan(path):
                self._places.add(row[0], number << FILE_BITS | place)

    @staticmethod
    def _claim(folder: Path) -> Lines:
        number = 0
        while True:
            try:
                return Lines(folder / f"{number}.jsonl")
            except InputError:
                number += 1

    def get(self, identity: str) -> Completion | None:
        for packed in self._places.of(identity):
            file, place = self._readers[packed >> FILE_BITS], packed & ((1 << FILE_BITS) - 1)
            file.seek(place)
            found, completion = parse(file.readline(), f"{file.name}, byte {place}")
            if found == identity:
                return decode_completion(completion)
        return None

    def put(self, identity: str, completion: Completion) -> None:
        """On disk before this returns (flushed; synced once a second)."""
        place = self._own.append([identity, encode_completion(completion)])
        self._places.add(identity, place)

    def close(self) -> None:
        self._own.close()
        for file in self._readers:
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
