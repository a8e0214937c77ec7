"""What a sweep found, told again from its records: no model is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from madbench.metrics import summarise
from madbench.run.job import measured_run
from madbench.run.merging import write_numbers
from madbench.run.scoring import score
from madbench.sweep.kept import jobs_in
from madbench.sweep.settings import made
from madbench.sweep.summing import tell
from madbench.types import AnswerReader, InputError

READERS = ("number", "choice", "bool", "text")


def report_again(home: Path) -> None:
    """Write an experiment's report anew. Raises InputError where the folder is not an experiment's."""
    jobs = jobs_in(home)
    tell(summarise(home.name, [measured_run(job, write_numbers(job.folder)) for job in jobs]), home, jobs)


def score_again(home: Path, reader: str | None) -> None:
    """Redo every score and metric of an experiment; `reader` replaces the task's own way to find answers."""
    instead = None if reader is None else reader_named(reader)
    for job in jobs_in(home):
        if lost := score(job.folder, job.task, job.protocol, reader=instead):
            print(
                f"{job.name.arm}: {lost} episodes could not be played again with this reader; they count as errored"
            )
    report_again(home)


def reader_named(text: str) -> AnswerReader:
    """`number`, `bool`, `text`, or `choice:ABCD` with the letters there are."""
    name, _, letters = text.partition(":")
    if name not in READERS:
        raise InputError(
            f"reader: no {name!r}; there are {', '.join(READERS)} (choice:ABCD names the letters)"
        )
    settings = {"_target_": f"madbench.tasks.answers.{name.capitalize()}Reader"}
    return cast(AnswerReader, made("reader", settings | ({"letters": letters} if letters else {})))
