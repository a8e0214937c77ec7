"""Debate with summaries between (Du et al., 2023): with many agents, each hears what the others said in a summary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from madbench.agents import Agent, Episode, Memory
from madbench.protocols.debate import Debate, Exchange, Hears
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.tasks.answers import visible
from madbench.types import Edge, InputError, Observation, Outcome, Problem, Reply


class Overheard(Observation):
    """What the peers of one seat said last, for a summariser who was not there before and has no view of its own."""

    question: str
    peers: tuple[str, ...]


class Summarised(Observation):
    """What the others said last, as the summariser tells it."""

    prompt: str
    summary: str


class Summary(Reply):
    """What others said, told by somebody else; private reasoning excepted."""

    text: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        return cls(text=visible(text))


@dataclass(frozen=True, kw_only=True)
class SummarisedDebate(Debate):
    """A debate whose seats never read each other: before a seat is asked again, a summariser of its own reads its
    peers' replies, and the seat reads that summary. A call more for every one that revises.
    """

    plays = ("solver", "summariser")
    edges = (*Debate.edges, Edge("solver", "solver/Summarised", via="Summary"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hearing.memory != "full_history":
            raise InputError("protocol.hearing.memory: a debate that is summarised needs full_history")

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        outcome = await super().__call__(problem, episode)
        return replace(outcome, facts={**outcome.facts, "go_between": "summariser"})

    def hears(self, agent: Agent[Asked, Statement], episode: Episode, seat: int) -> Hears:
        """How a seat is told: in a summary, unless there is nothing to sum up."""
        silence = super().hears(agent, episode, seat)
        memory = Memory(keep="nothing")
        between = episode.agent("summariser", sees=Overheard, says=Summary, seat=seat, memory=memory)

        async def told(seen: Exchange, round: int) -> Statement:
            if not seen.peers:
                return await silence(seen, round)
            said = await between.ask(Overheard(question=seen.prompt, peers=seen.peers), round=round)
            brief = Summarised(prompt=seen.prompt, summary=said.text)
            return await agent.also(sees=Summarised, says=Statement).ask(brief, round=round)

        return told
