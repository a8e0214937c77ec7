"""One episode: a protocol over a sample, and the row that comes of it whatever happens."""

from __future__ import annotations

import socket
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol, cast

from madbench.agents import Cast, Episode, Scene
from madbench.run.scores import scores_of
from madbench.types import (
    BudgetError,
    ContextError,
    Effort,
    Ending,
    EngineError,
    FormatError,
    InputError,
    Outcome,
    Place,
    Problem,
    ProtocolSettings,
    Record,
    RoleSettings,
    RowId,
    Sample,
    StorageError,
    Strict,
    Task,
    Turn,
)

FINAL = {FormatError: Ending.UNPARSED, ContextError: Ending.CONTEXT, BudgetError: Ending.BUDGET}
"""Failures that are the model's or the config's own; a rerun would meet them again."""


class Single(Protocol):
    """A protocol that plays each sample by itself."""

    def __call__(self, problem: Problem, episode: Episode) -> Awaitable[Outcome]: ...


class Remembering(Protocol):
    """A protocol that carries a state through the samples of a session."""

    def begin(self) -> Strict: ...

    def __call__(
        self, problem: Problem, episode: Episode, state: Strict
    ) -> Awaitable[tuple[Outcome, Strict]]: ...


@dataclass(frozen=True, slots=True)
class Carried:
    """A place in a session with the state before it; without a state, the episode stands alone."""

    state: Strict | None = None
    session: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """Which row is to be played: sample, epoch, attempt, and what is remembered from before."""

    sample: Sample
    other: Problem | None
    epoch: int
    attempt: int
    carried: Carried

    @property
    def id(self) -> RowId:
        return RowId(self.sample.problem.id, self.epoch, self.attempt)


@dataclass(frozen=True, slots=True)
class Play:
    """All that a job's episodes have in common."""

    protocol: ProtocolSettings
    task: Task
    defaults: RoleSettings
    cast: Cast
    seed: int

    async def episode(self, slot: Slot) -> tuple[Record, Carried]:
        """Play a row. Raises InputError and StorageError alone; any other failure is a row that keeps its turns."""
        started, carried, turns = time.monotonic(), slot.carried, list[Turn]()
        outcome, ending, error = None, Ending.DONE, ""
        try:
            outcome, state = await self._play(slot, turns.append)
            carried = replace(carried, state=state)
        except (InputError, StorageError):
            raise
        except Exception as failure:
            ending, error = ending_of(failure)
        scores, note = scores_of(self.task, self.protocol.edges, slot.sample, outcome, turns)
        effort = Effort(time.monotonic() - started, socket.gethostname())
        place, error = place_of(carried), error or note
        record = Record(slot.id, slot.sample, ending, outcome, tuple(turns), scores, place, effort, error)
        return record, replace(carried, position=carried.position + 1)

    async def _play(self, slot: Slot, write: Callable[[Turn], None]) -> tuple[Outcome, Strict | None]:
        problem = slot.sample.problem
        scene = Scene(problem, slot.other, self.cast, self.protocol, self.defaults, self.seed, slot.epoch)
        episode = Episode(scene, write)
        if slot.carried.state is None:
            return await cast(Single, self.protocol)(problem, episode), None
        return await cast(Remembering, self.protocol)(problem, episode, slot.carried.state)

    def waiting(self, slot: Slot, reason: str) -> tuple[Record, Carried]:
        """The row of an episode that could not begin yet."""
        effort = Effort(0.0, socket.gethostname())
        place = place_of(slot.carried)
        scores, _ = scores_of(self.task, self.protocol.edges, slot.sample, None, ())
        record = Record(slot.id, slot.sample, Ending.RETRY, None, (), scores, place, effort, reason)
        return record, replace(slot.carried, position=slot.carried.position + 1)

    def beginning(self, session: int) -> Carried:
        return Carried(cast(Remembering, self.protocol).begin(), session, 0)

    def remembered(self, session: int, position: int, place: Place | None) -> Carried:
        """What a row left behind, read back."""
        start = cast(Remembering, self.protocol).begin()
        state = start if place is None else type(start).model_validate_json(place.state)
        return Carried(state, session, position)


def place_of(carried: Carried) -> Place | None:
    if carried.state is None:
        return None
    return Place(carried.session, carried.position, carried.state.model_dump_json())


def ending_of(failure: Exception) -> tuple[Ending, str]:
    """How a row ends by what was raised; faults of ours keep their traceback."""
    while isinstance(failure, ExceptionGroup):
        failure = failure.exceptions[0]
    if isinstance(failure, InputError | StorageError):
        raise failure
    for kind, ending in FINAL.items():
        if isinstance(failure, kind):
            return ending, str(failure)
    if isinstance(failure, EngineError | OSError):
        return Ending.RETRY, f"{type(failure).__name__}: {failure}"
    return Ending.RETRY, "".join(traceback.format_exception(failure))
