"""Tribunal: propose apart, critique and rank all proposals, count the rankings, and let a declared policy decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from madbench.agents import Episode
from madbench.protocols.tribunal_bench import Judgement, Reading, concerns_of
from madbench.protocols.tribunal_forms import ABOVE
from madbench.protocols.tribunal_hall import Hall, Proposals
from madbench.protocols.tribunal_log import Log
from madbench.protocols.tribunal_policy import Policy, Proceed
from madbench.types import Edge, InputError, Outcome, Problem, ProtocolSettings

MOST = 6
"""Members: the form of a ranking lists every order of them."""


@dataclass(frozen=True, kw_only=True)
class Tribunal(ProtocolSettings):
    """`members` maps names to views; `debate_rounds` counts the rounds of critique, to which the policy may add one.

    A member that cannot be read is not asked again: without a proposal it is out, without a critique it is out of
    the count. Fewer than two proposals: no debate. Nobody in the room chooses: the rankings are counted in code.
    """

    members: Mapping[str, str]
    debate_rounds: int = 1
    reading: Reading = field(default_factory=Reading)
    policy: Policy = field(default_factory=Proceed)
    document: bool = False
    plays: ClassVar[tuple[str, ...]] = ("member", "author")
    edges: ClassVar[tuple[Edge, ...]] = (Edge("member/Proposal", "member/Brief"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.debate_rounds < 0 or len(self.members) > MOST:
            found = f"debate_rounds={self.debate_rounds} and {len(self.members)} members"
            raise InputError(f"protocol: {found}; wanted 0 or more, and at most {MOST}")
        if unfit := [name for name in self.members if ABOVE.strip() in name or not name.strip()]:
            raise InputError(
                f"protocol.members: {unfit}; wanted names without {ABOVE.strip()!r}, which ranks them"
            )
        if "repair" in str(self.roles.get("member", {}).get("contract", "")):
            raise InputError(
                "protocol.roles.member.contract.enforcement: repair asks again, and a tribunal's members are never "
                "asked again; wanted prompt or grammar"
            )

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        hall = Hall(problem, episode, self.members, self.reading)
        log, last = Log(hall.names), list[Judgement]()
        proposals = log.proposed(await self.propose(hall))
        if len(proposals) < 2:
            return log.skipped(proposals)
        for _ in range(self.debate_rounds):
            last = log.criticised(await hall.critique(proposals, last), proposals)
        count = hall.count(proposals, last)
        if last and self.policy.another_round(count):
            last = log.criticised(await hall.critique(proposals, last), proposals)
            count = hall.count(proposals, last)
        chosen = log.decided(count, self.policy.pick(count, concerns_of(last)), self.policy)
        if self.document:
            log.documented(await hall.document(chosen, proposals, count, last))
        return log.outcome(proposals[chosen].found.answer, count, last)

    async def propose(self, hall: Hall) -> Proposals:
        return await hall.propose_apart()


@dataclass(frozen=True, kw_only=True)
class SequentialTribunal(Tribunal):
    """Proposals are shared one by one, which a tribunal must not do: an arm that measures anchoring."""

    edges: ClassVar[tuple[Edge, ...]] = ()

    async def propose(self, hall: Hall) -> Proposals:
        return await hall.propose_in_turn()
