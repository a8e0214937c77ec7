"""What a sweep found, told again from its records: no model is loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from madbench.metrics import summarise
from madbench.run.job import Job, measured_run
from madbench.run.merging import write_numbers
from madbench.run.scoring import score
from madbench.sweep.endings import BAD_INPUT, DONE, FAILED
from madbench.sweep.judging import rematched
from madbench.sweep.kept import absence, job_of, jobs_in, read_kept, shown, write_kept
from madbench.sweep.rereading import reread_named
from madbench.sweep.shapes import shapes_of
from madbench.sweep.summing import tell
from madbench.tasks.matching import Matcher
from madbench.types import InputError, MadbenchError
from madbench.types.spelling import plain

T = TypeVar("T")


def each(jobs: Sequence[Job], act: Callable[[Job], T]) -> tuple[list[tuple[Job, T]], list[MadbenchError]]:
    """What comes of every run, and the errors; a run that fails is named, and stops no other."""
    done, errors = list[tuple[Job, T]](), list[MadbenchError]()
    for job in jobs:
        try:
            done.append((job, act(job)))
        except MadbenchError as error:
            print(plain(f"failed: {job.name.arm} (seed {job.seed}): {error}"), file=sys.stderr)
            errors.append(error)
    if not done and errors:
        raise errors[0]
    return done, errors


def code_of(errors: Sequence[MadbenchError]) -> int:
    bad = any(isinstance(error, InputError) for error in errors)
    return BAD_INPUT if bad else FAILED if errors else DONE


def report_again(home: Path, trusted: Set[str] = frozenset()) -> int:
    """Write an experiment's report anew; a run whose records do not fit is named, and left out. Returns the exit code.

    Raises InputError as `jobs_in`, and whatever was wrong where that left no run.
    """
    jobs = jobs_in(home, trusted)
    done, errors = each(jobs, lambda job: measured_run(job, write_numbers(job.folder)))
    if not done:
        raise InputError(f"{home}: no run of its last sweep could be put together; try `score`")
    whole = [job for job, _ in done]
    summary = summarise(home.name, [numbers for _, numbers in done], shapes=shapes_of(whole))
    notes = tuple(absence(job) for job in jobs if job not in whole)
    tell(read_kept(home).told(replace(summary, notes=(*summary.notes, *notes))), home, whole)
    return code_of(errors)


def score_again(
    home: Path,
    *,
    reader: str | None,
    matcher: Matcher | None,
    by: str = "",
    trusted: Set[str] = frozenset(),
) -> int:
    """Redo every score and metric of an experiment; `reader` names another way to find answers than the task's own,
    `matcher` decides in place of the task's own what counts as having found an issue. The report calls these `by`.

    Runs that could not be put together are tried too, and are in the report from then on. Returns the exit code.
    """
    reread = None if reader is None else reread_named(reader)
    kept = read_kept(home)
    jobs = [job_of(home, run, trusted) for run in (*kept.runs, *kept.stopped)]
    if matcher is not None:
        jobs = [replace(job, task=rematched(job.task, matcher)) for job in jobs]
    if by:  # before any score is written, so that a report says it even if this is refused halfway
        _note(home, f"Scored again with {by}; `score` without that brings the runs' own scores back.")

    def again(job: Job) -> None:
        if lost := score(job.folder, job.task, job.protocol, reread=reread):
            said = "episodes could not be played again with this reader; they count as errored"
            print(f"{plain(job.name.arm)}: {lost} {said}")

    done, errors = each(jobs, again)
    if not by:
        _note(home, "")
    _keep(home, jobs, [job for job, _ in done])
    return max(code_of(errors), report_again(home, trusted))


def _keep(home: Path, jobs: Sequence[Job], whole: Sequence[Job]) -> None:
    """Note which runs are whole now."""
    kept, gone = read_kept(home), [job for job in jobs if job not in whole]
    known = {absence(job, why) for job in jobs for why in ("failed", "was interrupted", "did not start")}
    absent = (*(note for note in kept.absent if note not in known), *map(absence, gone))
    changed = {"runs": tuple(map(shown, whole)), "stopped": tuple(map(shown, gone)), "absent": absent}
    write_kept(home, kept.model_copy(update=changed))


def _note(home: Path, rescored: str) -> None:
    write_kept(home, read_kept(home).model_copy(update={"rescored": rescored}))
