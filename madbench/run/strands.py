"""What a job still has to play: lone samples, and sessions whose samples follow one another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from madbench.records.index import Index
from madbench.run.episodes import Carried, Play, Slot
from madbench.types import Ending, Problem, ProtocolSettings, Record, Sample, Sessional


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
        """The rows that were missing, as they come. A session resumes from the memory in its last final row.

        After a row that must be tried again (infrastructure), the session's remaining rows wait for it, and
        say so: a later start plays them all with the memory that they would have had.
        """
        carried: Carried | None = None
        blocked = ""
        for at in range(self.first, self.stop):
            id = self.samples[at].problem.id
            if self.index.final(id, self.epoch):
                continue
            if carried is None:
                carried = self._carried(play, at)
            slot = self._slot(at, carried)
            record, carried = play.waiting(slot, blocked) if blocked else await play.episode(slot)
            if record.ending is Ending.RETRY:
                blocked = blocked or f"waits for {id}, which comes before it in its session"
            yield record

    def _slot(self, at: int, carried: Carried) -> Slot:
        sample = self.samples[at]
        attempt = self.index.attempt(sample.problem.id, self.epoch)
        return Slot(sample, other_problem(self.samples, at), self.epoch, attempt, carried)

    def _carried(self, play: Play, at: int) -> Carried:
        """What the protocol remembers before sample `at`."""
        if not self.sessional:
            return Carried()
        position = at - self.first
        if position == 0:
            return play.beginning(self.number)
        place = self.index.record(self.samples[at - 1].problem.id, self.epoch).place
        return play.remembered(self.number, position, place)


def other_problem(samples: Sequence[Sample], at: int) -> Problem | None:
    """What an episode of sample `at` hears of where peers come from another question: the next sample's, round to
    the first; None where there is no other.
    """
    other = samples[(at + 1) % len(samples)]
    return None if other is samples[at] else other.problem


def strands(
    protocol: ProtocolSettings, samples: Sequence[Sample], extent: tuple[int, int], index: Index
) -> Iterator[Strand]:
    """All strands that have a row to play among the first `extent` (so many samples, so many epochs).

    Sessions are blocks of the full order, whatever the extent.
    """
    count, epochs = extent
    sessional = isinstance(protocol, Sessional)
    size = protocol.session if isinstance(protocol, Sessional) else 1
    for number, first in enumerate(range(0, count, size)):
        stop = min(first + size, count)
        for epoch in range(epochs):
            if not all(index.final(samples[at].problem.id, epoch) for at in range(first, stop)):
                yield Strand(samples, index, number, first, stop, epoch, sessional)
