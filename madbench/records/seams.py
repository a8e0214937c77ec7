"""Seams between stages: what went in must come out, each row once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from madbench.types import SeamError

SHOWN = 5
MODULUS = 1 << 128


def check_seam(stage: str, planned: Iterable[Hashable], found: Iterable[Hashable]) -> None:
    """Raise SeamError unless `found` is `planned`, each row as often, in any order.

    Iterables that can be walked twice are compared without being held in memory; only where they differ are
    their rows counted, to name the first that are missing and extra.
    """
    planned, found = _again(planned), _again(found)
    if _sum(planned) == _sum(found):
        return
    want, have = Counter(planned), Counter(found)
    lost, extra = want - have, have - want
    raise SeamError(
        f"{stage}: planned {want.total()} rows, found {have.total()}; "
        f"{lost.total()} missing {_first(lost)}, {extra.total()} unplanned or doubled {_first(extra)}"
    )


def _again(rows: Iterable[Hashable]) -> Iterable[Hashable]:
    return list(rows) if isinstance(rows, Iterator) else rows


def _sum(rows: Iterable[Hashable]) -> tuple[int, int]:
    """How many rows, and the sum of two hashes of each: equal for equal multisets, else (all but surely) not."""
    count = total = 0
    for row in rows:
        count += 1
        total += (hash((row, "left")) << 64) + hash((row, "right"))
    return count, total % MODULUS


def _first(rows: Counter[Hashable]) -> list[Hashable]:
    return sorted(rows, key=str)[:SHOWN]
