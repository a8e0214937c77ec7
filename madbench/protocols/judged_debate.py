"""Judged debate (Khan et al., 2024): two who know a passage argue for two answers; a judge who does not know it rules.

Every verdict is given in both orders of the options. Consultancy has one side speak; without speeches a judge is
blind, with the passage an expert.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from madbench.agents import Episode, together
from madbench.protocols.judged_debate_case import Case, Spoken
from madbench.protocols.judged_debate_court import Court
from madbench.protocols.judged_debate_seen import Room
from madbench.protocols.judged_debate_speech import Once, Speaking
from madbench.types import Edge, InputError, Outcome, Problem, ProtocolSettings


@dataclass(frozen=True, kw_only=True)
class Judged(ProtocolSettings):
    """`debate_rounds` are rounds of speeches, each of at most one and a half times `words` words.

    `interactive`: from the second round on, an examiner who knows as little as the judge asks each side first.
    `brief`: debaters are shown no form, which small models would copy; their grammar holds it.
    """

    debate_rounds: int = 3
    interactive: bool = False
    words: int = 100
    brief: bool = False
    speaking: Speaking = field(default_factory=Once)
    plays: ClassVar[tuple[str, ...]] = ("debater", "examiner", "preference", "critic", "judge")
    edges: ClassVar[tuple[Edge, ...]] = tuple(
        Edge("passage", deaf, via="Speech") for deaf in ("judge", "examiner", "preference", "critic")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.debate_rounds < 1 or self.words < 1:
            found = f"debate_rounds={self.debate_rounds} words={self.words}"
            raise InputError(f"protocol: {found}; wanted 1 or more")

    def admit(self, problem: Problem) -> None:
        Case.of(problem)

    def court(self, problem: Problem, episode: Episode) -> Court:
        return Court(problem, episode, self.speaking, Room(words=self.words, brief=self.brief))

    async def turn(self, court: Court, side: int, before: list[Spoken], *, alone: bool = False) -> Spoken:
        """One side's turn, the examiner's question included."""
        number = max((speech.round + 1 for speech in before if speech.side == side), default=0)
        asked = await court.examine(side, number, before) if self.interactive and number else ""
        return await court.speak(side, number, before, alone=alone, asked=asked)


@dataclass(frozen=True, kw_only=True)
class JudgedDebate(Judged):
    """Both sides speak: at once, on the rounds before, or (from the second round on) the second after the first."""

    schedule: Literal["simultaneous", "sequential"] = "simultaneous"

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        court, said = self.court(problem, episode), list[Spoken]()
        for number in range(self.debate_rounds):
            if self.schedule == "simultaneous" or number == 0:
                said += await together(*(self.turn(court, side, said) for side in (0, 1)))
            else:
                said.append(await self.turn(court, 0, said))
                said.append(await self.turn(court, 1, said))
        await court.rule(said)
        return court.outcome()


@dataclass(frozen=True, kw_only=True)
class Consultancy(Judged):
    """One consultant speaks; each option has a consultant of its own, ruled on by itself."""

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        court = self.court(problem, episode)

        async def consult(side: int) -> list[Spoken]:
            said: list[Spoken] = []
            for _ in range(self.debate_rounds):
                said.append(await self.turn(court, side, said, alone=True))
            return said

        for side, said in enumerate(await together(consult(0), consult(1))):
            await court.rule(said, alone=side)
        return court.outcome()


@dataclass(frozen=True, kw_only=True)
class Unaided(ProtocolSettings):
    """A judge alone: blind, or shown the passage (an expert)."""

    sees_passage: bool = False
    plays: ClassVar[tuple[str, ...]] = ("judge",)

    def admit(self, problem: Problem) -> None:
        Case.of(problem)

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        court = Court(problem, episode, Once(), Room(words=1))
        await court.rule([], passage=court.case.passage if self.sees_passage else "")
        return court.outcome()
