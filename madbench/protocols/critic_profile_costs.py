"""Which job a call of critic and profile was for: what each job costs is read off the turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from madbench.types import Turn

Job = Literal["rephrase", "answerer", "restate", "critic", "verdict", "profile"]
JOBS: tuple[tuple[str, Job], ...] = (
    ("Question", "rephrase"),
    ("Opening", "answerer"),
    ("Objected", "answerer"),
    ("Reply", "restate"),
    ("Restated", "critic"),
    ("Case", "verdict"),
    ("Criticised", "profile"),
)


def booked(turn: Turn) -> Job | None:
    """By what was asked, whichever role answered; None for a turn of another protocol."""
    return next((job for seen, job in JOBS if seen == turn.seen), None)


def booked_as_published(turn: Turn) -> Job | None:
    """The published code counted restatements as the critic's."""
    job = booked(turn)
    return "critic" if job == "restate" else job


def tokens_by_job(turns: Iterable[Turn]) -> dict[str, int]:
    """Prompt and output tokens of each job's calls, repairs included."""
    tokens = Counter[str]()
    for turn in turns:
        if (job := booked(turn)) is not None:
            tokens[job] += turn.completion.prompt_tokens + turn.completion.output_tokens
    return dict(tokens)
