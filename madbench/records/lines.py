"""Append-only files of JSON lines with one writer, whole after a kill at any byte."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout
from pydantic_core import from_json

from madbench.types import InputError

SYNC_SECONDS = 1.0
BLOCK = 1 << 16


class Lines:
    """A file of JSON lines, open for appending. Opening locks it and mends a torn last line.

    A killed process loses no line that `append` returned from; a dead node at most the last second's.
    Raises InputError where another process is writing the file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = FileLock(f"{path}.lock", thread_local=False)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise InputError(f"{path}: another process is writing this file") from error
        self._file = path.open("ab", buffering=0)
        self._end = mend(path)
        self._synced = time.monotonic()

    def append(self, row: Any) -> int:
        """Write one line, whole or (where the disk refuses) not at all; returns its place in bytes."""
        data, place = as_line(row), self._end
        try:
            self._write(data)
        except OSError:
            self._file.truncate(place)
            raise
        self._end += len(data)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()
        return place

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]

    def sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        if not self._file.closed:
            self.sync()
            self._file.close()
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def as_line(row: Any) -> bytes:
    line = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair: text that only an escape can hold
        return json.dumps(row, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def mend(path: Path) -> int:
    """Cut what follows the last newline; returns the length that is left, in bytes."""
    with path.open("rb+") as file:
        place = file.seek(0, os.SEEK_END)
        while place > 0:
            start = max(0, place - BLOCK)
            file.seek(start)
            newline = file.read(place - start).rfind(b"\n")
            if newline >= 0:
                return file.truncate(start + newline + 1)
            place = start
        return file.truncate(0)


def scan(path: Path) -> Iterator[tuple[int, Any]]:
    """Every whole line's place and content; an unfinished last line is left out.

    Raises InputError naming file and line where a whole line cannot be read.
    """
    place = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield place, parse(line, f"{path}:{number}")
            place += len(line)


def parse(line: bytes, where: str) -> Any:
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        pass
    try:
        return json.loads(line)
    except ValueError as error:
        raise InputError(f"{where}: unreadable line ({error}); mend or remove it, then run again") from error
