"""How a speech comes about: said once, the best of several, or said again after the best critique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from madbench.agents import Agent, Episode, Memory, together
from madbench.protocols.judged_debate_case import Case
from madbench.protocols.judged_debate_seen import (
    Critique,
    Draft,
    Floor,
    Heard,
    Helpful,
    Judged,
    Rated,
    Retold,
    Speech,
    Verdict,
)
from madbench.types import InputError

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

    def debater(self, draft: int = 0, memory: Memory = FRESH) -> Agent[Floor, Speech]:
        """Drafts are seats of their own, so that each is a draw of its own."""
        return self.episode.agent(
            "debater", sees=Floor, says=Speech, seat=self.side + 2 * draft, memory=memory
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


class Speaking(Protocol):
    """A way to come to a speech."""

    async def speech(self, booth: Booth, seen: Floor) -> str: ...


@dataclass(frozen=True)
class Once:
    """The first thing said."""

    async def speech(self, booth: Booth, seen: Floor) -> str:
        return (await booth.debater().ask(seen, round=booth.round)).argument


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """Of `candidates` speeches the one after which a judge finds this side's answer most probable; ties: the first."""

    candidates: int = 4

    def __post_init__(self) -> None:
        _check("candidates", self.candidates)

    async def speech(self, booth: Booth, seen: Floor) -> str:
        drafts = range(self.candidates)
        said = await together(*(booth.debater(draft).ask(seen, round=booth.round) for draft in drafts))
        scores = await together(*(booth.persuades(said[draft].argument, draft) for draft in drafts))
        return said[scores.index(max(scores))].argument


@dataclass(frozen=True, kw_only=True)
class Refined:
    """Said again once, after the most helpful of so many `critiques`; the first if tied."""

    critiques: int = 4

    def __post_init__(self) -> None:
        _check("critiques", self.critiques)

    async def speech(self, booth: Booth, seen: Floor) -> str:
        debater = booth.debater(memory=Memory())
        draft = (await debater.ask(seen, round=booth.round)).argument
        found = await together(*(booth.criticise(draft, number) for number in range(self.critiques)))
        _, critique = max(found, key=lambda scored: scored[0])
        again = Retold(speech=draft, critique=critique, words=seen.words)
        return (await debater.also(sees=Retold, says=Speech).ask(again, round=booth.round)).argument


def _check(name: str, count: int) -> None:
    if count < 1:
        raise InputError(f"protocol.speaking.{name}: {count}; wanted 1 or more")
