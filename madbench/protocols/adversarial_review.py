"""Adversarial review: isolated reviewers commit their findings, then argue about them claim by claim.

Source: AdversarialDebate (PyPI adversarial-debate 0.2.2), as its article means it. Each side's claims are objected to
or accepted by its opponents; it answers every objection (CONCEDED, REBUTTED, CARRIED) with a specific reason; the
objector withdraws or maintains. What stays open is reported with what would resolve it. The artifact stands before
everybody in every turn. After the isolated reviews all replies are forms: see `adversarial_review_forms`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from madbench.agents import Episode
from madbench.protocols.adversarial_review_claims import SIDES
from madbench.protocols.adversarial_review_items import artifact_of
from madbench.protocols.adversarial_review_sitting import Sitting
from madbench.protocols.adversarial_review_terms import Terms
from madbench.types import (
    BudgetError,
    ContextError,
    Edge,
    InputError,
    Outcome,
    Problem,
    ProtocolSettings,
    StopReason,
)


@dataclass(frozen=True, kw_only=True)
class AdversarialReview(ProtocolSettings):
    """`debate_rounds` counts exchanges (objections, answers, rejoinders) after the isolated reviews."""

    reviewers: int = 2
    debate_rounds: int = 2
    terms: Terms = field(default_factory=Terms)
    plays: ClassVar[tuple[str, ...]] = ("solver", "objector", "defender", "synthesiser")
    edges: ClassVar[tuple[Edge, ...]] = (
        Edge("solver", "solver"),  # a review is written before its author has read another
        Edge("objector/Objections", "objector/Objecting"),  # and so is an objection
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.reviewers <= len(SIDES) or self.debate_rounds < 1:
            found = f"reviewers={self.reviewers} debate_rounds={self.debate_rounds}"
            raise InputError(f"protocol: {found}; wanted 2 to {len(SIDES)} reviewers, 1 or more rounds")
        if self.terms.calls is not None and self.terms.calls < self.reviewers:
            raise InputError(
                f"protocol.terms.calls: {self.terms.calls} do not pay for {self.reviewers} reviews"
            )

    def admit(self, problem: Problem) -> None:
        artifact_of(problem)

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        sitting = self.sitting(problem, episode)
        await sitting.review()
        positions, stop = [sitting.standing], None
        while stop is None:
            stop = await self.exchange(sitting, len(positions))
            positions.append(sitting.standing)
        resolutions = await sitting.settle(len(positions) - 1)
        return sitting.outcome(positions, stop, resolutions)

    async def exchange(self, sitting: Sitting, round: int) -> StopReason | None:
        """One round of objections, answers and rejoinders; why the debate ends with it, if it does."""
        try:
            await sitting.object(round)
            if not sitting.ledger.open():
                return StopReason.NO_OBJECTION
            await sitting.answer(round)
            await sitting.rejoin(round)
        except (BudgetError, ContextError) as reached:
            return sitting.broke_off(reached, round)
        if not sitting.ledger.open():
            return StopReason.CONSENSUS
        return StopReason.MAX_ROUNDS if round == self.debate_rounds else None

    def sitting(self, problem: Problem, episode: Episode) -> Sitting:
        return Sitting(problem, episode, self.reviewers, self.terms)
