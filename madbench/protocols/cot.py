"""A single chain of thought (Wei et al., 2022): one solver, one reply. The baseline of baselines."""

from dataclasses import dataclass

from madbench.agents import Episode
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.types import Outcome, Problem, ProtocolSettings, StopReason


@dataclass(frozen=True, kw_only=True)
class ChainOfThought(ProtocolSettings):
    plays = ("solver",)

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        solver = episode.agent("solver", sees=Asked, says=Statement)
        said = await solver.ask(Asked(prompt=problem.prompt))
        return Outcome(said.answer, ((said.answer,),), StopReason.MAX_ROUNDS)
