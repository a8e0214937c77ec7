"""The rows of a run that its user asked for: one view for numbers, figures, pages and trackers alike."""

from __future__ import annotations

from collections.abc import Iterator

from madbench.records.layout import RunFolder
from madbench.records.plan import Plan
from madbench.records.tables import read_records
from madbench.types import Record


def viewed_records(folder: RunFolder, view: Plan) -> Iterator[Record]:
    """Those of the tables' records that `view` asks for."""
    for record in read_records(folder):
        if record.id.epoch < view.owed.get(record.id.sample, 0):
            yield record


def asked_records(folder: RunFolder) -> Iterator[Record]:
    """Those of the tables' records that were last asked for; all of them where tables were kept without a plan."""
    if not folder.plan.exists():
        return read_records(folder)
    return viewed_records(folder, folder.read_asked().view(folder.read_plan()))
