"""Counting votes: over canonical answers, with a stated, seeded rule for ties."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from madbench.types import Answers

TieRule = Literal["random", "first", "abstain"]


@dataclass(frozen=True, slots=True)
class Vote:
    """A majority: its answer, its share of the cast votes, and the options that tied for it (two or more)."""

    answer: str | None
    share: float | None
    tied: tuple[str, ...] = ()


def majority(answers: Answers, *, seed: int, tie: TieRule = "random") -> Vote:
    """The commonest answer among those given. Nobody answered: no answer, no share.

    Ties: `random` draws from the tied options, in sorted order, by `seed` alone; `first` takes the earliest
    seat's (Du et al. 2023); `abstain` gives no answer.
    """
    counts = Counter(answer for answer in answers if answer is not None)
    if not counts:
        return Vote(None, None)
    most = max(counts.values())
    options = [answer for answer in counts if counts[answer] == most]
    share = most / counts.total()
    if len(options) == 1:
        return Vote(options[0], share)
    tied = tuple(sorted(options))
    chosen = {"first": options[0], "abstain": None, "random": random.Random(seed).choice(tied)}[tie]
    return Vote(chosen, share, tied)


def unanimous(answers: Answers) -> bool:
    """Everybody answered, and the same."""
    return None not in answers and len(set(answers)) == 1
