"""Documents made of rows with keys, and the contradictions that can be planted in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

DocumentKind = Literal["order", "numbers", "missing_rollback", "impossible_cause"]
Rows = tuple[tuple[str, str], ...]
"""Keys and texts, line by line."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One fault: rows that read otherwise, a row that is missing, or one that stands elsewhere (below `below`).

    `at` are the rows that contradict one another. Where one of them is missing, the rows around the gap count.
    """

    kind: DocumentKind
    description: str
    at: tuple[str, ...]
    texts: dict[str, str] = field(default_factory=dict)
    missing: str = ""
    moved: str = ""
    below: str = ""

    @property
    def touched(self) -> frozenset[str]:
        """All rows that this fault is about."""
        return frozenset({*self.at, *self.texts, self.missing, self.moved, self.below} - {""})


@dataclass(frozen=True, slots=True)
class Draft:
    """A document without faults, and those it can be given."""

    name: str
    purpose: str
    rows: Rows
    contradictions: tuple[Contradiction, ...]

    def chosen(self, number: int, rng: random.Random) -> tuple[Contradiction, ...]:
        """So many faults about different rows, of different kinds while there are any; fewer if there are no more."""
        chosen: list[Contradiction] = []
        rest = list(self.contradictions)
        while rest and len(chosen) < number:
            new = [one.kind for one in rest if one.kind not in {other.kind for other in chosen}]
            kind = rng.choice(sorted(set(new) or {one.kind for one in rest}))
            one = rng.choice([other for other in rest if other.kind == kind])
            chosen.append(one)
            rest = [other for other in rest if not self._around(other) & self._around(one)]
        return tuple(chosen)

    def _around(self, one: Contradiction) -> frozenset[str]:
        """What a fault is about, and the neighbours of what it takes away."""
        keys = [key for key, _ in self.rows]
        gone = [keys.index(key) for key in (one.missing, one.moved) if key]
        return one.touched | {keys[at] for place in gone for at in (place - 1, place + 1) if at < len(keys)}

    def text(self, faults: Sequence[Contradiction]) -> str:
        return "\n".join(text for _, text in self._changed(faults)) + "\n"

    def lines(self, faults: Sequence[Contradiction]) -> list[list[int]]:
        """For each fault its lines in the text with all of them, in order."""
        places = {key: line for line, (key, _) in enumerate(self._changed(faults), 1)}
        return [sorted({line for key in one.at for line in self._line(key, places)}) for one in faults]

    def _line(self, key: str, places: dict[str, int]) -> list[int]:
        if key in places:
            return [places[key]]
        keys = [known for known, _ in self.rows]
        at = keys.index(key)
        return [places[keys[near]] for near in (at - 1, at + 1) if near < len(keys)]

    def _changed(self, faults: Sequence[Contradiction]) -> list[tuple[str, str]]:
        rows = dict(self.rows)
        for one in faults:
            rows |= one.texts
        order = [key for key, _ in self.rows if key not in {one.missing for one in faults}]
        for one in faults:
            if one.moved:
                order.remove(one.moved)
                order.insert(order.index(one.below) + 1, one.moved)
        return [(key, rows[key]) for key in order]


def swapped(one: tuple[str, str], other: tuple[str, str]) -> dict[str, str]:
    """Two rows, each with a head (`22:10 `) that stays where it is, whose bodies change places."""
    (first, said), (second, also) = one, other
    heads = [text.partition(MARK)[0] + MARK for text in (said, also)]
    bodies = [text.partition(MARK)[2] for text in (said, also)]
    return {first: heads[0] + bodies[1], second: heads[1] + bodies[0]}


MARK = ": "
"""Between a row's head and its body."""


def clock(minutes: int) -> str:
    """Minutes since midnight as a time of day."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def other_number(right: int, rng: random.Random) -> int:
    """A wrong number near a right one."""
    return right + rng.choice(
        [step for step in (-20, -10, -5, -2, -1, 1, 2, 5, 10, 20) if 2 * abs(step) <= right]
    )
