"""Telling a tracker about finished runs. Whatever it does, the results stand."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from madbench.metrics.labels import labels
from madbench.records.layout import read_json
from madbench.records.seams import check_seam
from madbench.records.views import asked_records
from madbench.run.job import Job
from madbench.sweep.configs import Plain
from madbench.sweep.logs import note
from madbench.sweep.settings import made
from madbench.tracking import Published, TrackedRun, Tracking
from madbench.types import Record, Summary


@dataclass(frozen=True, slots=True)
class Told:
    """What became of telling a tracker about one run; nothing `sent` where the tracker itself broke."""

    job: Job
    sent: Published | None
    problem: str = ""


def publish(home: Path, jobs: Sequence[Job], tracking: Sequence[Plain], summary: Summary) -> list[Told]:
    """Hand every run of an experiment to its tracker, one tracker for equal settings.

    What goes wrong there, rows that it lost among it, is said once for all runs that it befell and noted in the
    runs' logs; the results stand, and so does the exit code. A run that was not tracked whole is sent again at the
    next start.
    """
    teller, named = Teller(home, summary, {}), labels([job.name for job in jobs])
    told = [teller.tell(*one) for one in zip(jobs, named, tracking, strict=True)]
    warn(home, told)
    return told


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells trackers about the runs of one summary; `trackers` are those in use, by their settings."""

    home: Path
    summary: Summary
    trackers: dict[str, Tracking]

    def tell(self, job: Job, label: str, settings: Plain) -> Told:
        """Never raises."""
        sent = None
        try:
            sent = self._tracker(settings).publish(tracked(self.home, job, label, self.summary))
            check(sent)
        except Exception as error:
            return Told(job, sent, f"{type(error).__name__}: {error}")
        return Told(job, sent, sent.problem)

    def _tracker(self, settings: Plain) -> Tracking:
        key = json.dumps(settings, sort_keys=True)
        if key not in self.trackers:
            self.trackers[key] = cast(Tracking, made("tracking", settings))
        return self.trackers[key]


def check(sent: Published) -> None:
    """Raises SeamError unless a tracker that says that all went well holds exactly the rows it owed."""
    if not sent.problem:
        check_seam("metrics to tracking", sent.due, sent.found)


def warn(home: Path, told: Sequence[Told]) -> None:
    """Say every problem once, with the arms that it befell, and note it in their logs."""
    befallen: dict[str, list[Job]] = {}
    for one in told:
        if one.problem:
            befallen.setdefault(one.problem, []).append(one.job)
            note(one.job.folder, f"tracking: {one.problem}; its results here are complete")
    for problem, jobs in befallen.items():
        arms = ", ".join(dict.fromkeys(job.name.arm for job in jobs))
        whose = "its results" if len(jobs) == 1 else f"all results of these {len(jobs)} runs"
        later = f"python -m madbench upload {home}"
        print(
            f"WARNING tracking: {arms}: {problem}; {whose} here are complete, to be sent by `{later}`",
            file=sys.stderr,
        )


def tracked(home: Path, job: Job, label: str, summary: Summary) -> TrackedRun:
    """A run as trackers take it, with the estimates of its label and seed; rows are read when they are asked for.

    All of it stands in the run's folder and its experiment's summary, so that it comes out the same later.
    """
    folder, name = job.folder, job.name
    estimates = [arm.metrics for arm in summary.arms if (arm.arm, arm.seed) == (label, job.seed)]
    files = (folder.config, folder.manifest, folder.metrics, folder.records, folder.turns, folder.events)
    return TrackedRun(
        folder=folder.path,
        home=home,
        group=summary.name,
        job_type=name.protocol,
        config=config_sent(job),
        estimates=estimates[0] if estimates else {},
        rows=(row_of(record) for record in asked_records(folder)),
        files=tuple(file for file in files if file.is_file()),
    )


def config_sent(job: Job) -> dict[str, JsonValue]:
    """The config that a run was started with, extended to what was last asked of it, and what finds it again."""
    manifest: Mapping[str, JsonValue] = read_json(job.folder.manifest)
    config = manifest.get("config")
    return {
        **(config if isinstance(config, dict) else {}),
        "limit": job.limit,
        "epochs": job.epochs,
        "arm": job.name.arm,
        "config_hash": manifest.get("config_hash"),
    }


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
