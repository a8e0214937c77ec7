"""What supervisor and worker tell each other: one JSON line a message."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TextIO

from pydantic import Field, ValidationError

from madbench.sweep.configs import JobConfig
from madbench.types import InputError, Strict

State = Literal["waiting", "running", "done", "incomplete", "failed", "refused", "interrupted"]
"""`incomplete`: rows wait for another start. `failed`: something of ours broke; `note` has the traceback.
`refused`: bad input that only showed when the run began."""


class Assignment(Strict):
    """One run for a worker to play; the folder identifies it in all that follows."""

    config: JobConfig
    folder: str
    arm: str
    task: str
    protocol: str
    cast: str


class PoolSettings(Strict):
    """How a sweep is run: `workers` processes at a time, one per cast, `concurrency` episodes of a run in flight.

    `resident` models of a cast are in memory at a time: all, or one, for those that do not fit together. They then
    take turns, and all episodes of a run are in flight, so that loads do not grow with their number.

    `on_failure: stop` ends the sweep at the first run that fails, `on_dead: stop` a run whose first debates are
    found dead (nobody moves, markers missing, stored text); otherwise that is said, and it goes on.
    """

    workers: int = Field(default=1, ge=1)
    concurrency: int = Field(default=256, ge=1)
    resident: Literal["all", "one"] = "all"
    on_failure: Literal["continue", "stop"] = "continue"
    on_dead: Literal["warn", "stop"] = "warn"


class Order(Strict):
    """All that one worker process is to do."""

    runs: tuple[Assignment, ...]
    settings: PoolSettings


class News(Strict):
    """How far a run has come in this process: final episodes, and the tokens that those consumed."""

    folder: str
    state: State
    done: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    note: str = ""


class Notice(Strict):
    """Something that a user should read while a sweep runs."""

    text: str


class Spent(Strict):
    """What a worker's engines really generated so far; `shared` calls were answered from journal or neighbour."""

    calls: int
    shared: int
    prompt_tokens: int
    output_tokens: int
    seconds: float


Message = News | Spent | Notice


def pool_settings(given: Mapping[str, object]) -> PoolSettings:
    """The settings under `hydra.launcher`; raises InputError naming the one at fault."""
    try:
        return PoolSettings.model_validate({key: value for key, value in given.items() if key != "_target_"})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"hydra.launcher.{where}: {first['msg']}, found {first['input']!r}") from error


def write(say: TextIO, message: Strict) -> None:
    """One JSON line; a supervisor that is gone hears nothing, and the worker is about to be told so."""
    with suppress(BrokenPipeError):
        say.write(message.model_dump_json() + "\n")
        say.flush()
