"""Where a run's files lie and how the small ones are written: beside, then renamed, so that none is ever half."""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from filelock import BaseFileLock, Timeout

from madbench.records.locks import locked
from madbench.records.owed import Owed
from madbench.records.plan import Asked, Plan
from madbench.records.plan_file import asked_in, owed_in, plan_pieces
from madbench.types import InputError, StorageError

SCHEMA_VERSION = 1
LONGEST = 200
"""Bytes in a folder's name; file systems allow 255."""


def component(text: str, longest: int = LONGEST) -> str:
    """A text as one folder name: odd characters replaced, cut to `longest` bytes.

    Whenever anything was replaced or cut, a hash of the whole text keeps different texts apart.
    """
    safe = re.sub(r"[^A-Za-z0-9._+-]+", "_", text).strip(".") or "_"
    if safe == text and len(safe) <= longest:
        return safe
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe[: longest - 9]}-{digest}"


def run_name(*, task: str, arm: str, cast: str, seed: int, config_hash: str) -> str:
    """`<task>-<arm>-<cast>-s<seed>-<confighash8>`, at most 200 bytes."""
    tail = f"-s{seed}-{config_hash[:8]}"
    return component(f"{task}-{arm}-{cast}", LONGEST - len(tail)) + tail


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run's folder. Equal configs share one; another config's is refused."""

    path: Path

    @property
    def config(self) -> Path:
        return self.path / "config.yaml"

    @property
    def manifest(self) -> Path:
        return self.path / "manifest.json"

    @property
    def plan(self) -> Path:
        return self.path / "plan.json"

    @property
    def status(self) -> Path:
        return self.path / "status.json"

    @property
    def log(self) -> Path:
        return self.path / "run.log"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics.json"

    @property
    def records(self) -> Path:
        return self.path / "records.parquet"

    @property
    def turns(self) -> Path:
        return self.path / "turns.parquet"

    @property
    def events(self) -> Path:
        return self.path / "events.parquet"

    def shard(self, name: str = "") -> Path:
        """The first shard of this host, or the one so called."""
        return self.path / "shards" / f"{name or own_name()}.jsonl"

    def shards(self) -> list[Path]:
        """The shards that are there, in order of name."""
        return sorted((self.path / "shards").glob("*.jsonl"))

    def read_plan(self) -> Plan:
        """The plan so far; an empty one where none was made."""
        if not self.plan.exists():
            return Plan({})
        with _readable(self.plan), self.plan.open(encoding="utf-8") as file:
            return Plan(Owed(owed_in(file)))

    def read_asked(self) -> Asked:
        """How the run was last asked for. Raises InputError where it never was."""
        if not self.plan.exists():
            raise InputError(f"{self.path}: no plan.json in it; wanted a run's folder")
        with _readable(self.plan), self.plan.open(encoding="utf-8") as file:
            return asked_in(file)

    def write_plan(self, plan: Plan, asked: Asked) -> None:
        write_pieces(self.plan, plan_pieces(plan, asked, SCHEMA_VERSION))

    def claim(self, config: Mapping[str, Any]) -> None:
        """Write down the config that this folder is for. Raises InputError, with the differences, for another."""
        if not self.config.exists():
            write_text(self.config, yaml.safe_dump(dict(config), sort_keys=True, allow_unicode=True))
            return
        found = yaml.safe_load(self.config.read_text(encoding="utf-8"))
        if changed := list(differences(found, config)):
            raise InputError(
                f"{self.path}: holds a run of another config; nothing was changed in it. "
                f"Differences (there -> now): {'; '.join(changed[:8])}"
            )

    @contextmanager
    def locked(self, wait: float = 10.0, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the folder alone. Waits so many seconds, then raises InputError naming the holder; `on_wait` is
        called where that takes more than two.
        """
        with stored(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            lock = self._held(wait, on_wait)
        try:
            yield
        finally:
            lock.release()

    def _held(self, wait: float, on_wait: Callable[[], None]) -> BaseFileLock:
        path, soon = self.path / "run.lock", min(wait, 2.0)
        try:
            return locked(path, soon)
        except Timeout:
            on_wait()
        try:
            return locked(path, wait - soon)
        except Timeout as error:
            raise InputError(f"{self.path}: {self._holder()} is running this config; wait for it") from error

    def _holder(self) -> str:
        status = read_json(self.status) if self.status.exists() else {}
        return f"process {status.get('pid', 'unknown')} on host {status.get('host', 'unknown')}"


def differences(there: Any, now: Any, where: str = "") -> Iterator[str]:
    """Every place at which two nested configs differ, as `a.b: 1 -> 2`."""
    if isinstance(there, Mapping) and isinstance(now, Mapping):
        for key in sorted({*there, *now}, key=str):
            yield from differences(there.get(key), now.get(key), f"{where}.{key}".lstrip("."))
    elif there != now:
        yield f"{where}: {there!r} -> {now!r}"


def own_name(number: int = 0) -> str:
    """What this host calls its files of lines; no other host's are called so."""
    return f"{component(socket.gethostname(), 64)}-{number}"


def write_text(path: Path, text: str) -> None:
    """Replace a file's content by a text, as `write_pieces` does."""
    write_pieces(path, [text])


def write_pieces(path: Path, pieces: Iterable[str]) -> None:
    """Replace a file's content at once: readers see the old or the new, never half. Raises StorageError where the disk
    refuses; the old content stays.
    """
    new = beside(path)
    with stored(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with new.open("w", encoding="utf-8") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


def beside(path: Path) -> Path:
    """Where this process writes a file before it takes its place: hidden, and told by host and process."""
    return path.with_name(f".{path.name}.{own_name(os.getpid())}")


def tidy(folder: Path) -> None:
    """Remove what processes of this host left beside their files when they were killed."""
    left = re.compile(rf"\..+\.{re.escape(own_name(0)[:-1])}(\d+)")
    for path in folder.glob(".*"):
        if (found := left.fullmatch(path.name)) and not _lives(int(found[1])):
            path.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@contextmanager
def stored(path: Path) -> Iterator[None]:
    """Raises StorageError naming the file for whatever the disk refuses."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{path}: {error.strerror or error}; what was written before is kept: mend that and run the same command"
        ) from error


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Keys keep their order; NaN and infinity are refused."""
    write_text(path, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def read_json(path: Path) -> Any:
    with _readable(path):
        return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raises InputError naming the file for whatever cannot be read out of it, StorageError where nothing can."""
    try:
        with stored(path):
            yield
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from error
