"""What supervisor and worker tell each other: one JSON line a message."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TextIO, TypeVar

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


class WorkerSettings(Strict):
    """How one worker plays its runs, `concurrency` episodes of each in flight.

    `resident` models of a cast are in memory at a time: all, or one, for those that do not fit together. They then
    take turns, and all episodes of a run are in flight, so that loads do not grow with their number.

    `on_failure: stop` ends the sweep at the first run that fails, `on_dead: stop` a run whose first debates are
    found dead (nobody moves, markers missing, stored text); otherwise that is said, and it goes on.
    """

    concurrency: int = Field(default=256, ge=1)
    resident: Literal["all", "one"] = "all"
    on_failure: Literal["continue", "stop"] = "continue"
    on_dead: Literal["warn", "stop"] = "warn"


class PoolSettings(WorkerSettings):
    """How a sweep is run on this machine: `workers` processes at a time, one per cast."""

    workers: int = Field(default=1, ge=1)


class Order(Strict):
    """All that one worker process is to do."""

    runs: tuple[Assignment, ...]
    settings: WorkerSettings


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


Kind = TypeVar("Kind", bound=WorkerSettings)


def launcher_settings(kind: type[Kind], given: Mapping[str, object]) -> Kind:
    """The settings under `hydra.launcher`; raises InputError naming the one at fault."""
    try:
        return kind.model_validate({key: value for key, value in given.items() if not key.startswith("_")})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"hydra.launcher.{where}: {first['msg']}, found {first['input']!r}") from error


def write(say: TextIO, message: Strict) -> None:
    """One JSON line; a supervisor that is gone hears nothing, and the worker is about to be told so. What the full disk
    of a job does not take costs no run either: the rows say how far it came.
    """
    with suppress(OSError):
        say.write(message.model_dump_json() + "\n")
        say.flush()
