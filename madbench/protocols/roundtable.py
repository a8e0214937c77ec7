"""A round table of personas with gates in code: talk, put one proposal, vote (a source of January 2026).

Six personas, two of them there to object, discuss for some rounds; each may pass. One of them then drafts a proposal
with evidence and a confidence, and all vote on it. Gates reject what repeats, what is not backed by its evidence, and
votes that their own voter's role, or the evidence, speaks against; what is rejected is asked for again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from madbench.agents import Episode
from madbench.protocols.roundtable_chair import Manner
from madbench.protocols.roundtable_decision import propose, vote
from madbench.protocols.roundtable_discussion import discuss
from madbench.protocols.roundtable_forms import PERSONAS
from madbench.protocols.roundtable_gates import Gates
from madbench.protocols.roundtable_table import Table
from madbench.protocols.roundtable_votes import Threshold, carried
from madbench.types import Edge, InputError, Outcome, Problem, ProtocolSettings


@dataclass(frozen=True, kw_only=True)
class Roundtable(ProtocolSettings):
    """`debate_rounds` are rounds of discussion, all of which take place. `personas` sit in this order, and the first
    drafts the proposal. Where nothing passes, the answer is `fallback`, if the task lists it among its answers, else
    there is none.
    """

    personas: Sequence[str] = PERSONAS
    debate_rounds: int = 8
    threshold: Threshold = "majority"
    fallback: str = "none of these"
    gates: Gates = field(default_factory=Gates)
    manner: Manner = field(default_factory=Manner)
    plays: ClassVar[tuple[str, ...]] = PERSONAS
    edges: ClassVar[tuple[Edge, ...]] = tuple(
        Edge(f"{voter}/Vote", f"{other}/Ballot") for voter in PERSONAS for other in PERSONAS if voter != other
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        seated = list(self.personas)
        if not seated or len(set(seated)) < len(seated) or set(seated) - set(PERSONAS):
            raise InputError(f"protocol.personas: {seated}; wanted some of {list(PERSONAS)}, each once")
        if self.debate_rounds < 0:
            raise InputError(f"protocol.debate_rounds: {self.debate_rounds}; wanted 0 or more")

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        table = Table(
            problem,
            episode,
            personas=self.personas,
            gates=self.gates,
            manner=self.manner,
            nothing=self.fallback,
        )
        for _ in range(self.debate_rounds):
            await discuss(table)
        proposal = await propose(table)
        votes = [] if proposal is None else await vote(table, proposal)
        passed = carried(votes, self.threshold)
        return table.log.outcome(proposal, passed=passed, fallback=table.nothing)
