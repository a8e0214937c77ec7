"""The gates of a round table: what personas are told, and what code enforces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from madbench.protocols.roundtable_facts import GATES
from madbench.protocols.roundtable_forms import ADVERSARIES, Contribution, Proposal, Vote
from madbench.protocols.roundtable_quality import EvidenceQuality, Quality
from madbench.protocols.roundtable_repetition import ClaimRepetition, Repetition
from madbench.types import check_settings

Switch = Literal["off", "prompt", "code", "both"]
Fault = tuple[str, str]
"""The gate, and what it finds wanting; nothing if all is well."""


@dataclass(frozen=True, kw_only=True)
class Gates:
    """Each gate is off, asked for (prompt), enforced (code), or both.

    `repetition` is about contributions, `proposal` about confidence without evidence. Of votes: `vote` keeps
    adversaries from agreeing to what the proposal gate would reject, `role` keeps personas to who they are, and
    `concerns` those who objected from agreeing before their concerns were answered.
    """

    repetition: Switch = "both"
    proposal: Switch = "both"
    vote: Switch = "both"
    role: Switch = "both"
    concerns: Switch = "both"
    sameness: Repetition = field(default_factory=ClaimRepetition)
    quality: Quality = field(default_factory=EvidenceQuality)

    def __post_init__(self) -> None:
        for gate in GATES:
            if getattr(self, gate) is False:  # how YAML reads a bare off
                object.__setattr__(self, gate, "off")
        check_settings(self, "protocol.gates")

    def asked(self, *gates: str) -> tuple[str, ...]:
        """Which of these gates personas are told of."""
        return tuple(gate for gate in gates if getattr(self, gate) in ("prompt", "both"))

    def enforced(self, gate: str) -> bool:
        return getattr(self, gate) in ("code", "both")

    def contribution(self, said: Contribution, own: list[str], others: list[str]) -> Iterator[Fault]:
        yield "repetition", self.sameness.fault(said.words, own, others)

    def draft(self, said: Proposal, question: str, nothing: str | None) -> Iterator[Fault]:
        yield "proposal", self.evidence(said, question, nothing)

    def ballot(self, said: Vote, me: str, unbacked: str, objected: bool) -> Iterator[Fault]:
        """`unbacked` is what is wanting in the proposal."""
        yield "role", f"you are the {me}, not the {said.agent}" if said.agent != me else ""
        if me in ADVERSARIES:
            yield (
                "vote",
                f"you agreed, but the evidence falls short: {unbacked}" if said.agrees and unbacked else "",
            )
        if objected:
            ignored = said.agrees and said.concerns != "answered"
            yield (
                "concerns",
                "you agreed, but say nowhere that your own concerns were answered" if ignored else "",
            )

    def evidence(self, said: Proposal, question: str, nothing: str | None) -> str:
        """What is wanting in a proposal. To report `nothing` needs no strength, only figures."""
        answer = said.extraction().answer
        if answer is None:
            return "the answer is none of those on offer"
        return self.quality.fault(said.confidence, said.evidence, question, claims=answer != nothing)
