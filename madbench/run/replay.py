"""An episode played again from its record: the same words, read by another reader."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from madbench.agents import Cast
from madbench.run.episodes import Carried, Play, Slot
from madbench.run.recordings import UnrecordedError
from madbench.types import (
    AnswerReader,
    Completion,
    Ending,
    Problem,
    Record,
    Request,
    Sessional,
    Turn,
)

Reread = Callable[[AnswerReader], AnswerReader]
"""From a sample's own reader to the one that reads in its place."""

PLAYED = (Ending.DONE, Ending.UNPARSED)
"""Rows that another reader can change; the others failed for reasons that no reader knows of."""


class ReplayEngine:
    """Gives back a record's completions. A request's seed says whose turn it is; turns that share one (a role
    that is rebuilt for every round) come in recorded order.
    """

    def __init__(self, turns: tuple[Turn, ...]) -> None:
        self._recorded: dict[int, deque[Completion]] = {}
        self.missing = False
        for turn in turns:
            self._recorded.setdefault(turn.request.seed, deque()).append(turn.completion)

    async def generate(self, request: Request) -> Completion:
        if left := self._recorded.get(request.seed):
            return left.popleft()
        self.missing = True
        raise UnrecordedError("a turn that was never recorded")

    def excess(self, request: Request) -> int:
        return 0

    def identity(self, request: Request) -> str:
        return f"recorded {request.seed}"


@dataclass(slots=True)
class Replay:
    """Plays records again with other readers than the samples' own; sessions carry their new states on."""

    play: Play
    reread: Reread
    others: Mapping[str, Problem | None]
    """By sample id, the other question that it may have heard of, as in the run."""
    standing: dict[tuple[int, int], Carried] = field(default_factory=dict)

    async def again(self, record: Record) -> Record:
        """The record as it would have been; a row to retry where the new reader would have led elsewhere."""
        if record.ending not in PLAYED or record.sample is None:
            return record
        engine, carried = ReplayEngine(record.turns), self._carried(record)
        problem = self._reread(record.sample.problem)
        other = self.others.get(problem.id)
        slot = Slot(
            replace(record.sample, problem=problem),
            other and self._reread(other),
            record.id.epoch,
            record.id.attempt,
            carried,
        )
        played, after = await replace(self.play, cast=Cast({"default": [engine]})).episode(slot)
        if engine.missing:
            return self._elsewhere(record)
        if record.place is not None:
            self.standing[record.id.epoch, record.place.session] = after
        return replace(played, turns=recorded(played.turns, record.turns), effort=record.effort)

    def _reread(self, problem: Problem) -> Problem:
        return replace(problem, reader=self.reread(problem.reader))

    def _carried(self, record: Record) -> Carried:
        if record.place is None or not isinstance(self.play.protocol, Sessional):
            return Carried()
        session = record.place.session
        known = self.standing.get((record.id.epoch, session)) or self.play.beginning(session)
        return replace(known, position=record.place.position)

    @staticmethod
    def _elsewhere(record: Record) -> Record:
        error = "not replayable: with this reader the episode asks for a turn that was never recorded"
        return replace(record, ending=Ending.RETRY, outcome=None, scores={}, error=error)


def recorded(played: tuple[Turn, ...], before: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The turns with their new readings, and the requests as they were sent at the time."""
    sent = {id(turn.completion): turn for turn in before}
    return tuple(replace(sent[id(turn.completion)], reading=turn.reading) for turn in played)
