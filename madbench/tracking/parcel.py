"""One run as the plain data that is sent: everything a tracking service gets, made before it is asked anything."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import islice

from pydantic import JsonValue

from madbench.tracking.runs import TrackedRun
from madbench.types import Estimate

ID = "id"
Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Table:
    """The first rows of a run, one type a column. `total` counts all of its rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is sent, as JSON text; its `digest` covers the contents of the files too."""

    text: str
    digest: str
    ids: tuple[str, ...]
    total: int


def pack(run: TrackedRun, identity: str, max_rows: int, project: str, entity: str | None) -> Parcel:
    """Read the rows once, all of them, keeping the first `max_rows`."""
    table = table_of(run.rows, max_rows)
    content = {
        "id": identity,
        "group": run.group,
        "job_type": run.job_type,
        "name": run.name,
        "project": project,
        "entity": entity,
        "config": flat(run.config),
        "summary": figures(run.estimates) | {"rows_tracked": len(table.rows), "rows_total": table.total},
        "table": asdict(table),
        "files": [str(path.resolve()) for path in run.files],
    }
    text = json.dumps(content, allow_nan=False)
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for path in run.files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "blake2b").digest())
    place = table.columns.index(ID) if ID in table.columns else None
    ids = () if place is None else tuple(str(row[place]) for row in table.rows)
    return Parcel(text, digest.hexdigest(), ids, table.total)


def flat(config: Mapping[str, JsonValue], prefix: str = "") -> dict[str, JsonValue]:
    """Nested settings as one level of dotted names; lists stay, as values."""
    found: dict[str, JsonValue] = {}
    for key, value in config.items():
        if isinstance(value, dict) and value:
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = _finite(value) if isinstance(value, float) else value
    return found


def figures(estimates: Mapping[str, Estimate]) -> dict[str, JsonValue]:
    """`accuracy`, and beside it `accuracy/low`, `accuracy/high` and `accuracy/n`; undefined is null."""
    found: dict[str, JsonValue] = {}
    for name, estimate in estimates.items():
        found[name] = _finite(estimate.value)
        found[f"{name}/low"] = _finite(estimate.low)
        found[f"{name}/high"] = _finite(estimate.high)
        found[f"{name}/n"] = estimate.n
    return found


def table_of(rows: Iterable[Mapping[str, JsonValue]], max_rows: int) -> Table:
    """The first rows as a table: columns in order of appearance, the row's id first; all rows are counted."""
    stream = iter(rows)
    kept = list(islice(stream, max_rows))
    total = len(kept) + sum(1 for _ in stream)
    names = list(dict.fromkeys(name for row in kept for name in row))
    names.sort(key=lambda name: name != ID)
    columns = [one_type([row.get(name) for row in kept]) for name in names]
    return Table(tuple(names), tuple(zip(*columns, strict=True)) if columns else (), total)


def one_type(values: Iterable[JsonValue]) -> list[Cell]:
    """A column whose values are of one kind (nothing aside): where they are not, all become text."""
    cells = [_cell(value) for value in values]
    kinds = {float if type(cell) is int else type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1:
        return cells
    return [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in cells]


def _cell(value: JsonValue) -> Cell:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return _finite(value) if isinstance(value, float) else value


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
