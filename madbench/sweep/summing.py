"""After the runs: their files put together, measured and reported."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from madbench.metrics import MeasuredRun, summarise
from madbench.metrics.labels import labels
from madbench.report import terminal_table, write_report
from madbench.report.verdicts import is_whole
from madbench.run.job import Job, finish_job
from madbench.sweep.endings import BAD_INPUT, DONE, FAILED
from madbench.sweep.kept import Kept, absence, rates_in, shown, write_kept
from madbench.sweep.planning import Planned
from madbench.sweep.progress import Progress
from madbench.sweep.publishing import publish
from madbench.sweep.shapes import shapes_of
from madbench.sweep.standing import reason, tell_failure, tell_success
from madbench.types import MadbenchError, Summary
from madbench.types.spelling import plain


def conclude(runs: Sequence[Planned], progress: Progress) -> int:
    """Merge, measure, report, publish. Returns the exit code: 2 if a run was refused; 1 if one failed or owes rows, or
    where the report says that the pipeline is not whole: rows that ended in an error are final, and failed.
    """
    found = [(run, _finish(run, progress)) for run in runs]
    whole = [(run, numbers) for run, numbers in found if numbers is not None]
    bad = [run for run in runs if progress.state(run.id) != "done"]
    fine = False
    try:
        if whole:
            fine = _report([run for run, _ in whole], [numbers for _, numbers in whole], runs, progress)
        elif any(_stopped(run) for run in runs):
            write_kept(runs[0].config.home, _kept([], runs, progress))
    finally:
        for run in bad:
            told = f"{progress.state(run.id)}: {run.name.arm}: {reason(progress.note(run.id))}"
            print(f"{plain(told)}\n  more in {run.folder.log}", file=sys.stderr)
    if any(progress.state(run.id) == "refused" for run in bad):
        return BAD_INPUT
    return DONE if fine and not bad else FAILED


def _report(
    whole: Sequence[Planned], numbers: Sequence[MeasuredRun], runs: Sequence[Planned], progress: Progress
) -> bool:
    """Write and publish the summary; whether it says that the pipeline is whole."""
    home, kept = runs[0].config.home, _kept(whole, runs, progress)
    write_kept(home, kept)
    summary = kept.told(summarise(home.name, numbers, shapes=shapes_of(run.job for run in whole)))
    tell(summary, home, [run.job for run in whole])
    publish(home, [run.job for run in whole], [run.config.parts.tracking for run in whole], summary)
    return is_whole(summary)


def _kept(whole: Sequence[Planned], runs: Sequence[Planned], progress: Progress) -> Kept:
    home = runs[0].config.home
    return Kept(
        runs=tuple(shown(run.job) for run in whole),
        stopped=tuple(shown(run.job) for run in runs if run not in whole and _stopped(run)),
        rates=_rates(home, runs, progress),
        absent=_absent(runs, whole, progress),
        spent=_spent(progress),
        published=runs[0].config.extent.published,
    )


def _stopped(run: Planned) -> bool:
    """Whether there are rows that could not be put together, and may be later."""
    return run.folder.manifest.is_file() and run.folder.plan.is_file() and bool(run.folder.shards())


def tell(summary: Summary, home: Path, jobs: Iterable[Job]) -> None:
    """Print what a user reads at the end; write the report, and say where it lies."""
    print(f"\n{terminal_table(summary)}", flush=True)
    page = write_report(summary, home, _folders(list(jobs)))
    print(f"report: {page}\nall numbers and what they mean: {page.with_name('summary.md')}", flush=True)


def _folders(jobs: Sequence[Job]) -> dict[str, Path]:
    """Run folders by label, and by seed where the sweep has several."""
    seeds = len({job.seed for job in jobs}) > 1
    named = zip(labels([job.name for job in jobs]), jobs, strict=True)
    return {f"{label}/seed {job.seed}" if seeds else label: job.folder.path for label, job in named}


def _finish(run: Planned, progress: Progress) -> MeasuredRun | None:
    """A run's files put together; one that lost rows, or never came to have any, has no place in a summary."""
    if progress.state(run.id) in ("waiting", "refused", "interrupted"):
        return None
    try:
        numbers = finish_job(run.job, partial(_tell_wait, run))
    except Exception as error:
        if progress.state(run.id) != "failed":
            told = str(error) if isinstance(error, MadbenchError) else traceback.format_exc()
            progress.end(run.id, "failed", told)
            tell_failure(run, told)
        return None
    if progress.state(run.id) == "done":
        tell_success(run)
    return numbers


def _tell_wait(run: Planned) -> None:
    print(f"{run.folder.path}: another command is putting this run together; waiting for it", flush=True)


def _absent(runs: Sequence[Planned], whole: Sequence[Planned], progress: Progress) -> tuple[str, ...]:
    gone = [run for run in runs if run not in whole]
    ends = {"interrupted": "was interrupted", "waiting": "did not start"}
    return tuple(absence(run.job, ends.get(progress.state(run.id), "failed")) for run in gone)


def _spent(progress: Progress) -> dict[str, float]:
    """What this sweep itself generated; nothing where everything was there before."""
    return {
        "calls": progress.total("calls"),
        "shared_calls": progress.total("shared"),
        "prompt_tokens": progress.total("prompt_tokens"),
        "output_tokens": progress.total("output_tokens"),
        "seconds": progress.elapsed,
    }


def _rates(home: Path, runs: Sequence[Planned], progress: Progress) -> dict[str, float]:
    """Known rates, and this sweep's where it generated anything. They are told apart by cast, so it must have one."""
    rates, casts = rates_in(home), {run.name.cast for run in runs}
    tokens = progress.total("prompt_tokens") + progress.total("output_tokens")
    if len(casts) == 1 and tokens:
        rates[casts.pop()] = tokens / progress.elapsed
    return rates
