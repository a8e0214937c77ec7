"""Where a run's files lie and how the small ones are written: beside, then renamed, so that none is ever half."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from filelock import FileLock, Timeout

from madbench.records.owed import Owed
from madbench.records.plan import Asked, Plan
from madbench.records.plan_file import asked_in, owed_in, plan_text
from madbench.types import InputError

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

    def shard(self, name: str = "0") -> Path:
        return self.path / "shards" / f"{name}.jsonl"

    def shards(self) -> list[Path]:
        """The shards that are there, in order of name."""
        return sorted((self.path / "shards").glob("*.jsonl"))

    def read_plan(self) -> Plan:
        """The plan so far; an empty one where none was made."""
        if not self.plan.exists():
            return Plan({})
        with _readable(self.plan):
            return Plan(Owed(owed_in(self.plan.read_text(encoding="utf-8"))))

    def read_asked(self) -> Asked:
        """How the run was last asked for. Raises InputError where it never was."""
        if not self.plan.exists():
            raise InputError(f"{self.path}: no plan.json in it; wanted a run's folder")
        with _readable(self.plan):
            return asked_in(self.plan.read_text(encoding="utf-8"))

    def write_plan(self, plan: Plan, asked: Asked) -> None:
        write_text(self.plan, plan_text(plan, asked, SCHEMA_VERSION))

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
    def locked(self, wait: float = 10.0) -> Iterator[None]:
        """Hold the folder alone. Waits so many seconds, then raises InputError naming the holder."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / "run.lock", thread_local=False)
        try:
            lock.acquire(timeout=wait)
        except Timeout as error:
            raise InputError(f"{self.path}: {self._holder()} is running this config; wait for it") from error
        try:
            yield
        finally:
            lock.release()

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


def write_text(path: Path, text: str) -> None:
    """Replace a file's content at once: readers see the old or the new, never half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Keys keep their order; NaN and infinity are refused."""
    write_text(path, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n")


def read_json(path: Path) -> Any:
    with _readable(path):
        return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raises InputError naming the file for whatever cannot be read out of it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from error
