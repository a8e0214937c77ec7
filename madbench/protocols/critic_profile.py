"""Critic and profile (MADCAP): a judge stands between an answerer and its critic, and notes what tends to go wrong.

The judge puts the question in neutral words and restates every reply; the critic, new to each question, hears
restatements alone. The judge rules on these, and notes at most one tendency for critics of later questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from madbench.agents import Episode
from madbench.protocols.critic_profile_forms import Criticism, Heard
from madbench.protocols.critic_profile_seen import Critic, Exchange
from madbench.protocols.critic_profile_sitting import Said, Sitting
from madbench.protocols.critic_profile_state import FORMS, State, bottleneck
from madbench.protocols.critic_profile_table import Seating
from madbench.protocols.profile import Profile, Rules
from madbench.types import Edge, InputError, Outcome, Problem, ProtocolSettings, StopReason


@dataclass(frozen=True, kw_only=True)
class CriticProfile(ProtocolSettings):
    """`debate_rounds` bounds the exchanges after the first answer, `nudges` the asks for a neutral question after
    the first. One critic for each entry of `critics`, told to look at that alone; they never hear one another.
    """

    session: int = 8
    debate_rounds: int = 3
    nudges: int = 3
    critics: Sequence[str] = ("",)
    critic_memory: Literal["question", "session"] = "question"
    forms: Literal["full", "brief", "structured", "marked"] = "full"
    rules: Rules = field(default_factory=Rules)
    plays: ClassVar[tuple[str, ...]] = ("answerer", "critic", "judge")
    edges: ClassVar[tuple[Edge, ...]] = bottleneck()
    judges: ClassVar[tuple[str, str]] = ("judge", "judge")

    def begin(self) -> State:
        return State(profile=self.rules.fresh())

    async def __call__(self, problem: Problem, episode: Episode, state: State) -> tuple[Outcome, State]:
        sitting = Sitting(problem, episode, state, self._seating(problem, state))
        if not await self.rephrase(sitting):
            return sitting.log.aborted(), state
        said: Said = await sitting.answer()
        heard = await self.restate(sitting, said)
        opening, exchanges, stop = self.to_arbiter(said, heard), list[Exchange](), StopReason.MAX_ROUNDS
        while sitting.round < self.debate_rounds:
            criticisms = await sitting.criticise(self.to_critic(said, heard))
            objections = tuple(each.objection for each in criticisms if not each.done)
            if not objections:
                exchanges, stop = [*exchanges, *self.parting(criticisms)], StopReason.NO_OBJECTION
                break
            said = await sitting.respond(objections)
            heard = await self.restate(sitting, said)
            exchanges.append(Exchange(objections=objections, response=self.to_arbiter(said, heard)))
        verdict = await sitting.rule(opening, exchanges)
        profile = await self.note(sitting, exchanges, state.profile)
        outcome = sitting.log.outcome(verdict, stop, self.rules, profile)
        return outcome, sitting.after(profile, critics_too=self.critic_memory == "session")

    async def rephrase(self, sitting: Sitting) -> bool:
        """Nobody is there to clarify anything, and the judge is told so; without a question there is no debate."""
        ready = False
        while not ready and sitting.asks <= self.nudges:
            ready = await sitting.rephrase()
        return ready

    async def restate(self, sitting: Sitting, said: Said) -> Heard:
        """An unreadable restatement ends the episode: nothing passes in its place."""
        return await sitting.restate(said)

    async def note(self, sitting: Sitting, exchanges: Sequence[Exchange], profile: Profile) -> Profile:
        """At most one note, and only where there was criticism."""
        tendency = await sitting.note(exchanges) if exchanges and self.rules.keeps else None
        return sitting.log.noted(*self.rules.add(profile, tendency)) if tendency else profile

    def to_critic(self, said: Said, heard: Heard) -> Heard:
        return heard

    def to_arbiter(self, said: Said, heard: Heard) -> Heard:
        return heard

    def parting(self, criticisms: Sequence[Criticism]) -> list[Exchange]:
        """What critics who are done leave for the verdict: nothing, since it is no objection."""
        return []

    def _seating(self, problem: Problem, state: State) -> Seating:
        seen = {"earlier": state.earlier(problem.question), "tendencies": self.rules.active(state.profile)}
        critics = tuple(Critic(focus=focus, **seen) for focus in self.critics)
        return Seating(FORMS[self.forms], self.judges, critics)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.debate_rounds < 0 or self.nudges < 0 or not self.critics:
            raise InputError("protocol: wanted debate_rounds >= 0, nudges >= 0 and at least one critic")
