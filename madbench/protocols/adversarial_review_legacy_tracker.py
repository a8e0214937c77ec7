"""How the published package counts a debate, faults included. Source: adversarial-debate 0.2.2, engine/evidence.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

UPHOLDING = ("UPHELD", "AGREED", "ACCEPTED")
CASCADE = 0.8


class Concession(NamedTuple):
    claim: str
    round: int


@dataclass(frozen=True)
class Tracked:
    """`claims` by id (of two with one id the last counts) in their first states, what was conceded, what was said in
    defence (every reply of a model counts as a defence), and how many objections the first round had.
    """

    claims: dict[str, str]
    conceded: Sequence[Concession] = ()
    defences: Sequence[str] = ()
    objections: int = 0
    upheld: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        found = {
            claim
            for claim in self.claims
            for said in self.defences
            if claim not in self._given_up
            and claim in said
            and any(word in said.upper() for word in UPHOLDING)
        }
        object.__setattr__(self, "upheld", frozenset(found))

    @property
    def _given_up(self) -> set[str]:
        return {each.claim for each in self.conceded} & set(self.claims)

    @property
    def resolved(self) -> frozenset[str]:
        """Conceded claims, and those named in any reply that holds a word of upholding anywhere, whoever says it."""
        return frozenset(self._given_up | self.upheld)

    @property
    def convergence(self) -> float:
        """Resolved over all claims; 1.0 where there are none."""
        return len(self.resolved) / len(self.claims) if self.claims else 1.0

    @property
    def verdict(self) -> Literal["verdict", "disputed"]:
        return "verdict" if self.convergence == 1 else "disputed"

    @property
    def theater(self) -> bool:
        """The corrected detector: any reply at all disproves theater, unless a concession changed nothing."""
        if not self.conceded and not self.resolved:
            return not self.defences and all(state == "open" for state in self.claims.values())
        return not self.resolved

    @property
    def theater_first(self) -> bool:
        """The first detector: nobody conceded."""
        return not self.conceded

    @property
    def capitulation(self) -> bool:
        """Concessions of the first round over its objections, both sides pooled, and no REBUTTED anywhere."""
        early = sum(each.round == 1 for each in self.conceded)
        return early / max(self.objections, 1) >= CASCADE and not any(
            "REBUTTED" in each for each in self.defences
        )

    @property
    def settled_list(self) -> list[str]:
        """One entry a concession: doubled ones stay, and upheld claims are missing."""
        return [each.claim for each in self.conceded]
