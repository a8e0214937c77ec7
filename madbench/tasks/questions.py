"""Question sets with known answers, from the hub or a local file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from pydantic import JsonValue

from madbench.tasks.drawing import drawn
from madbench.tasks.hashing import content_hash
from madbench.tasks.layout import Item, Layout, item_of
from madbench.tasks.scoring import exact
from madbench.tasks.sources import Hub, Table, table_of
from madbench.types import InputError, Outcome, Problem, Sample, Shot, Target, seed_of


@dataclass(frozen=True)
class Questions:
    """All questions of a set, or `size` of them; `path` is a local file that stands in for the hub.

    `reserve` questions (the same ones whatever the seed) are never scored, nor are others of their groups;
    `shots` worked examples come from them alone. With a `size`, seed 0 scores the first `size` of a fixed
    order, seed 1 the next: no two seeds share a question. Without, the seed only orders. Ids are the source's
    own, else a hash of the question.
    """

    name: str
    hub: Hub | None = None
    path: str | None = None
    layout: Layout = field(default_factory=Layout)
    shots: int = 0
    reserve: int = 0
    size: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.hub is None and self.path is None:
            raise InputError(f"task {self.name}: neither task.path (a local file) nor task.hub is given")
        if not 0 <= self.shots <= self.reserve:
            raise InputError(
                f"task {self.name}: shots={self.shots} come from reserved questions, which are never scored, and "
                f"task.reserve={self.reserve}: reserve at least as many, and the same in all arms you compare"
            )
        if self.seed < 0 or (self.size is not None and self.size < 1):
            raise InputError(
                f"task {self.name}: seed={self.seed}, size={self.size}; wanted 0 or more, 1 or more"
            )

    def samples(self) -> list[Sample]:
        reserved, scored = self._split
        ordered = sorted(reserved, key=lambda item: seed_of("shots", self.seed, item.id))
        shots = tuple(map(_shot, ordered[: self.shots]))
        return [_sample(self.name, item, shots) for item in scored]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        """What a manifest says of the data: where from, how much, and what is known against it."""
        table, (_, scored) = self._table, self._split
        suspects = Counter(item.suspect for item in scored if item.suspect)
        slots = Counter(item.answer for item in scored)
        return {
            "source": table.origin,
            "revision": table.revision or ("not pinned" if self.path is None else None),
            "rows": len(table.rows),
            "exact_duplicates": len(table.rows) - len(self._items),
            "scored": len(scored),
            "content": self.content(),
            "suspect": dict(sorted(suspects.items())),
            "shared_groups": len(self._items) - len({item.cluster for item in self._items}),
            "commonest_answer": dict(slots.most_common(1)),
        }

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    @cached_property
    def _table(self) -> Table:
        return table_of(self.hub, self.path, f"task {self.name}")

    @cached_property
    def _items(self) -> list[Item]:
        table = self._table
        layout = self.hub.layout if self.hub and self.path is None else self.layout
        items = [item_of(row, layout, table.where(index)) for index, row in enumerate(table.rows)]
        if any(row.get(layout.id) for row in table.rows):
            check_ids(items, table)
        return flag_opposites({item.id: item for item in reversed(items)}.values())

    @cached_property
    def _split(self) -> tuple[list[Item], list[Item]]:
        """The reserved questions, and those scored under this seed."""
        return drawn(
            self._items,
            reserve=self.reserve,
            size=self.size,
            seed=self.seed,
            where=f"task {self.name}",
            what=f"questions of {self._table.origin}",
        )


def check_ids(items: Iterable[Item], table: Table) -> None:
    """Raise InputError, naming both rows, where two have one id."""
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        if item.id in seen:
            raise InputError(f"id {item.id!r} twice: {table.where(seen[item.id])}, and {table.where(index)}")
        seen[item.id] = index


def flag_opposites(items: Iterable[Item]) -> list[Item]:
    """Items, in which those are suspect that ask the same as another and have a different right answer."""
    listed = list(items)
    golds: dict[str, set[str]] = {}
    for item in listed:
        golds.setdefault(" ".join(item.question.split()), set()).add(item.meaning)
    return [
        replace(item, suspect=item.suspect or "opposite golds")
        if len(golds[" ".join(item.question.split())]) > 1
        else item
        for item in listed
    ]


def _shot(item: Item) -> Shot:
    working = f"{item.working}\n" if item.working else ""
    return Shot(f"{item.question}\n{item.reader.instruction}", f"{working}Answer: {item.answer}")


def _sample(task: str, item: Item, shots: tuple[Shot, ...]) -> Sample:
    facts: dict[str, JsonValue] = {"suspect": item.suspect} if item.suspect else {}
    return Sample(
        Problem(item.id, item.cluster, item.question, item.reader, shots), Target(item.answer, facts)
    )
