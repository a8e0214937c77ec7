"""When a seat takes over words already said instead of being asked (Choi et al., 2025).

The rules here look at the round before. A tied vote has no majority: then everybody is asked.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from madbench.metrics.votes import majority
from madbench.protocols.replies import Statement
from madbench.types import InputError, check_settings, seed_of

Rounds = Sequence[Sequence[Statement]]
"""What every seat said, round by round."""


class Revision(Protocol):
    def settled(self, seat: int, rounds: Rounds, seed: int) -> Statement | None:
        """The words that `seat` puts forward unasked after these rounds; None: it is asked."""


@dataclass(frozen=True)
class Always:
    """Everybody is asked again, every time."""

    def settled(self, seat: int, rounds: Rounds, seed: int) -> Statement | None:
        return None


@dataclass(frozen=True)
class Conformist:
    """A seat whose answer is the majority's keeps its reply, word for word."""

    def settled(self, seat: int, rounds: Rounds, seed: int) -> Statement | None:
        own = rounds[-1][seat]
        return own if own in holders(rounds[-1]) else None


@dataclass(frozen=True, kw_only=True)
class Follower:
    """With probability `p` a seat takes over a reply that holds the majority's answer (the first such seat's)."""

    p: float = 0.3

    def __post_init__(self) -> None:
        check_settings(self, "protocol.revision")
        if not 0 <= self.p <= 1:
            raise InputError(f"protocol.revision.p: {self.p} is no probability; wanted 0 to 1")

    def settled(self, seat: int, rounds: Rounds, seed: int) -> Statement | None:
        leaders = holders(rounds[-1])
        chance = random.Random(seed_of(seed, "follow", len(rounds), seat)).random()
        return leaders[0] if leaders and chance < self.p else None


def holders(said: Sequence[Statement]) -> list[Statement]:
    """The statements with the majority's answer; none if there is no single commonest answer."""
    vote = majority(tuple(statement.answer for statement in said), seed=0, tie="abstain")
    return [statement for statement in said if vote.answer is not None and statement.answer == vote.answer]
