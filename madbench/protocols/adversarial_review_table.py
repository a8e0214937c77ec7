"""Who sits at the table after the reviews, and how they are asked: all sides of a stage at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from madbench.agents import Episode, Memory, together
from madbench.protocols.adversarial_review_ledger import Ledger
from madbench.protocols.adversarial_review_sheet import Sheet, SheetT
from madbench.protocols.adversarial_review_shown import Put
from madbench.protocols.adversarial_review_terms import Terms
from madbench.protocols.adversarial_review_turns import faults_of
from madbench.types import Observation

Stage = Literal["object", "answer", "rejoin", "settle"]
ROLES: Mapping[Stage, str] = MappingProxyType(
    {"object": "objector", "answer": "defender", "rejoin": "objector", "settle": "synthesiser"}
)


class Table:
    """Seats remember nothing: whatever they are to know is shown to them. `asks` counts the asks of each stage."""

    def __init__(self, episode: Episode, sides: str, ledger: Ledger, terms: Terms) -> None:
        self.asks = Counter[str]()
        self._episode, self._ledger, self._terms = episode, ledger, terms
        self._seats = {
            (role, side): episode.agent(
                role, sees=Observation, says=Sheet, seat=seat, memory=Memory(keep="nothing")
            )
            for role in set(ROLES.values())
            for seat, side in enumerate(sides)
        }

    async def ask(self, stage: Stage, puts: Mapping[str, Put[SheetT]], round: int) -> dict[str, SheetT]:
        """All sides at once; what is wrong with the form of their replies goes to the ledger."""
        if not puts:
            return {}
        self._terms.afford(self._episode.spent, len(puts))
        self.asks[stage] += len(puts)
        sheets = await together(*(self._put(ROLES[stage], side, put, round) for side, put in puts.items()))
        said = dict(zip(puts, sheets, strict=True))
        for side, sheet in said.items():
            self._ledger.add(*faults_of(side, round, sheet))
        return said

    async def _put(self, role: str, side: str, put: Put[SheetT], round: int) -> SheetT:
        seat = self._seats[role, side].also(sees=type(put.seen), says=put.says)
        return await seat.ask(put.seen, round=round)
