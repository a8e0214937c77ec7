"""Multi-agent debate (Du et al., 2023; Choi et al., 2025): answer alone, read the others', answer again, vote."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from madbench.agents import Agent, Episode, together
from madbench.metrics.votes import TieRule
from madbench.protocols.hearing import Hearing
from madbench.protocols.replies import Statement
from madbench.protocols.revision import Always, Revision
from madbench.protocols.solver import Asked
from madbench.protocols.tally import tally
from madbench.types import Edge, InputError, Observation, Outcome, Problem, ProtocolSettings, StopReason


class Persona(Observation):
    """Who a seat is told to be, before all else."""

    description: str


class Exchange(Observation):
    """What the others said last, if anybody did; `own` is the seat's last reply where it has no memory of it."""

    prompt: str
    own: str
    peers: tuple[str, ...]


Hears = Callable[[Exchange, int], Awaitable[Statement]]
"""Asks one seat again, told what it hears in this round."""


@dataclass(frozen=True, kw_only=True)
class Debate(ProtocolSettings):
    """`debate_rounds` counts the exchanges after the independent round 0; all of them take place.

    `peers` are the control arms: heard (real), silent, each seat asked again and told nothing (none), or
    replaced by a debate about another question (other_question). The last answers of all seats, or of
    seat 0 alone (`decides`), are counted.
    """

    agents: int = 3
    debate_rounds: int = 1
    hearing: Hearing = field(default_factory=Hearing)
    peers: Literal["real", "none", "other_question"] = "real"
    revision: Revision = field(default_factory=Always)
    personas: Sequence[str] = ()
    decides: Literal["all", "first"] = "all"
    tie: TieRule = "random"
    plays: ClassVar[tuple[str, ...]] = ("solver",)
    edges: ClassVar[tuple[Edge, ...]] = (Edge("solver", "solver/Asked"),)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agents < 1 or self.debate_rounds < 0:
            raise InputError(f"protocol: agents={self.agents} debate_rounds={self.debate_rounds}; least 1, 0")
        if self.revision != Always() and (self.peers != "real" or self.hearing.memory != "last_only"):
            raise InputError("protocol.revision: such a rule needs peers: real and hearing.memory: last_only")

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        rounds = await self.rounds(problem, episode)
        positions = tuple(tuple(statement.answer for statement in said) for said in rounds)
        voters = positions[-1] if self.decides == "all" else positions[-1][:1]
        vote = tally(problem, voters, seed=episode.tie_seed, tie=self.tie)
        share = {} if vote.share is None or self.decides == "first" else {"vote_share": vote.share}
        end = StopReason.MAX_ROUNDS
        return Outcome(vote.answer, positions, end, share, facts={"tied": [*vote.tied], "peers": self.peers})

    async def rounds(self, problem: Problem, episode: Episode) -> list[list[Statement]]:
        """What every seat says, round by round."""
        strangers: list[list[Statement]] = []
        if self.peers == "other_question":  # such a debate, an exchange behind
            behind = replace(self, peers="real", debate_rounds=max(self.debate_rounds - 1, 0))
            strangers = await behind.rounds(*episode.elsewhere)
        seats = [self._seat(episode, seat) for seat in range(self.agents)]
        hears = [self.hears(seat, episode, number) for number, seat in enumerate(seats)]
        rounds = [await together(*(seat.ask(Asked(prompt=problem.prompt)) for seat in seats))]

        async def revise(seat: int, said: Sequence[Statement]) -> Statement:
            if settled := self.revision.settled(seat, rounds, episode.tie_seed):
                return settled
            own = said[seat].text if self.hearing.memory == "last_only" else ""
            peers = self.hearing.words(seat, strangers[len(rounds) - 1] if strangers else said)
            seen = Exchange(prompt=problem.prompt, own=own, peers=() if self.peers == "none" else peers)
            return await hears[seat](seen, len(rounds))

        for _ in range(self.debate_rounds):
            rounds.append(await self.hearing.exchange(rounds[-1], revise))
        return rounds

    def hears(self, agent: Agent[Asked, Statement], episode: Episode, seat: int) -> Hears:
        """How a seat is told: as it was said."""
        return lambda seen, round: agent.also(sees=Exchange, says=Statement).ask(seen, round=round)

    def _seat(self, episode: Episode, seat: int) -> Agent[Asked, Statement]:
        who = Persona(description=self.personas[seat % len(self.personas)]) if self.personas else None
        memory = self.hearing.fresh_memory
        return episode.agent("solver", sees=Asked, says=Statement, seat=seat, system=who, memory=memory)
