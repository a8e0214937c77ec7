"""Counting the rankings of a tribunal: plurality of first choices, with a stated rule for every tie."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

LEVELS = ("first_choices", "borda", "fewer_concerns", "seed")


@dataclass(frozen=True, slots=True)
class Tally:
    """Seats from the most to the least wanted; `level` is the rule that put the first before the second.

    `consensus`: more than half of the rankings begin with the first. Borda counts and Copeland scores (pairwise
    wins less defeats) stand beside it, by seat.
    """

    order: tuple[int, ...]
    level: str
    consensus: bool
    borda: Mapping[int, float]
    copeland: Mapping[int, int]

    @property
    def top(self) -> int:
        return self.order[0]

    @property
    def runner_up(self) -> int | None:
        return self.order[1] if len(self.order) > 1 else None


def tally(
    rankings: Sequence[Sequence[int]], seats: Sequence[int], *, concerns: Mapping[int, int], seed: int
) -> Tally:
    """Count rankings of `seats` (those who may not rank themselves leave one out).

    First choices decide; then Borda counts (each ranking gives its last 0 and its first the most; what it leaves
    out gets the mean); then who has fewer blocking `concerns`; then a draw by `seed`.
    """
    firsts = Counter(ranking[0] for ranking in rankings)
    borda = {seat: sum(_points(ranking, seat, len(seats)) for ranking in rankings) for seat in seats}
    drawn = random.Random(seed).sample(sorted(seats), len(seats))
    keys = {seat: (-firsts[seat], -borda[seat], concerns.get(seat, 0), drawn.index(seat)) for seat in seats}
    order = tuple(sorted(seats, key=keys.__getitem__))
    level = _level(keys[order[0]], keys[order[1]]) if len(order) > 1 else LEVELS[0]
    return Tally(order, level, firsts[order[0]] * 2 > len(rankings), borda, copeland(rankings, seats))


def copeland(rankings: Sequence[Sequence[int]], seats: Sequence[int]) -> dict[int, int]:
    """Pairwise majorities won less those lost, by seat; a ranking that leaves one of a pair out does not count."""
    scores = dict.fromkeys(seats, 0)
    for one, other in combinations(seats, 2):
        both = [ranking for ranking in rankings if one in ranking and other in ranking]
        lead = sum(1 if ranking.index(one) < ranking.index(other) else -1 for ranking in both)
        scores[one] += (lead > 0) - (lead < 0)
        scores[other] += (lead < 0) - (lead > 0)
    return scores


def _points(ranking: Sequence[int], seat: int, seats: int) -> float:
    return seats - 1 - ranking.index(seat) if seat in ranking else (seats - 1) / 2


def _level(first: Sequence[float], second: Sequence[float]) -> str:
    """The first rule by which two differ."""
    return next(level for level, one, other in zip(LEVELS, first, second, strict=True) if one != other)
