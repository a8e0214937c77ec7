"""From shards to tables to metrics: the last attempt at every row, with nothing lost on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain

from madbench.metrics import Families, Rows, arm_metrics, measure, tabulate
from madbench.records.findings import accounted
from madbench.records.index import Index
from madbench.records.layout import SCHEMA_VERSION, RunFolder, read_json, write_json
from madbench.records.plan import Plan
from madbench.records.seams import check_seam
from madbench.records.tables import read_rows, release, write_tables
from madbench.records.views import viewed_records
from madbench.types import Record, SeamError

RowKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """The plan's rows that are on disk, and the rows there that nobody planned."""

    index: Index
    plan: Plan

    def __iter__(self) -> Iterator[RowKey]:
        return chain(self.index.found(self.plan), self.index.strays)


@dataclass(frozen=True, slots=True)
class Written:
    """The rows of records.parquet, read back."""

    folder: RunFolder

    def __iter__(self) -> Iterator[RowKey]:
        rows = read_rows(self.folder.records, ["sample", "epoch"])
        return ((row["sample"], row["epoch"]) for row in rows)


@dataclass(frozen=True, slots=True)
class Counted:
    """The rows that metrics were computed from."""

    rows: Rows

    def __iter__(self) -> Iterator[RowKey]:
        pairs = zip(self.rows.samples, self.rows.draws, strict=True)
        return ((bytes(sample).decode(), int(draw)) for sample, draw in pairs)


def merge(folder: RunFolder) -> None:
    """Write the tables from the shards: all that the folder holds, of which all that was last asked for must be there.

    Raises SeamError naming what was lost, doubled or invented; InputError where nothing was ever asked for.
    """
    plan = folder.read_plan()
    view = folder.read_asked().view(plan)
    index = Index(plan)
    index.read(folder.shards())
    files = ", ".join(shard.name for shard in folder.shards())
    check_seam(f"{folder.path.name} ({files}): plan to shards", view, Found(index, view))
    write_tables(folder, merged(index, plan))
    check_seam(f"{folder.path.name}: merge to parquet", Found(index, plan), Written(folder))


def merged(index: Index, plan: Plan) -> Iterator[Record]:
    """The last attempt at every row that is on disk."""
    for sample, epoch in index.found(plan):
        record = index.record(sample, epoch)
        if (record.id.sample, record.id.epoch) != (sample, epoch):
            raise SeamError(f"shards to merge: wanted {(sample, epoch)}, found {record.id}")
        yield record


def tabulated(folder: RunFolder, view: Plan) -> Rows:
    """The numbers of all rows of `view`, from the tables. Raises SeamError where they are not these, and where
    a review's findings are not those that its scores account for.
    """
    families = families_of(folder)
    rows = tabulate(measure(record, families) for record in accounted(viewed_records(folder, view)))
    check_seam(f"{folder.path.name}: parquet to metrics", view, Counted(rows))
    return rows


def families_of(folder: RunFolder) -> Families:
    """Of the models that played, from the manifest; unknown without one."""
    held = read_json(folder.manifest) if folder.manifest.is_file() else {}
    return Families(held.get("families", {}))


def write_numbers(folder: RunFolder) -> Rows:
    """metrics.json, for the rows last asked for: every metric's estimate; undefined is null."""
    asked = folder.read_asked()
    view = asked.view(folder.read_plan())
    rows, planned = tabulated(folder, view), len(view)
    del view  # as large as the rows: not held while they are measured
    release()
    metrics = {name: asdict(estimate) for name, estimate in sorted(arm_metrics(rows).items())}
    head = {
        "schema_version": SCHEMA_VERSION,
        "seed": asked.seed,
        "limit": asked.limit,
        "epochs": asked.epochs,
    }
    write_json(folder.metrics, {**head, "planned": planned, "metrics": metrics})
    release()  # what measuring left, before arms are compared
    return rows
