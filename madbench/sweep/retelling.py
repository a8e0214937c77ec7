"""What a sweep found, told again from its records: no model is loaded."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from madbench.metrics import summarise
from madbench.report.cells import plain
from madbench.run.job import measured_run
from madbench.run.merging import write_numbers
from madbench.run.scoring import score
from madbench.sweep.judging import rematched
from madbench.sweep.kept import jobs_in, read_kept, write_kept
from madbench.sweep.rereading import reread_named
from madbench.sweep.shapes import shapes_of
from madbench.sweep.summing import tell
from madbench.tasks.matching import Matcher


def report_again(home: Path, trusted: Set[str] = frozenset()) -> None:
    """Write an experiment's report anew. Raises InputError as `jobs_in`."""
    jobs = jobs_in(home, trusted)
    numbers = [measured_run(job, write_numbers(job.folder)) for job in jobs]
    summary = summarise(home.name, numbers, shapes=shapes_of(jobs))
    tell(read_kept(home).told(summary), home, jobs)


def score_again(
    home: Path,
    *,
    reader: str | None,
    matcher: Matcher | None,
    by: str = "",
    trusted: Set[str] = frozenset(),
) -> None:
    """Redo every score and metric of an experiment; `reader` names another way to find answers than the task's own,
    `matcher` decides in place of the task's own what counts as having found an issue. The report calls these `by`.
    """
    reread = None if reader is None else reread_named(reader)
    jobs = jobs_in(home, trusted)
    tasks = [job.task if matcher is None else rematched(job.task, matcher) for job in jobs]
    if by:  # before any score is written, so that a report says it even if this is refused halfway
        _note(home, f"Scored again with {by}; `score` without that brings the runs' own scores back.")
    for job, task in zip(jobs, tasks, strict=True):
        if lost := score(job.folder, task, job.protocol, reread=reread):
            said = "episodes could not be played again with this reader; they count as errored"
            print(f"{plain(job.name.arm)}: {lost} {said}")
    if not by:
        _note(home, "")
    report_again(home, trusted)


def _note(home: Path, rescored: str) -> None:
    write_kept(home, read_kept(home).model_copy(update={"rescored": rescored}))
