"""Self-consistency (Wang et al., 2023): sample several answers alone, take the commonest."""

from dataclasses import dataclass

from pydantic import JsonValue

from madbench.agents import Episode, together
from madbench.metrics.votes import TieRule
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.protocols.tally import prefixes, tally
from madbench.types import InputError, Outcome, Problem, ProtocolSettings, StopReason


@dataclass(frozen=True, kw_only=True)
class SelfConsistency(ProtocolSettings):
    """`votes` decide the answer. The pool goes on to `pool` votes, charged to nobody, so that any arm can be
    compared with as many votes as it made calls.
    """

    votes: int = 6
    pool: int = 16
    tie: TieRule = "random"
    plays = ("solver",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.votes < 1:
            raise InputError(f"protocol.votes: {self.votes}; wanted 1 or more")

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        pool = max(self.votes, self.pool)
        voters = episode.agents("solver", self.votes, sees=Asked, says=Statement)
        voters += episode.uncharged.agents("solver", pool, sees=Asked, says=Statement)[self.votes :]
        said = await together(*(voter.ask(Asked(prompt=problem.prompt)) for voter in voters))
        answers = tuple(statement.answer for statement in said)
        vote = tally(problem, answers[: self.votes], seed=episode.tie_seed, tie=self.tie)
        share = {} if vote.share is None else {"vote_share": vote.share}
        facts: dict[str, JsonValue] = {"tied": list(vote.tied), **prefixes(problem, answers)}
        return Outcome(vote.answer, (answers,), StopReason.MAX_ROUNDS, share, facts=facts)
