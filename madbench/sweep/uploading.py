"""Sending runs to their tracker later, from what stands in their folders: no model is loaded."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from madbench.metrics import MeasuredRun, summarise
from madbench.metrics.labels import labels
from madbench.records.layout import RunFolder
from madbench.run.job import Job, RunName, measured_run
from madbench.run.merging import tabulated
from madbench.sweep.building import build
from madbench.sweep.configs import Plain, conf_folder
from madbench.sweep.endings import DONE, FAILED
from madbench.sweep.identity import protocol_file
from madbench.sweep.kept import FILE, jobs_in, read_kept
from madbench.sweep.manifests import config_of
from madbench.sweep.naming import cast_name
from madbench.sweep.planning import restore
from madbench.sweep.publishing import Told, publish
from madbench.sweep.settings import TARGET
from madbench.sweep.shapes import shapes_of
from madbench.tracking import NoTracking, WandbTracking
from madbench.tracking.identity import run_id
from madbench.types import InputError

WANDB, NONE = (f"madbench.tracking.{kind.__name__}" for kind in (WandbTracking, NoTracking))


@dataclass(frozen=True, slots=True)
class Chosen:
    """Runs of one experiment, and all that its summary is about."""

    home: Path
    jobs: Sequence[Job]
    among: Sequence[Job]


def upload(folder: Path, *, offline: bool, trusted: Set[str] = frozenset()) -> int:
    """Send the runs of an experiment's last sweep, or one run, as they would have been sent when they ended: under
    the same ids, names and groups. What was sent before and has not changed is left alone.

    Returns 1 where one could not be sent whole. Raises InputError for a folder without results.
    """
    chosen = chosen_in(folder, trusted)
    for job in chosen.among:
        if not job.folder.records.is_file():
            raise InputError(
                f"{job.folder.path}: no results in it yet (no records.parquet); run its command again"
            )
    summary = summarise(chosen.home.name, [*map(numbers_of, chosen.among)], shapes=shapes_of(chosen.among))
    if (chosen.home / FILE).is_file():
        summary = read_kept(chosen.home).told(summary)
    tracking = [tracking_of(job, offline=offline) for job in chosen.jobs]
    told = publish(chosen.home, chosen.jobs, tracking, summary)
    for one, label in zip(told, labels([job.name for job in chosen.jobs]), strict=True):
        print(f"{label}, seed {one.job.seed}: {became(one)}")
    return DONE if all(arrived(one) for one in told) else FAILED


def numbers_of(job: Job) -> MeasuredRun:
    """Those behind a run's metrics; unlike `report`, nothing is written."""
    folder = job.folder
    return measured_run(job, tabulated(folder, folder.read_asked().view(folder.read_plan())))


def chosen_in(folder: Path, trusted: Set[str]) -> Chosen:
    """What a folder stands for: an experiment, or one run of it. Raises InputError for any other."""
    if (folder / FILE).is_file():
        jobs = jobs_in(folder, trusted)
        return Chosen(folder, jobs, jobs)
    if not RunFolder(folder).manifest.is_file():
        raise InputError(
            f"{folder}: neither {FILE} (an experiment's) nor manifest.json (a run's) in it; wanted a folder such "
            "as outputs/quickstart, or one under its runs/"
        )
    home = folder.parent.parent
    among = jobs_in(home, trusted) if (home / FILE).is_file() else []
    jobs = [job for job in among if job.folder.path == folder]
    alone = jobs or [job_in(folder, trusted)]
    return Chosen(home, alone, among if jobs else alone)


def job_in(folder: Path, trusted: Set[str]) -> Job:
    """A run that the last sweep of its experiment did not show, by the names of its choices."""
    config = config_of(RunFolder(folder))
    built, choices = build(config, trusted), config.choices
    name = RunName(
        choices.get("protocol", "protocol"),
        choices.get("task", built.task.name),
        protocol_file(built.protocol),
        cast_name(choices, built.cast),
    )
    job = restore(config, name, folder, trusted).job
    view = job.folder.read_asked()
    return replace(job, limit=view.limit, epochs=view.epochs)


def tracking_of(job: Job, *, offline: bool) -> Plain:
    """A run's own settings, or W&B's as shipped where it had no tracking. The mode it was run in does not bind."""
    settings = config_of(job.folder).parts.tracking
    if settings.get(TARGET) == NONE:
        settings = yaml.safe_load((conf_folder() / "tracking" / "wandb.yaml").read_text(encoding="utf-8"))
    if settings.get(TARGET) != WANDB:
        return settings
    return {**settings, "mode": "offline" if offline else None, "offline_instead": offline}


def arrived(told: Told) -> bool:
    return not told.problem and told.sent is not None and told.sent.mode in ("online", "offline")


def became(told: Told) -> str:
    """What became of a run, in words."""
    sent = told.sent
    if told.problem or sent is None:
        return f"not sent: {told.problem}"
    if not arrived(told):
        return f"not sent: tracking is {sent.mode}"
    how = f"unchanged since it was sent {sent.mode}" if sent.before else f"sent {sent.mode}"
    rows = f"{len(sent.found)} of {sent.total} rows in its table"
    return f"{how}, as {run_id(told.job.folder.path)}, {rows}"
