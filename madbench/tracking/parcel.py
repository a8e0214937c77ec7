"""One run as the plain data that is sent: everything a tracking service gets, made before it is asked anything."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from itertools import islice
from numbers import Integral, Real
from pathlib import Path

from pydantic import JsonValue

from madbench.tracking.runs import TrackedRun
from madbench.types import Estimate, Strict

ID = "id"
LARGEST = 2**63
"""Whole numbers from here on are sent as text: no service holds them."""
Cell = str | int | float | bool | None


class Table(Strict):
    """The first rows of a run, one type a column. `total` counts all of its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int

    @property
    def ids(self) -> tuple[str, ...]:
        """The rows' own ids; none where no column holds any."""
        if ID not in self.columns:
            return ()
        place = self.columns.index(ID)
        return tuple(str(row[place]) for row in self.rows)


class Labels(Strict):
    """Under what a run is filed."""

    project: str
    entity: str | None
    group: str
    job_type: str
    name: str


class Parcel(Strict):
    """All that is sent of one run."""

    id: str
    labels: Labels
    config: dict[str, JsonValue]
    summary: dict[str, JsonValue]
    table: Table
    files: tuple[str, ...]

    def digest(self) -> str:
        """A hash of all this and of the files' names and contents, wherever they lie."""
        digest = hashlib.blake2b(self.model_dump_json(exclude={"files"}).encode(), digest_size=16)
        for path in map(Path, self.files):
            with path.open("rb") as file:
                digest.update(path.name.encode() + hashlib.file_digest(file, "blake2b").digest())
        return digest.hexdigest()


def pack(run: TrackedRun, identity: str, max_rows: int, labels: Labels) -> Parcel:
    """Read the rows once, all of them, keeping the first `max_rows`."""
    table = table_of(run.rows, max_rows)
    return Parcel(
        id=identity,
        labels=labels,
        config=flat(run.config),
        summary=figures(run.estimates) | {"rows_tracked": len(table.rows), "rows_total": table.total},
        table=table,
        files=tuple(str(path.resolve()) for path in run.files),
    )


def flat(config: Mapping[str, object], prefix: str = "") -> dict[str, JsonValue]:
    """Nested settings as one level of dotted names; lists stay, as values."""
    found: dict[str, JsonValue] = {}
    for key, value in config.items():
        if isinstance(value, Mapping) and value:
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[sendable(f"{prefix}{key}")] = plain(value)
    return found


def plain(value: object) -> JsonValue:
    """Any value as JSON has it. Mappings and lists of any kind stay such; what JSON does not know becomes text."""
    if isinstance(value, Mapping):
        return {sendable(str(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain(inner) for inner in value]
    return _scalar(value)


def _scalar(value: object) -> Cell:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < LARGEST else str(int(value))
    if isinstance(value, Real):
        return _finite(float(value))
    return sendable(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value))


def sendable(text: str) -> str:
    """A text with nothing in it that UTF-8 cannot write."""
    return text.encode("utf-8", "backslashreplace").decode()


def figures(estimates: Mapping[str, Estimate]) -> dict[str, JsonValue]:
    """`accuracy`, and beside it `accuracy/low`, `accuracy/high` and `accuracy/n`; undefined is null."""
    found: dict[str, JsonValue] = {}
    for name, estimate in estimates.items():
        found[name] = plain(estimate.value)
        found[f"{name}/low"] = plain(estimate.low)
        found[f"{name}/high"] = plain(estimate.high)
        found[f"{name}/n"] = plain(estimate.n)
    return found


def table_of(rows: Iterable[Mapping[str, object]], max_rows: int) -> Table:
    """The first rows as a table: columns in order of appearance, the row's id first; all rows are counted."""
    stream = iter(rows)
    kept = list(islice(stream, max_rows))
    total = len(kept) + sum(1 for _ in stream)
    names = list(dict.fromkeys(name for row in kept for name in row))
    names.sort(key=lambda name: name != ID)
    columns = [one_type([row.get(name) for row in kept]) for name in names]
    cells = tuple(zip(*columns, strict=True)) if columns else ()
    return Table(columns=tuple(map(sendable, names)), rows=cells, total=total)


def one_type(values: Iterable[object]) -> list[Cell]:
    """A column whose values are of one kind (nothing aside): where they are not, all become text."""
    cells = [_cell(value) for value in values]
    kinds = {float if type(cell) is int else type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        return cells
    return [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in cells]


def _cell(value: object) -> Cell:
    sent = plain(value)
    return json.dumps(sent, ensure_ascii=False) if isinstance(sent, list | dict) else sent


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
