"""What others printed: tables of `baselines/published`, each value with its source, and the way to name them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, JsonValue, ValidationError

from madbench.types import Estimate, InputError, Published, Reference, Strict

Unit = Literal["share", "percent", "count", "other"]
"""How a value is printed: 0 to 1, 0 to 100, a count over the row's `n`, or in a unit of its own."""
STANDARD_ERRORS = 1.96
"""Half an interval of 95 %."""


class Row(Strict):
    """One setting that somebody measured. `spread` is a standard error or an interval of 95 %, by metric."""

    protocol: str
    task: str
    model: str
    values: Mapping[str, float]
    n: int | None = Field(default=None, ge=1)
    config: str = ""
    note: str = ""
    spread: Mapping[str, float | tuple[float, float]] = {}


class Table(Strict):
    """A printed table; `ours` names the metric here that comes nearest. In the file, `common` holds for all rows.

    `tag`: T from the primary text or a notebook's output, S from a secondary transcription, D recomputed from
    primary data, U unverified.
    """

    source: str
    table: str
    tag: Literal["T", "S", "D", "U"]
    rows: tuple[Row, ...]
    units: Mapping[str, Unit] = {}
    ours: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


class Paper(Strict):
    """One file: the tables of a source, and in what else than model and data it differs from what is run here."""

    tables: Mapping[str, Table]
    differs: Mapping[str, str] = {}


def published_by(references: Sequence[Reference]) -> tuple[Published, ...]:
    """Every printed value that the references name and that has a counterpart here.

    Raises InputError for a paper or table that is not there, and for a reference that no row answers to.
    """
    return tuple(value for reference in references for value in _values(reference))


def papers() -> list[str]:
    """The names of all papers."""
    return sorted(file.stem for file in folder().glob("*.yaml"))


@cache
def paper(name: str) -> Paper:
    """Raises InputError naming the file and the field at fault."""
    if name not in papers():
        raise InputError(f"published: no paper {name!r}; there are {', '.join(papers())}")
    file = folder() / f"{name}.yaml"
    try:
        return Paper.model_validate_json(json.dumps(_whole(yaml.safe_load(file.read_text(encoding="utf-8")))))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{file}: {where}: {first['msg']}") from error


def _whole(data: JsonValue) -> JsonValue:
    """The data with every `common` of a table in each of its rows."""
    if isinstance(data, list):
        return [_whole(item) for item in data]
    if not isinstance(data, dict):
        return data
    common, rows = data.get("common"), data.get("rows")
    if not isinstance(common, dict) or not isinstance(rows, list):
        return {key: _whole(value) for key, value in data.items()}
    whole: list[JsonValue] = [{**common, **row} if isinstance(row, dict) else row for row in rows]
    return {key: value for key, value in data.items() if key != "common"} | {"rows": whole}


def folder() -> Path:
    """Inside an installed package, beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "baselines" / "published"
    return inside if inside.is_dir() else package.parent / "baselines" / "published"


def _values(reference: Reference) -> Iterator[Published]:
    name, _, key = reference.table.partition("/")
    source = paper(name)
    if key not in source.tables:
        raise InputError(f"published: {name} has no table {key!r}; it has {', '.join(source.tables)}")
    table = source.tables[key]
    rows = [row for row in table.rows if all(getattr(row, k) == v for k, v in reference.where.items())]
    named = {**table.ours, **reference.ours}
    found = [(row, metric) for row in rows for metric in row.values if metric in named]
    if not found:
        raise InputError(
            f"published: no row of {reference.table} has {dict(reference.where)} and one of {[*named]}"
        )
    for row, metric in found:
        yield Published(
            source=f"{table.source}, {table.table} ({table.tag})",
            setting={"protocol": row.protocol, "task": row.task, "model": row.model, "config": row.config},
            metric=metric,
            printed=_estimate(row, metric, table.units.get(metric, "other")),
            arm=reference.arm,
            ours=named[metric],
            differs=source.differs,
            notes=tuple(filter(None, (*table.notes, row.note))),
        )


def _estimate(row: Row, metric: str, unit: Unit) -> Estimate:
    """A printed value on the scale of ours: shares from 0 to 1, counts an episode."""
    value, spread = row.values[metric], row.spread.get(metric)
    ends = (None, None) if spread is None else spread
    if isinstance(ends, float):
        ends = (value - STANDARD_ERRORS * ends, value + STANDARD_ERRORS * ends)
    scale = {"percent": 100.0, "count": float(row.n or 1)}.get(unit, 1.0)
    low, high = (None if end is None else end / scale for end in ends)
    return Estimate(value / scale, low, high, row.n or 0)
