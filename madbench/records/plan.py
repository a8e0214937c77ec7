"""What a run owes: so many epochs of each sample. Plans only grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Plan:
    """Epochs owed by sample id, in the task's own order."""

    owed: Mapping[str, int]

    def __len__(self) -> int:
        return sum(self.owed.values())

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Every (sample, epoch), samples in order."""
        return ((sample, epoch) for sample, epochs in self.owed.items() for epoch in range(epochs))

    def extended(self, ids: Sequence[str], limit: int | None, epochs: int) -> Plan:
        """The same plan with the first `limit` of the task's `ids` owed `epochs` each; nothing is taken away."""
        view = viewed(ids, limit, epochs).owed
        both = {sample: max(self.owed.get(sample, 0), view.get(sample, 0)) for sample in ids}
        gone = {sample: epochs for sample, epochs in self.owed.items() if sample not in both}
        return Plan({sample: owed for sample, owed in both.items() if owed} | gone)


def viewed(ids: Sequence[str], limit: int | None, epochs: int) -> Plan:
    """What one invocation asks for: all epochs of the first `limit` samples."""
    return Plan(dict.fromkeys(ids[:limit], epochs))


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
        return viewed(list(plan.owed), self.limit, self.epochs)
