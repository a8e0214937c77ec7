"""Which items of a set are scored: fixed reserves, disjoint draws, seeded orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from madbench.types import InputError, seed_of


class Item(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def cluster(self) -> str: ...


Drawn = TypeVar("Drawn", bound=Item)


def drawn(
    items: Sequence[Drawn], *, reserve: int, size: int | None, seed: int, where: str, what: str
) -> tuple[list[Drawn], list[Drawn]]:
    """The reserved items (the same ones whatever the seed), and those scored under this seed.

    With a `size`, seed 0 scores the first `size` of a fixed order, seed 1 the next: no two seeds share an item.
    Without, the seed only orders. Items of reserved clusters are never scored. Raises InputError where too few are
    left: `what` says of what, `where` for which task.
    """
    fixed = sorted(items, key=lambda item: seed_of("order", item.id))
    reserved = fixed[:reserve]
    clusters = {item.cluster for item in reserved}
    rest = [item for item in fixed[reserve:] if item.cluster not in clusters]
    start = seed * (size or 0)
    if not rest or len(rest) < start + (size or 1):
        raise InputError(
            f"{where}: {len(rest)} {what} can be scored, {reserve} are reserved: too few for size {size} at seed {seed}"
        )
    if size is not None:
        return reserved, rest[start : start + size]
    return reserved, sorted(rest, key=lambda item: seed_of("order", seed, item.id))
