"""Telling a tracker about finished runs. Whatever it does, the results stand."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from madbench.metrics.labels import labels
from madbench.records.seams import check_seam
from madbench.records.views import asked_records
from madbench.sweep.configs import flat
from madbench.sweep.identity import config_hash
from madbench.sweep.logs import note
from madbench.sweep.planning import Planned
from madbench.sweep.settings import made
from madbench.tracking import TrackedRun, Tracking
from madbench.types import Record, Summary


def publish(runs: Sequence[Planned], summary: Summary) -> None:
    """Hand every run to its tracker, one tracker for equal settings.

    What goes wrong there, rows that it lost among it, is said loudly and noted in the run's log; the results
    stand, and so does the exit code. A run that was not tracked whole is sent again at the next start.
    """
    trackers: dict[str, Tracking] = {}
    for run, label in zip(runs, labels([run.name for run in runs]), strict=True):
        try:
            settings = run.config.parts.tracking
            key = json.dumps(settings, sort_keys=True)
            tracker = trackers.get(key) or trackers.setdefault(
                key, cast(Tracking, made("tracking", settings))
            )
            problem = deliver(tracker, tracked(run, label, summary))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            told = f"tracking: {run.name.arm}: {problem}; its results here are complete"
            print(f"WARNING {told}", file=sys.stderr)
            note(run.folder, told)


def deliver(tracker: Tracking, run: TrackedRun) -> str:
    """Send a run; what the tracker says went wrong. Raises SeamError unless it holds exactly the rows it owed."""
    sent = tracker.publish(run)
    if not sent.problem:
        check_seam("metrics to tracking", sent.due, sent.found)
    return sent.problem


def tracked(run: Planned, label: str, summary: Summary) -> TrackedRun:
    """A run as trackers take it, with the estimates of its label and seed; rows are read when they are asked for."""
    folder, name, seed = run.folder, run.name, run.job.seed
    estimates = [arm.metrics for arm in summary.arms if (arm.arm, arm.seed) == (label, seed)]
    files = (folder.config, folder.manifest, folder.metrics, folder.records, folder.turns, folder.events)
    return TrackedRun(
        folder=folder.path,
        home=run.config.home,
        group=summary.name,
        job_type=name.protocol,
        config={**flat(run.config), "arm": name.arm, "config_hash": config_hash(run.facts)},
        estimates=estimates[0] if estimates else {},
        rows=(row_of(record) for record in asked_records(folder)),
        files=tuple(file for file in files if file.is_file()),
    )


def row_of(record: Record) -> Mapping[str, JsonValue]:
    """One episode as a row of a tracker's sample table."""
    outcome, sample = record.outcome, record.sample
    return {
        "id": f"{record.id.sample}/{record.id.epoch}",
        "question": sample.problem.question if sample else None,
        "target": sample.target.answer if sample else None,
        "answer": outcome.answer if outcome else None,
        "ending": record.ending.value,
        "stop": outcome.stop.value if outcome else None,
        "turns": len(record.turns),
        **record.scores,
    }
