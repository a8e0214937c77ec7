"""What a run owes: so many epochs of each sample. Plans only grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

from madbench.records.owed import Owed


@dataclass(frozen=True)
class Plan:
    """Epochs owed by sample id, in the task's own order."""

    given: Mapping[str, int]

    @cached_property
    def owed(self) -> Owed:
        return self.given if isinstance(self.given, Owed) else Owed(self.given.items())

    def __len__(self) -> int:
        return int(self.owed.epochs.sum())

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Every (sample, epoch), samples in order."""
        return ((sample, epoch) for sample, epochs in self.owed.pairs() for epoch in range(epochs))

    def extended(self, ids: Sequence[str], limit: int | None, epochs: int) -> Plan:
        """The same plan with the first `limit` of the task's `ids` owed `epochs` each; nothing is taken away."""
        count = len(ids[:limit])
        both = (
            (sample, max(self.owed.get(sample, 0), epochs if place < count else 0))
            for place, sample in enumerate(ids)
        )
        known = frozenset(ids) if len(self.owed) else frozenset()
        gone = ((sample, owed) for sample, owed in self.owed.pairs() if sample not in known)
        return Plan(Owed(chain(((sample, owed) for sample, owed in both if owed), gone)))

    def first(self, limit: int | None, epochs: int) -> Plan:
        """All epochs of the first `limit` samples; the plan itself where that is all of it."""
        if (limit is None or limit >= len(self.owed)) and bool((self.owed.epochs == epochs).all()):
            return self
        return Plan(Owed((sample, epochs) for sample in islice(self.owed, limit)))


def viewed(ids: Sequence[str], limit: int | None, epochs: int) -> Plan:
    """What one invocation asks for: all epochs of the first `limit` samples."""
    return Plan(Owed((sample, epochs) for sample in islice(ids, limit)))


@dataclass(frozen=True, slots=True)
class Asked:
    """How a run was last asked for: what its numbers are about, and what playing it again would need.

    `defaults` are the role settings, as plain data.
    """

    seed: int
    epochs: int
    limit: int | None
    defaults: Mapping[str, Any]

    def view(self, plan: Plan) -> Plan:
        """Those rows of a plan that were asked for."""
        return plan.first(self.limit, self.epochs)
