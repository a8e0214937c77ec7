"""Metrics: what records mean, as numbers with intervals. Reads finished records; calls no model.

    measure(record: Record, families) -> Measured   one episode in numbers; keeps no text, never raises
    tabulate(measured: Iterable[Measured]) -> Rows  many of them, as columns (about 150 bytes an episode)
    MeasuredRun(arm, task, protocol, cast, seed, planned, rows)
    arm_metrics(rows: Rows) -> dict[str, Estimate]  one run's metrics.json
    summarise(name, runs: Sequence[MeasuredRun]) -> Summary
    watch(first: Sequence[Record]) -> list[Alarm]   the live guard, over an arm's first records
    definitions(names=()) -> dict[str, str]         one line a metric; `names` adds accuracy_round_3 and the like
    is_defined(name) -> bool                        whether ours, or a family's of ours

So a run's metrics are `arm_metrics(tabulate(measure(record) for record in read_records(folder)))`.
"""

from madbench.metrics.arm import arm_metrics, definitions, is_defined
from madbench.metrics.guard import Alarm, watch
from madbench.metrics.kinship import Families
from madbench.metrics.measure import measure
from madbench.metrics.rows import Measured, MeasuredRun, Rows, tabulate
from madbench.metrics.summary import summarise

__all__ = [
    "Alarm",
    "Families",
    "Measured",
    "MeasuredRun",
    "Rows",
    "arm_metrics",
    "definitions",
    "is_defined",
    "measure",
    "summarise",
    "tabulate",
    "watch",
]
