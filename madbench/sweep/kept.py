"""What a sweep leaves for later commands: which runs it showed, in which view, and how fast its models were."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from pathlib import Path

from pydantic import Field, ValidationError

from madbench.records.layout import RunFolder, write_text
from madbench.report.baselines import published_by
from madbench.run.job import Job, RunName
from madbench.sweep.manifests import config_of
from madbench.sweep.planning import restore
from madbench.types import InputError, Reference, Strict, Summary

FILE = "sweep.json"


class Shown(Strict):
    """One run of a sweep, as its summary calls it; which rows it shows stands in the run's own folder."""

    folder: str = Field(pattern=r"^[\w.+-]+$")
    arm: str
    task: str
    protocol: str
    cast: str


class Kept(Strict):
    """`sweep.json` in an experiment's folder: its last sweep. `rates` are by cast, in tokens (prompts and replies
    together) a second; `absent` says which runs failed, `stopped` which of these have rows that `score` may make whole;
    `spent` is what the sweep itself generated, `rescored` how its scores were made since, if otherwise than the runs
    made them.
    """

    runs: tuple[Shown, ...]
    rates: Mapping[str, float]
    stopped: tuple[Shown, ...] = ()
    absent: tuple[str, ...] = ()
    spent: Mapping[str, float] | None = None
    published: tuple[Reference, ...] = ()
    rescored: str = ""

    def told(self, summary: Summary) -> Summary:
        """A summary of these runs with what no record says."""
        printed, rescored = published_by(self.published), [self.rescored] if self.rescored else []
        notes = (*rescored, *summary.notes, *self.absent)
        return replace(summary, notes=notes, spent=self.spent, published=printed)


def shown(job: Job) -> Shown:
    name = job.name
    return Shown(
        folder=job.folder.path.name, arm=name.arm, task=name.task, protocol=name.protocol, cast=name.cast
    )


def jobs_in(home: Path, trusted: Set[str] = frozenset()) -> list[Job]:
    """The jobs of an experiment's last sweep. Raises InputError where the folder is not an experiment's, where a run
    lies outside it, and where a config names classes that are neither ours nor of the `trusted` packages.
    """
    return [job_of(home, run, trusted) for run in read_kept(home).runs]


def job_of(home: Path, run: Shown, trusted: Set[str] = frozenset()) -> Job:
    """The job of one run, as it was last asked for. Raises InputError as `jobs_in`."""
    folder, name = RunFolder(home / "runs" / run.folder), RunName(run.arm, run.task, run.protocol, run.cast)
    if folder.path.resolve().parent != home.resolve() / "runs":
        raise InputError(f"{home / FILE}: run {run.folder!r} leads out of {home / 'runs'}")
    job = restore(config_of(folder), name, folder.path, trusted).job
    view = folder.read_asked()
    return replace(job, limit=view.limit, epochs=view.epochs)


def absence(job: Job, why: str = "failed") -> str:
    return f"{job.name.arm} (seed {job.seed}) is not in this summary: it {why}."


def write_kept(home: Path, kept: Kept) -> None:
    write_text(home / FILE, kept.model_dump_json(indent=1) + "\n")


def read_kept(home: Path) -> Kept:
    """Raises InputError where the folder is not an experiment's."""
    file = home / FILE
    if not file.is_file():
        raise InputError(
            f"{home}: no {FILE} in it; wanted an experiment's folder, such as outputs/quickstart"
        )
    try:
        return Kept.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise InputError(f"{file}: not readable ({error.errors()[0]['msg']})") from error


def rates_in(home: Path) -> dict[str, float]:
    return dict(read_kept(home).rates) if (home / FILE).is_file() else {}


def rates_of(home: Path, cast: str) -> float | None:
    """How fast a cast was in this experiment, else in any other under the same output root."""
    folders = [home, *sorted(file.parent for file in home.parent.glob(f"*/{FILE}"))]
    return next((rates[cast] for rates in map(rates_in, folders) if cast in rates), None)
