"""Artifact after artifact: round after round through the groups, in an order that the seed gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from madbench.tasks.seeded.drawing import Draws
from madbench.tasks.seeded.modules import Disguise, Fault, Group, Shown, available, groups, shown
from madbench.tasks.seeded.stdlib import Library
from madbench.tasks.seeded.table import Proved
from madbench.types import seed_of


@dataclass(frozen=True)
class Case:
    """One artifact: a group as it is shown, and the faults in it."""

    shown: Shown
    faults: tuple[Fault, ...]

    @property
    def group(self) -> str:
        return self.shown.group.name


@dataclass(frozen=True)
class Cases:
    """All artifacts of a table under one seed. Groups are read when their turn comes, so that few artifacts cost
    little; what one group gives does not depend on the others.
    """

    table: tuple[Proved, ...]
    seed: int
    mix: Sequence[int]
    disguise: Disguise
    twins: bool

    def __iter__(self) -> Iterator[Case]:
        """Faulty ones, each group's first followed by its clean twin. A clean text comes once."""
        clean = set()
        for case in self._rounds():
            if case.faults:
                yield case
            if (self.twins or not case.faults) and case.group not in clean:
                clean.add(case.group)
                yield Case(case.shown, ())

    def stranger(self, case: Case) -> Case | None:
        """A faulty artifact of the next group in order."""
        place = self._order.index(case.group)
        others = map(self._one, (*self._order[place + 1 :], *self._order[:place]))
        return next(filter(None, others), None)

    def _one(self, name: str) -> Case | None:
        """A group with a fault of its own, always the same."""
        if name not in self._ones:
            group = self.group(name)
            faults = next(Draws(group, self.seed, (1,)).visits(), None) if isinstance(group, Group) else None
            self._ones[name] = (
                Case(self._shown(group), faults) if isinstance(group, Group) and faults else None
            )
        return self._ones[name]

    def group(self, name: str) -> Group | str:
        """A group, or why it is left out."""
        if name not in self._groups:
            self._groups[name] = available(self.rows[name], self._library)
        return self._groups[name]

    def left_out(self) -> Counter[str]:
        """How many groups are left out, by why."""
        return Counter(reason for name in self.rows if isinstance(reason := self.group(name), str))

    @cached_property
    def rows(self) -> dict[str, tuple[Proved, ...]]:
        return groups(self.table)

    def _rounds(self) -> Iterator[Case]:
        running = [self._visits(name) for name in self._order]
        while running:
            still = []
            for visits in running:
                for case in visits:
                    still.append(visits)
                    if case is not None:
                        yield case
                    break
            running = still

    def _visits(self, name: str) -> Iterator[Case | None]:
        group = self.group(name)
        if isinstance(group, Group):
            seen = self._shown(group)
            for faults in Draws(group, self.seed, self.mix).visits():
                yield None if faults is None else Case(seen, faults)

    def _shown(self, group: Group) -> Shown:
        return shown(group, self._library, self.disguise, seed_of("names", self.seed, group.name))

    @cached_property
    def _order(self) -> list[str]:
        return sorted(self.rows, key=lambda name: seed_of("order", self.seed, name))

    @cached_property
    def _groups(self) -> dict[str, Group | str]:
        return {}

    @cached_property
    def _ones(self) -> dict[str, Case | None]:
        return {}

    @cached_property
    def _library(self) -> Library:
        return Library()
