"""A fault, as an arm: sides answer with their stored reviews, over and over, and no model is called for it.

This is what the first field test of AdversarialDebate did unawares. Detectors must say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from madbench.agents import Episode
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_forms import Defence
from madbench.protocols.adversarial_review_shown import Put
from madbench.protocols.adversarial_review_sitting import Sitting
from madbench.protocols.adversarial_review_turns import faults_of
from madbench.types import Problem


class StoredSitting(Sitting):
    async def defences(self, puts: Mapping[str, Put[Defence]], round: int) -> dict[str, Defence]:
        said = {
            side: put.says.read(self.reviews[side].text, self.problem, cut=False)
            for side, put in puts.items()
        }
        for side, defence in said.items():
            self.ledger.add(*faults_of(side, round, defence))
        return said


@dataclass(frozen=True, kw_only=True)
class StoredReview(AdversarialReview):
    def sitting(self, problem: Problem, episode: Episode) -> Sitting:
        return StoredSitting(problem, episode, self.reviewers, self.terms)
