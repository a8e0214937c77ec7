"""Which faults an artifact gets: drawn by names alone, so that no draw depends on another, or on what else is there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from madbench.tasks.seeded.modules import Fault, Group
from madbench.types import seed_of

SEEDS = 16
"""Seeds of a task. Every set of faults belongs to one of them: no two seeds ever show the same faulty artifact."""
ATTEMPTS = 200
DRY = 4
"""Visits without a new artifact after which a group is used up."""


@dataclass
class Draws:
    """The artifacts of one group under one seed, one a visit, none twice."""

    group: Group
    seed: int
    mix: Sequence[int]
    _used: set[tuple[Fault, ...]] = field(default_factory=set)

    def visits(self) -> Iterator[tuple[Fault, ...] | None]:
        """Sets of faults; None for a visit that finds no new one. Ends where the group is used up."""
        dry = 0
        for visit in count():
            chosen = self._visit(visit)
            dry = 0 if chosen is not None else dry + 1
            if dry > DRY:
                return
            yield chosen

    def _visit(self, visit: int) -> tuple[Fault, ...] | None:
        """As many faults as the mix says, fewer if there are no such sets left."""
        name = self.group.name
        wanted = self.mix[seed_of("count", self.seed, name, visit) % len(self.mix)]
        for number in range(wanted, min(wanted, 1) - 1, -1):
            for attempt in range(ATTEMPTS if number else 1):
                rng = random.Random(seed_of("faults", self.seed, name, visit, number, attempt))
                chosen = self._faults(number, rng)
                if len(chosen) == number and chosen not in self._used and self._owned(chosen):
                    self._used.add(chosen)
                    return chosen
        return None

    def _faults(self, number: int, rng: random.Random) -> tuple[Fault, ...]:
        """Faults of one function or of several, first by their kinds, so that common kinds are not drawn more."""
        chosen: list[Fault] = []
        places = list(range(len(self.group.rows)))
        rng.shuffle(places)
        while len(chosen) < number and places:
            place = places.pop()
            size = rng.randint(1 if places else number - len(chosen), number - len(chosen))
            if by_kind := self.group.faults[place].get(size):
                chosen += rng.choice(by_kind[rng.choice(sorted(by_kind))])
        return tuple(sorted(chosen))

    def _owned(self, faults: tuple[Fault, ...]) -> bool:
        return not faults or seed_of("owner", self.group.name, *faults) % SEEDS == self.seed
