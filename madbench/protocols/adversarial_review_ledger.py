"""The ledger of one debate: entries are only ever added, and everything else is read off them."""

from __future__ import annotations

from typing import TypeVar

from madbench.protocols.adversarial_review_seen import Contested
from madbench.types import (
    Accepted,
    Answered,
    AnyEntry,
    Claimed,
    Entry,
    Finding,
    Maintained,
    Objected,
    Passed,
    Unaddressed,
    Withdrawn,
)

EntryT = TypeVar("EntryT", bound=Entry)


class Ledger:
    """`concedes`: an objection without a valid answer counts as conceded."""

    def __init__(self, *, concedes: bool = False) -> None:
        self._entries: list[AnyEntry] = []
        self._concedes = concedes

    @property
    def entries(self) -> tuple[AnyEntry, ...]:
        return tuple(self._entries)

    def add(self, *entries: AnyEntry) -> None:
        self._entries += entries

    def of(self, kind: type[EntryT]) -> list[EntryT]:
        return [entry for entry in self._entries if isinstance(entry, kind)]

    def claims(self, side: str = "") -> dict[str, Finding]:
        """Claims by id, of one side or of all."""
        return {each.finding.id: each.finding for each in self.of(Claimed) if side in ("", each.by)}

    def conceded(self) -> frozenset[str]:
        """Claims that their owners gave up."""
        given_up = {each.claim for each in self.of(Answered) if each.move == "CONCEDED"}
        if self._concedes:
            given_up |= {each.claim for each in self.of(Answered) if not each.valid}
            given_up |= {each.claim for each in self.of(Unaddressed)}
        return frozenset(given_up)

    def standing(self, side: str = "") -> list[Finding]:
        """Claims that nobody gave up."""
        gone = self.conceded()
        return [claim for name, claim in self.claims(side).items() if name not in gone]

    def untouched(self, side: str) -> list[Finding]:
        """Standing claims of others on which a side has taken no stand yet."""
        mine = [each for each in self._entries if each.by == side]
        said = {each.claim for each in mine if isinstance(each, Objected | Accepted | Passed)}
        own = self.claims(side)
        return [claim for claim in self.standing() if claim.id not in said and claim.id not in own]

    def open(self) -> list[Contested]:
        """Objections that are neither withdrawn nor conceded, with the last that was said on each."""
        claims, gone = self.claims(), self.conceded()
        dropped = {each.objection for each in self.of(Withdrawn)}
        answers = {each.objection: each for each in self.of(Answered)}
        kept = {each.objection: each.reason for each in self.of(Maintained)}
        return [
            Contested(
                claim=claims[each.claim],
                objection=each,
                answer=answers.get(each.objection),
                maintained=kept.get(each.objection, ""),
            )
            for each in self.of(Objected)
            if each.claim not in gone and each.objection not in dropped
        ]

    def open_against(self, side: str) -> list[Contested]:
        own = self.claims(side)
        return [each for each in self.open() if each.claim.id in own]

    def answered_to(self, side: str, round: int) -> list[Contested]:
        """A side's open objections that were answered in this round."""
        mine = [each for each in self.open() if each.objection.by == side]
        return [each for each in mine if each.answer and each.answer.round == round]

    def words_of(self, claim: str) -> tuple[str, ...]:
        """What a claim's owner has said on it: the claim, then the reasons it gave."""
        return (
            self.claims()[claim].text,
            *(each.reason for each in self.of(Answered) if each.claim == claim),
        )
