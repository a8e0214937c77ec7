"""One published debate: objections seeded from a side's own claims, read and counted as published."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.protocols import adversarial_review_legacy_reading as reading
from madbench.protocols.adversarial_review_legacy_entries import moved, named
from madbench.protocols.adversarial_review_legacy_seen import LegacyClaim, LegacyRound
from madbench.protocols.adversarial_review_legacy_tracker import Concession, Tracked
from madbench.types import AnyEntry, Artifact, Claimed, Objected


class LegacyDebate:
    """`claims` are all claims by the id that the package gives them (`cl_A_1`), of both sides."""

    def __init__(self, claims: Sequence[Claimed], artifact: Artifact, rule: reading.Reading) -> None:
        self.claims = {named(each.finding): each.finding for each in claims}
        self.ledger: list[AnyEntry] = [*claims]
        self.objections = {side: self._seeded(side) for side in "AB"}
        self.concessions, self.defences, self.degraded = list[Concession](), list[str](), set[int]()
        self._artifact, self._rule = artifact, rule

    def _seeded(self, side: str) -> list[reading.SelfObjection]:
        """Every claim becomes an objection to itself, put to its own author, all in round 1."""
        own = [name for name in self.claims if name.startswith(f"cl_{side}_")]
        seeded = [
            reading.SelfObjection(
                f"obj_initial_{side.lower()}_{number}",
                name,
                f"Reviewer {side} claims: {self.claims[name].text}",
            )
            for number, name in enumerate(own)
        ]
        self.ledger += [
            Objected(by=side, round=1, objection=each.id, claim=self.claims[each.claim].id, text=each.text)
            for each in seeded
        ]
        return seeded

    @property
    def over(self) -> bool:
        """All claims conceded; so is a debate without claims."""
        return {each.claim for each in self.concessions} >= set(self.claims)

    def outstanding(self, side: str, round: int) -> list[reading.SelfObjection]:
        """What is not conceded and not older than the round: from the second round on, nothing."""
        gone = {each.claim for each in self.concessions}
        return [each for each in self.objections[side] if each.claim not in gone and each.round >= round]

    def shown(self, side: str, round: int) -> LegacyRound:
        def listed(mine: bool) -> tuple[LegacyClaim, ...]:
            return tuple(
                LegacyClaim(id=name, severity=claim.severity, text=claim.text)
                for name, claim in self.claims.items()
                if name.startswith(f"cl_{side}_") is mine
            )

        objections = tuple(
            {"id": each.id, "claim": each.claim, "text": each.text} for each in self.outstanding(side, round)
        )
        shown = {"own": listed(True), "others": listed(False), "objections": objections}
        return LegacyRound.model_validate({"side": side, "round": round, **shown}, strict=False)

    def hear(self, side: str, round: int, text: str) -> None:
        """Read a reply; whatever it says is a defence."""
        open_to = self.outstanding(side, round)
        read = reading.by_first_word if self._rule == "whole_reply" else reading.point_by_point
        for each, move in zip(open_to, read(text, open_to).values(), strict=True):
            self.ledger.append(
                moved((side, round), each, self.claims[each.claim], self._artifact, (move, text))
            )
            if move == "CONCEDED":
                self.concessions.append(Concession(each.claim, round))
        self.defences.append(text)
        if reading.seems_degraded(text):
            self.degraded.add(round)

    def tracked(self) -> Tracked:
        seeded = sum(map(len, self.objections.values()))
        return Tracked(dict.fromkeys(self.claims, "open"), self.concessions, self.defences, seeded)
