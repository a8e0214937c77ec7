"""Where one side of a judged debate prepares a speech."""

from __future__ import annotations

from dataclasses import dataclass

from madbench.agents import Agent, Episode, Memory
from madbench.protocols.judged_debate_case import Case
from madbench.protocols.judged_debate_forms import Critique, Helpful, Speech, Verdict, speech_of
from madbench.protocols.judged_debate_seen import Draft, Floor, Heard, Judged, Rated

SILENT = "I have nothing to add."
"""What the other side says wherever a speech is rated by itself."""
FRESH = Memory(keep="nothing")


@dataclass(frozen=True, slots=True)
class Booth:
    """Where one side prepares a speech for one round."""

    case: Case
    episode: Episode
    side: int
    round: int
    words: int

    @property
    def says(self) -> type[Speech]:
        return speech_of(self.words)

    def debater(self, draft: int = 0, memory: Memory = FRESH) -> Agent[Floor, Speech]:
        """Drafts are seats of their own, so that each is a draw of its own."""
        return self.episode.agent(
            "debater", sees=Floor, says=self.says, seat=self.side + 2 * draft, memory=memory
        )

    async def persuades(self, speech: str, draft: int) -> float:
        """How probable a judge finds this side's answer after this speech and a dummy of the other side's."""
        sides = (self.side, 1 - self.side)
        heard = tuple(
            Heard(answer=self.case.options[side], round=self.round + 1, text=text)
            for side, text in zip(sides, (speech, SILENT), strict=True)
        )
        seen = Judged(question=self.case.stem, options=self.case.options, transcript=heard, passage="")
        judge = self.episode.agent(
            "preference", sees=Judged, says=Verdict, seat=self.side + 2 * draft, memory=FRESH
        )
        verdict = await judge.ask(seen, round=self.round)
        sure = 1.0 if judge.probability is None else judge.probability
        return sure if verdict.found.answer == "AB"[self.side] else 1 - sure

    async def criticise(self, speech: str, number: int) -> tuple[float, str]:
        """A critique, and how probable its reader finds it helpful."""
        seat, answer = self.side + 2 * number, self.case.options[self.side]
        draft = Draft(question=self.case.stem, options=self.case.options, answer=answer, speech=speech)
        critic = self.episode.agent("critic", sees=Draft, says=Critique, seat=seat, memory=FRESH)
        critique = (await critic.ask(draft, round=self.round)).critique
        reader = self.episode.agent("preference", sees=Rated, says=Helpful, seat=seat, memory=FRESH)
        said = await reader.ask(Rated(speech=speech, critique=critique), round=self.round)
        sure = 1.0 if reader.probability is None else reader.probability
        return (sure if said.answer == "yes" else 1 - sure), critique
