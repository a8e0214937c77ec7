"""Where rows of questions come from: a local file, or the hub."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from madbench.tasks.layout import Layout
from madbench.types import InputError

COMMIT = re.compile("[0-9a-f]{40}")
Row = Mapping[str, JsonValue]
SHAPE = (
    "wanted .jsonl or .parquet with question, answer and, as needed, id, group, choices [{label, text}], "
    "answer_type (number, mcq, bool, text)"
)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as they were found; `origin` and `revision` are for the manifest, `rows[i]` is row `first + i`."""

    origin: str
    revision: str | None
    rows: list[Row]
    first: int = 0

    def where(self, index: int) -> str:
        return f"{self.origin}, row {index + self.first}"


@dataclass(frozen=True)
class Hub:
    """A data set on the Hugging Face hub. Without a `revision` it may change under you, and the facts say so."""

    id: str
    subset: str | None = None
    split: str = "test"
    revision: str | None = None
    layout: Layout = field(default_factory=Layout)

    def table(self) -> Table:
        """All rows. Raises InputError that says what to do for a set that is missing, gated or out of reach."""
        import datasets

        datasets.logging.set_verbosity_error()  # that it found its own cache is no news
        try:
            data = datasets.load_dataset(self.id, name=self.subset, split=self.split, revision=self.revision)
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(f"task.hub.id: {self.id}: {_advice(str(error))}") from error
        found = re.search(r"@([0-9a-f]{40})/", " ".join(data.info.download_checksums or {}))
        pinned = self.revision if COMMIT.fullmatch(self.revision or "") else None
        if found and pinned not in (None, found[1]):
            raise InputError(
                f"task.hub.revision: {self.id}: wanted {pinned}, the cache holds {found[1]} and the hub is out of "
                "reach; fetch it where there is a network (python -m madbench prefetch)"
            )
        name = "/".join(part for part in (self.id, self.subset, self.split) if part)
        return Table(f"hub:{name}", found[1] if found else self.revision, list(data))


def _advice(problem: str) -> str:
    """One sentence for what the hub's libraries say in many."""
    said = problem.lower()
    if "gated" in said:
        return (
            "gated: ask for access on its page, set HF_TOKEN, then prefetch; or give task.path, a local file"
        )
    if "script" in said and "support" in said:
        return "has only a loading script, which is no longer run: give a revision with parquet, or task.path"
    if "config" in said or "split" in said:
        return f"no such subset, split or revision ({problem.splitlines()[0]})"
    short = problem.splitlines()[0] if problem else "no reason given"
    return f"not found, or the hub is out of reach ({short}); prefetch it online, or give task.path, a local file"


def table_of(hub: Hub | None, path: str | None, where: str) -> Table:
    """The rows of a local file where one is given, else the hub's. Raises InputError where neither is."""
    if path is not None:
        return read_file(path)
    if hub is None:
        raise InputError(f"{where}: neither task.path (a local file) nor task.hub is given")
    return hub.table()


def read_file(path: str) -> Table:
    """All rows of a .jsonl or .parquet file, or of `data.jsonl` in a folder. Raises InputError naming the row."""
    file = Path(path).expanduser()
    file = file / "data.jsonl" if file.is_dir() else file
    if not file.is_file():
        raise InputError(f"task.path: no file {file}; {SHAPE}")
    readers = {".jsonl": _jsonl, ".parquet": _parquet}
    if file.suffix not in readers:
        raise InputError(f"task.path: {file} ends in {file.suffix!r}; {SHAPE}")
    table = Table(str(file), None, readers[file.suffix](file), 1)
    if not table.rows:
        raise InputError(f"task.path: {file} has no rows; {SHAPE}")
    return table


def _jsonl(file: Path) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(_text(file).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            json.dumps(row, ensure_ascii=False).encode()
        except ValueError as error:
            raise InputError(f"{file}, row {number}: no JSON ({error})") from error
        if not isinstance(row, dict):
            raise InputError(f"{file}, row {number}: found {type(row).__name__}, wanted an object")
        rows.append(row)
    return rows


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except ValueError as error:
        raise InputError(f"task.path: {file} is no UTF-8 text ({error})") from error


def _parquet(file: Path) -> list[Row]:
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        rows: list[Row] = read_table(file).to_pylist()
    except (ArrowException, OSError, ValueError) as error:
        raise InputError(f"task.path: {file} is no parquet file ({error})") from error
    return rows
