"""What a side is shown on its turn, read off the ledger, and the sheet it is to fill in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from madbench.protocols import adversarial_review_seen as seen
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder, Resolutions
from madbench.protocols.adversarial_review_items import Demands, Item
from madbench.protocols.adversarial_review_ledger import Ledger
from madbench.protocols.adversarial_review_sheet import SheetT, about
from madbench.protocols.adversarial_review_terms import Terms
from madbench.types import Observation


@dataclass(frozen=True, slots=True)
class Put(Generic[SheetT]):
    """A question put to a side: what it sees, and the form in which it says something to that."""

    seen: Observation
    says: type[SheetT]


@dataclass(frozen=True, slots=True)
class Showing:
    """The artifact is shown every time, from the question, beside what the ledger holds."""

    question: str
    ledger: Ledger
    terms: Terms

    def claims(self, side: str) -> Put[Objections]:
        """Claims of others to object to or to accept, and the side's own beside them."""
        claims, own = self.ledger.untouched(side), self.ledger.standing(side)
        shown = seen.Objecting(
            question=self.question,
            side=side,
            own=tuple(own),
            claims=tuple(claims),
            manner=self.terms.manner,
        )
        return Put(shown, self._sheet(Objections, [Item(claim.id) for claim in claims], "nothing"))

    def objections(self, side: str, contested: Sequence[seen.Contested]) -> Put[Defence]:
        shown = seen.Defending(
            question=self.question, side=side, objections=tuple(contested), manner=self.terms.manner
        )
        return Put(shown, self._sheet(Defence, self._items(contested), self.terms.insists))

    def answers(self, side: str, contested: Sequence[seen.Contested]) -> Put[Rejoinder]:
        shown = seen.Rejoining(
            question=self.question, side=side, answers=tuple(contested), manner=self.terms.manner
        )
        return Put(shown, self._sheet(Rejoinder, self._items(contested)))

    def points(self) -> Put[Resolutions]:
        contested = self.ledger.open()
        shown = seen.Settling(question=self.question, points=tuple(contested), manner=self.terms.manner)
        return Put(shown, self._sheet(Resolutions, self._items(contested)))

    def _items(self, contested: Sequence[seen.Contested]) -> list[Item]:
        """One an objection. A claim's own id will do where only one objection is open against it."""
        aimed = Counter(each.claim.id for each in contested)
        return [
            Item(
                each.objection.objection,
                each.claim.id if aimed[each.claim.id] == 1 else "",
                (each.objection.text, *self.ledger.words_of(each.claim.id)),
            )
            for each in contested
        ]

    def _sheet(self, sheet: type[SheetT], items: Sequence[Item], demands: Demands = "moves") -> type[SheetT]:
        return about(sheet, items, self.terms.bounds, demands)
