"""What stands in for the person who decides after a tribunal: a declared policy, named in every record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from madbench.protocols.tribunal_tally import Tally


class Policy(Protocol):
    """A person's three options: proceed with the top choice, pick another, ask for one more round."""

    def another_round(self, tally: Tally) -> bool:
        """Whether to have one more round of critique; asked once at most."""

    def pick(self, tally: Tally, concerns: Mapping[int, int]) -> int:
        """The seat whose proposal is chosen; `concerns` counts those that block each."""


@dataclass(frozen=True)
class Proceed:
    """Takes the top choice."""

    def another_round(self, tally: Tally) -> bool:
        return False

    def pick(self, tally: Tally, concerns: Mapping[int, int]) -> int:
        return tally.top


@dataclass(frozen=True)
class Veto(Proceed):
    """A blocking concern sends its proposal away: takes the first that nothing blocks, the top if all are blocked."""

    def pick(self, tally: Tally, concerns: Mapping[int, int]) -> int:
        return next((seat for seat in tally.order if not concerns.get(seat)), tally.top)


@dataclass(frozen=True)
class OneMoreRound(Proceed):
    """Has one more round where no proposal is the first choice of more than half, then takes the top."""

    def another_round(self, tally: Tally) -> bool:
        return not tally.consensus
