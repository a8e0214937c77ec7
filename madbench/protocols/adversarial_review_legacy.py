"""The published AdversarialDebate (PyPI adversarial-debate 0.2.2), behaving as its code does, faults included.

The opponent never objects: every claim is put to its own author as an objection. The artifact is shown in no round,
and nothing is outstanding after the first. Moves are words on lines, reasons are not looked at, nothing is repaired or
capped. Its reviews are the isolated reviews of every other protocol; validity is judged as everywhere.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar, Literal

from madbench.agents import Episode, Memory, together
from madbench.protocols.adversarial_review_claims import entries_of
from madbench.protocols.adversarial_review_items import artifact_of
from madbench.protocols.adversarial_review_legacy_debate import LegacyDebate
from madbench.protocols.adversarial_review_legacy_reading import Reading
from madbench.protocols.adversarial_review_legacy_report import legacy_outcome
from madbench.protocols.adversarial_review_legacy_seen import LegacyReply, LegacyRound
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.types import Claimed, Edge, InputError, Outcome, Problem, ProtocolSettings, StopReason


@dataclass(frozen=True, kw_only=True)
class LegacyAdversarialReview(ProtocolSettings):
    """`reading`: moves by line (0.2.2), or one word for a whole reply (v0.1.0). `replies`: written by a model in every
    round, or the stored review again, as the first field test's provider gave back.
    """

    debate_rounds: int = 2
    reading: Reading = "by_line"
    replies: Literal["live", "stored"] = "live"
    plays: ClassVar[tuple[str, ...]] = ("solver", "defender")
    edges: ClassVar[tuple[Edge, ...]] = (Edge("solver", "solver"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.debate_rounds <= 10:
            raise InputError(f"protocol.debate_rounds: {self.debate_rounds}; wanted 1 to 10")

    def admit(self, problem: Problem) -> None:
        artifact_of(problem)

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        artifact = artifact_of(problem)
        solvers = episode.agents("solver", 2, sees=Asked, says=Statement)
        reviews = await together(*(solver.ask(Asked(prompt=problem.prompt), round=0) for solver in solvers))
        claims = [
            entry
            for side, review in zip("AB", reviews, strict=True)
            for entry in entries_of(side, review, artifact, cap=sys.maxsize)
            if isinstance(entry, Claimed)
        ]
        debate = LegacyDebate(claims, artifact, self.reading)
        defenders = [
            episode.agent(
                "defender", sees=LegacyRound, says=LegacyReply, seat=seat, memory=Memory(keep="nothing")
            )
            for seat in range(2)
        ]
        stop = StopReason.MAX_ROUNDS
        for round in range(1, self.debate_rounds + 1):
            if debate.over:
                stop = StopReason.CONSENSUS
                break
            for seat, side in enumerate("AB"):
                shown = debate.shown(side, round)
                live = self.replies == "live"
                said = (await defenders[seat].ask(shown, round=round)).text if live else reviews[seat].text
                debate.hear(side, round, said)
        return legacy_outcome(debate, [review.answer for review in reviews], stop)
