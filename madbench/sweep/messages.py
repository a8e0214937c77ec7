"""What supervisor and worker tell each other: one JSON line a message."""

from __future__ import annotations

from typing import Literal

from madbench.sweep.configs import JobConfig
from madbench.types import Strict

State = Literal["waiting", "running", "done", "incomplete", "failed", "interrupted"]
"""`incomplete`: rows wait for another start. `failed`: something of ours broke; `note` has the traceback."""


class Assignment(Strict):
    """One run for a worker to play; the folder identifies it in all that follows."""

    config: JobConfig
    folder: str
    arm: str
    task: str
    protocol: str
    cast: str


class Order(Strict):
    """All that one worker process is to do."""

    runs: tuple[Assignment, ...]
    concurrency: int
    stop_on_failure: bool


class News(Strict):
    """How far a run has come in this process: final episodes, and the tokens that those consumed."""

    folder: str
    state: State
    done: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    note: str = ""


class Spent(Strict):
    """What a worker's engines really generated so far; `shared` calls were answered from journal or neighbour."""

    calls: int
    shared: int
    prompt_tokens: int
    output_tokens: int
    seconds: float
