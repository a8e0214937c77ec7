"""One question's sitting: what each at the table is shown when asked."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.agents import Episode, together
from madbench.protocols import critic_profile_seen as seen
from madbench.protocols.critic_profile_forms import Criticism, Heard, Response, Verdict
from madbench.protocols.critic_profile_log import Log
from madbench.protocols.critic_profile_state import State
from madbench.protocols.critic_profile_table import Seating, seated
from madbench.protocols.profile import Profile
from madbench.protocols.replies import Statement
from madbench.types import FormatError, Problem

Said = Statement | Response


class Sitting:
    """`question` is the neutral question, once there is one; `round` counts the exchanges, `asks` those for it."""

    def __init__(self, problem: Problem, episode: Episode, state: State, seating: Seating) -> None:
        self.problem, self.question, self.round = problem, "", 0
        self.log, self.table = Log(seating.judges), seated(episode, problem.question, state, seating)
        self._before, self._says, self._manner = state, seating.forms, seating.forms.manner
        self.asks, self._unclear = 0, list[str]()

    async def rephrase(self) -> bool:
        """One ask for a neutral question, told what the last lacked. Whether there is one now."""
        shown = seen.Question(
            question=self.problem.question,
            unclear=tuple(self._unclear),
            again=self.asks > len(self._unclear),
            manner=self._manner,
        )
        self.asks += 1
        try:
            said = self.log.rephrased(shown.question, await self.table.mediator.ask(shown, round=0))
        except FormatError:
            self.log.nudged()
            return False
        if said.unclear:
            self._unclear.append(said.text)
        else:
            self.question = said.text
        return not said.unclear

    async def answer(self) -> Statement:
        shown = seen.Opening(question=self.question, instruction=self.problem.reader.instruction)
        return self.log.answered(await self.table.answerer.ask(shown, round=0))

    async def restate(self, said: Said) -> Heard:
        shown = seen.Reply(question=self.question, reply=said.text, manner=self._manner)
        restater = self.table.mediator.also(sees=seen.Reply, says=self._says.restatement)
        return self.log.restated(said.text, await restater.ask(shown, round=self.round))

    async def criticise(self, heard: Heard) -> list[Criticism]:
        shown = seen.Restated(question=self.question, heard=heard, manner=self._manner)
        asks = (critic.ask(shown, round=self.round) for critic in self.table.critics)
        return self.log.criticised(await together(*asks))

    async def respond(self, objections: tuple[str, ...]) -> Response:
        self.round += 1
        shown = seen.Objected(objections=objections, answer=self.problem.reader.schema(), manner=self._manner)
        defender = self.table.answerer.also(sees=seen.Objected, says=self._says.response)
        return self.log.answered(await defender.ask(shown, round=self.round))

    async def rule(self, opening: Heard, exchanges: Sequence[seen.Exchange]) -> Verdict:
        shown = seen.Case(
            question=self.question,
            opening=opening,
            exchanges=tuple(exchanges),
            answer=self.problem.reader.schema(),
            manner=self._manner,
        )
        arbiter = self.table.arbiter.also(sees=seen.Case, says=self._says.verdict)
        return self.log.ruled(await arbiter.ask(shown, round=self.round))

    async def note(self, exchanges: Sequence[seen.Exchange]) -> str | None:
        """A tendency, if the arbiter saw one. A note that cannot be read is none, and costs nobody the verdict."""
        shown = seen.Criticised(question=self.question, exchanges=tuple(exchanges), manner=self._manner)
        profiler = self.table.arbiter.also(sees=seen.Criticised, says=self._says.note)
        try:
            return (await profiler.ask(shown, round=self.round)).tendency
        except FormatError:
            return None

    def after(self, profile: Profile, *, critics_too: bool) -> State:
        """What outlives this question."""
        critics = tuple(critic.memory for critic in self.table.critics) if critics_too else ()
        questions = (*self._before.questions, self.question)
        return State(
            answerer=self.table.answerer.memory, critics=critics, questions=questions, profile=profile
        )
