"""Every completion a model gave, by identity: kept so that none is paid for twice."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from madbench.records.codec import decode_completion, encode_completion
from madbench.records.layout import stored
from madbench.records.lines import own_file, parse, readable, scan
from madbench.types import Completion

KEY, PLACE = 3, 7
STRIDE = KEY + PLACE
FILE_BITS = 40
BUCKETS = 1 << 10
TICK = 2_000_000_000


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


def _settled(changed: int) -> bool:
    """Whether a folder that changed then (ns) would show another change: some file systems count in seconds."""
    return time.time_ns() - changed > TICK


class Tail:
    """A file that some process may still append to (`grows`: another one than this), and how far it was read."""

    def __init__(self, path: Path, *, grows: bool) -> None:
        self.path, self._grows = path, grows
        with stored(path):
            self._file, self._read = path.open("rb"), 0

    def at(self, place: int, identity: str) -> Completion | None:
        """The completion in the line that begins there, if it has this identity."""
        where = f"{self.path}, byte {place}"
        row = parse(self._line(place), where)
        with readable(where):
            found, completion = row
            return decode_completion(completion) if found == identity else None

    def news(self) -> Iterator[tuple[int, str]]:
        """Places and identities of all lines that were appended since."""
        with stored(self.path):
            size = os.fstat(self._file.fileno()).st_size
        if size == self._read:
            return
        for place, row in scan(self.path, self._read, grows=self._grows):
            with readable(f"{self.path}, byte {place}"):
                identity, _ = row
                identity.encode()
            yield place, identity
            self._read = place + len(self._line(place))

    def passed(self, end: int) -> None:
        """What lies before `end` is known."""
        self._read = end

    def _line(self, place: int) -> bytes:
        """What was read ahead is dropped: half a line may have been cut off since, and others put in its place."""
        with stored(self.path):
            self._file.seek(0, os.SEEK_END)
            self._file.seek(place)
            return self._file.readline()

    def close(self) -> None:
        self._file.close()


class Journal:
    """One model's completions in a folder of JSONL files, one writer a file.

    New completions go to the first file of this host that nobody else is writing. All files are read, again whenever a
    completion is not known, so that processes which share a folder share what they pay for: all but what two of them
    ask for in the same moment. Raises StorageError, naming it, for a file that the disk does not give.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._own = folder, own_file(folder)
        self._tails, self._places, self._seen = [Tail(self._own.path, grows=False)], Places(), 0
        self._look()

    def get(self, identity: str) -> Completion | None:
        if (known := self._known(identity)) is None and self._look():
            return self._known(identity)
        return known

    def _known(self, identity: str) -> Completion | None:
        for packed in self._places.of(identity):
            tail, place = self._tails[packed >> FILE_BITS], packed & ((1 << FILE_BITS) - 1)
            if (found := tail.at(place, identity)) is not None:
                return found
        return None

    def _look(self) -> int:
        """Take in what is new in any file; how many completions that was."""
        count = 0
        with stored(self._folder):
            changed = self._folder.stat().st_mtime_ns
        if changed != self._seen:
            known, self._seen = {tail.path for tail in self._tails}, changed if _settled(changed) else 0
            new = [path for path in sorted(self._folder.glob("*.jsonl")) if path not in known]
            self._tails += [Tail(path, grows=True) for path in new]
        for number, tail in enumerate(self._tails):
            for place, identity in tail.news():
                self._places.add(identity, number << FILE_BITS | place)
                count += 1
        return count

    def put(self, identity: str, completion: Completion) -> None:
        """On disk before this returns (flushed; synced once a second). Raises StorageError where the disk refuses."""
        place = self._own.append([identity, encode_completion(completion)])
        self._places.add(identity, place)
        self._tails[0].passed(self._own.end)

    def close(self) -> None:
        self._own.close()
        for tail in self._tails:
            tail.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
