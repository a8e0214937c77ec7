"""The court of a judged debate: who is given the floor, who asks, and who rules, always in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from madbench.agents import Episode, together
from madbench.protocols.judged_debate_booth import FRESH, Booth
from madbench.protocols.judged_debate_case import Case, Spoken, transcript
from madbench.protocols.judged_debate_forms import Asked, SwappedVerdict, Verdict
from madbench.protocols.judged_debate_rulings import Ruling, outcome_of, rulings_facts, speech_facts
from madbench.protocols.judged_debate_seen import Examined, Floor, Judged, Room
from madbench.protocols.judged_debate_speech import Speaking
from madbench.types import FormatError, Outcome, Problem

Speeches = list[Spoken]


@dataclass
class Court:
    """One problem's: all its speeches in the order of rounds and sides, and its rulings."""

    problem: Problem
    episode: Episode
    speaking: Speaking
    room: Room
    speeches: Speeches = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.case = Case.of(self.problem)
        self.judge = self.episode.agent("judge", sees=Judged, says=Verdict, memory=FRESH)

    async def speak(
        self, side: int, number: int, before: Sequence[Spoken], *, alone: bool, asked: str = ""
    ) -> Spoken:
        """One side's speech in a round, on what was said `before`."""
        case = self.case
        seen = Floor(
            passage=case.passage,
            question=case.stem,
            mine=case.options[side],
            other=case.options[1 - side],
            alone=alone,
            transcript=transcript(case, before),
            asked=asked,
            room=self.room,
        )
        said = await self.speaking.speech(Booth(case, self.episode, side, number, self.room.words), seen)
        most = self.room.words * 3 // 2
        spoken = Spoken.of(case, said, side=side, round=number, question=asked, most=most)
        self.speeches.append(spoken)
        return spoken

    async def examine(self, side: int, number: int, before: Sequence[Spoken]) -> str:
        """A question to one side, by somebody who knows as little as the judge."""
        seen = Examined(
            question=self.case.stem, answer=self.case.options[side], transcript=transcript(self.case, before)
        )
        examiner = self.episode.agent("examiner", sees=Examined, says=Asked, seat=side, memory=FRESH)
        return (await examiner.ask(seen, round=number)).question

    async def rule(self, speeches: Sequence[Spoken], *, passage: str = "", alone: int | None = None) -> None:
        """Two rulings on the same speeches: options and speeches in the question's order, and swapped.

        One seat gives all rulings of an episode and remembers none, so that no order is one model's own. `alone` is
        the side of a consultant.
        """
        self.rulings += await together(
            *(self._ruling(speeches, passage, alone, swapped=swapped) for swapped in (False, True))
        )

    async def _ruling(
        self, speeches: Sequence[Spoken], passage: str, alone: int | None, *, swapped: bool
    ) -> Ruling:
        case = self.case
        seen = Judged(
            question=case.stem,
            options=case.options[::-1] if swapped else case.options,
            transcript=transcript(case, speeches, swapped=swapped),
            passage=passage,
        )
        judge = self.judge.also(sees=Judged, says=SwappedVerdict if swapped else Verdict)
        order = "B" if swapped else "A", None if alone is None else "AB"[alone]
        with suppress(FormatError):
            said = await judge.ask(seen, round=max((speech.round for speech in speeches), default=0))
            return Ruling.of(said.found.answer, *order, judge.probability)
        return Ruling(None, *order)

    def outcome(self) -> Outcome:
        facts = rulings_facts(self.rulings) | speech_facts(self.speeches, self.rulings)
        return outcome_of(self.rulings, facts, self.episode.tie_seed)
