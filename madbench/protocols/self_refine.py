"""Self-Refine (Madaan et al., 2023): answer, get feedback on the answer, refine it, until the feedback says stop."""

from dataclasses import dataclass

from pydantic import JsonValue

from madbench.agents import Episode, Memory
from madbench.protocols.replies import Statement
from madbench.protocols.self_refine_rated import Feedback, Keep, RatedDraft, Rating, given
from madbench.protocols.solver import Asked
from madbench.types import (
    FormatError,
    InputError,
    Observation,
    Outcome,
    Problem,
    ProtocolSettings,
    StopReason,
)


class Draft(Observation):
    """A question and a reply to it, for a critic who is told nothing about the reply."""

    question: str
    reply: str


class FaultyDraft(Draft):
    """The same, for a critic who is told that the reply holds an error."""


class Criticised(Observation):
    """The advice on a solver's last reply."""

    advice: str
    instruction: str


@dataclass(frozen=True, kw_only=True)
class SelfRefine(ProtocolSettings):
    """At most `refinements` rounds of feedback and refinement, each a call of its own.

    The critic sees the question and the current reply, the solver all it said and was told. `asserting`
    tells the critic that there is an error, as the paper's prompt for arithmetic does. Feedback that no
    repair made readable is neither advice nor a stop: it uses up its round, and the reply stands. `keep` says
    whose answer is given: that of the final reply, of the first (a control), or of the earliest that the critic
    scored highest, for which the last reply is scored in a call more.
    """

    refinements: int = 4
    asserting: bool = False
    keep: Keep = "final"
    plays = ("solver", "critic")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.refinements < 0:
            raise InputError(f"protocol.refinements: {self.refinements}; wanted 0 or more")
        if self.asserting and self.rated:
            raise InputError(
                "protocol.keep: best_by_own_score wants a critic who is told nothing: asserting: false"
            )

    @property
    def rated(self) -> bool:
        return self.keep == "best_by_own_score"

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        solver = episode.agent("solver", sees=Asked, says=Statement)
        refiner = solver.also(sees=Criticised, says=Statement)
        sees = FaultyDraft if self.asserting else RatedDraft if self.rated else Draft
        says = Rating if self.rated else Feedback
        critic = episode.agent("critic", sees=sees, says=says, memory=Memory(keep="nothing"))
        replies = [await solver.ask(Asked(prompt=problem.prompt))]
        stop, scores = StopReason.MAX_ROUNDS, dict[int, int]()
        for number in range(1, self.refinements + 1 + self.rated):
            try:
                feedback = await critic.ask(
                    sees(question=problem.question, reply=replies[-1].text), round=number
                )
            except FormatError:
                continue
            if isinstance(feedback, Rating):
                scores[len(replies) - 1] = feedback.score
            if feedback.verdict == "keep":
                stop = StopReason.NO_OBJECTION
                break
            if number > self.refinements:
                break
            seen = Criticised(advice=feedback.advice, instruction=problem.reader.instruction)
            replies.append(await refiner.ask(seen, round=number))
        kept = given(self.keep, scores, last=len(replies) - 1)
        facts: dict[str, JsonValue] = {} if self.keep == "final" else {"kept": kept}
        return Outcome(replies[kept].answer, tuple((reply.answer,) for reply in replies), stop, facts=facts)
