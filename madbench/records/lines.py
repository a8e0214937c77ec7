"""Append-only files of JSON lines with one writer, whole after a kill at any byte."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Self

from filelock import BaseFileLock, Timeout
from pydantic_core import from_json

from madbench.records.layout import own_name, stored
from madbench.records.locks import locked
from madbench.types import InputError

SYNC_SECONDS = 1.0
BLOCK = 1 << 16
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Lines:
    """A file of JSON lines, open for appending. Opening locks it and mends a torn last line.

    A killed process loses no line that `append` returned from; a dead node at most the last second's.
    Raises InputError where another process is writing the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with stored(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _alone(path)
            try:
                self._file = path.open("ab", buffering=0)
                self.end = mend(path)
            except BaseException:
                self._lock.release()
                raise
        self._torn, self._synced = False, time.monotonic()

    def append(self, row: Any) -> int:
        """Write one line; returns its place in bytes. Raises StorageError, and leaves none, where the disk refuses."""
        data, place = as_line(row), self.end
        with stored(self.path):
            if self._torn:
                self._cut()
            self._write(data)
            self.end += len(data)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                self.sync()
        return place

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError:
            self._torn = True
            with suppress(OSError):
                self._cut()
            raise

    def _cut(self) -> None:
        """Take half a line off the end; until that is done, none may follow it."""
        self._file.truncate(self.end)
        self._torn = False

    def sync(self) -> None:
        with stored(self.path):
            os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        if not self._file.closed:
            try:
                self.sync()
            finally:
                self._file.close()
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _alone(path: Path) -> BaseFileLock:
    try:
        return locked(Path(f"{path}.lock"), wait=0)
    except Timeout as error:
        raise InputError(f"{path}: another process is writing this file") from error


def own_file(folder: Path) -> Lines:
    """The first file of this host in a folder that nobody else is writing.

    No other host ever appends to it, so that a file has one writer even where locks do not reach over hosts.
    """
    for number in count():
        with suppress(InputError):
            return Lines(folder / f"{own_name(number)}.jsonl")
    raise AssertionError


def as_line(row: Any) -> bytes:
    line = _JSON.encode(row)
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


def scan(path: Path, start: int = 0, *, grows: bool = False) -> Iterator[tuple[int, Any]]:
    """Every whole line's place and content, from the line that begins at `start`, up to one that is unfinished.

    What a writer adds to that one while this reads is no line of its own: it is read the next time, from its beginning.
    Where another host's file `grows`, a line that holds zeros is unfinished, too: over a network the end of a file may
    be known before what stands there.

    Raises InputError naming file and line where a whole line makes no sense, StorageError where nothing can be read.
    """
    place = start
    with stored(path), path.open("rb") as file:
        file.seek(start)
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n") or (grows and b"\0" in line):
                return
            yield place, parse(line, f"{path}, byte {place}" if start else f"{path}:{number}")
            place += len(line)


def parse(line: bytes, where: str) -> Any:
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        pass
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where}: unreadable line ({error}); nothing was changed. Remove that line: the same command then makes "
            "what it held again"
        ) from error


@contextmanager
def readable(where: str) -> Iterator[None]:
    """Raises InputError for what could be parsed, and yet is nothing of ours."""
    try:
        yield
    except InputError:
        raise
    except (
        OSError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        if (
            isinstance(error, OSError) and error.errno is not None
        ):  # a disk's; Arrow's own say nothing but words
            raise
        raise InputError(
            f"{where}: no row that this version can read ({error!r}); was it written by a newer madbench, "
            "or by another program? Nothing was changed"
        ) from error
