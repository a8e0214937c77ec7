"""What a job still has to play: lone samples, and sessions whose samples follow one another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from madbench.records.index import Index
from madbench.records.plan import Plan
from madbench.run.episodes import Memory, Play, Seat
from madbench.types import Ending, ProtocolSettings, Record, Sample, Sessional


@dataclass(frozen=True, slots=True)
class Strand:
    """Samples `first` to `stop` of the task's full order, played one after the other in one epoch."""

    samples: Sequence[Sample]
    index: Index
    number: int
    first: int
    stop: int
    epoch: int
    sessional: bool

    async def played(self, play: Play) -> AsyncIterator[Record]:
        """The rows that were missing, as they come. A session resumes from its last final row's memory.

        After a row that must be tried again (infrastructure), the session's remaining rows wait for it, and
        say so: a later start plays them all with the memory that they would have had.
        """
        memory: Memory | None = None
        blocked = ""
        for at in range(self.first, self.stop):
            id = self.samples[at].problem.id
            if self.index.final(id, self.epoch):
                continue
            if memory is None:
                memory = self._memory(play, at)
            seat = self._seat(at, memory)
            record, memory = play.waiting(seat, blocked) if blocked else await play.episode(seat)
            if record.ending is Ending.RETRY:
                blocked = f"waits for {id}, which comes before it in its session"
            yield record

    def _seat(self, at: int, memory: Memory) -> Seat:
        sample, other = self.samples[at], self.samples[(at + 1) % len(self.samples)]
        attempt = self.index.attempt(sample.problem.id, self.epoch)
        return Seat(sample, None if other is sample else other.problem, self.epoch, attempt, memory)

    def _memory(self, play: Play, at: int) -> Memory:
        """What the protocol remembers before sample `at`."""
        if not self.sessional:
            return Memory()
        position = at - self.first
        if position == 0:
            return play.beginning(self.number)
        place = self.index.record(self.samples[at - 1].problem.id, self.epoch).place
        return play.remembered(self.number, position, place)


def strands(
    protocol: ProtocolSettings, samples: Sequence[Sample], view: Plan, index: Index
) -> Iterator[Strand]:
    """All strands with a row in `view` that is not final. Sessions are blocks of the full order, whatever the view."""
    sessional = isinstance(protocol, Sessional)
    size = protocol.session if isinstance(protocol, Sessional) else 1
    epochs = max(view.owed.values(), default=0)
    for number, first in enumerate(range(0, len(view.owed), size)):
        stop = min(first + size, len(view.owed))
        for epoch in range(epochs):
            if not all(index.final(sample.problem.id, epoch) for sample in samples[first:stop]):
                yield Strand(samples, index, number, first, stop, epoch, sessional)
