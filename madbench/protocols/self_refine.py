"""Self-Refine (Madaan et al., 2023): answer, get feedback on the answer, refine it, until the feedback says stop."""

from dataclasses import dataclass
from typing import Literal

from madbench.agents import Episode, Memory
from madbench.protocols.replies import Form, Short, Statement
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


class Feedback(Form):
    """Advice on a draft. `verdict` alone ends the refining; words of praise in the advice do not."""

    advice: Short
    verdict: Literal["revise", "keep"]


class Criticised(Observation):
    """The advice on a solver's last reply."""

    advice: str
    instruction: str


@dataclass(frozen=True, kw_only=True)
class SelfRefine(ProtocolSettings):
    """At most `refinements` rounds of feedback and refinement, each a call of its own.

    The critic sees the question and the current reply, the solver all it said and was told. `asserting`
    tells the critic that there is an error, as the paper's prompt for arithmetic does. Feedback that no
    repair made readable is neither advice nor a stop: it uses up its round, and the reply stands.
    """

    refinements: int = 4
    asserting: bool = False
    plays = ("solver", "critic")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.refinements < 0:
            raise InputError(f"protocol.refinements: {self.refinements}; wanted 0 or more")

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        solver = episode.agent("solver", sees=Asked, says=Statement)
        refiner = solver.also(sees=Criticised, says=Statement)
        sees = FaultyDraft if self.asserting else Draft
        critic = episode.agent("critic", sees=sees, says=Feedback, memory=Memory(keep="nothing"))
        replies = [await solver.ask(Asked(prompt=problem.prompt))]
        stop = StopReason.MAX_ROUNDS
        for number in range(1, self.refinements + 1):
            try:
                feedback = await critic.ask(
                    sees(question=problem.question, reply=replies[-1].text), round=number
                )
            except FormatError:
                continue
            if feedback.verdict == "keep":
                stop = StopReason.NO_OBJECTION
                break
            seen = Criticised(advice=feedback.advice, instruction=problem.reader.instruction)
            replies.append(await refiner.ask(seen, round=number))
        return Outcome(replies[-1].answer, tuple((reply.answer,) for reply in replies), stop)
