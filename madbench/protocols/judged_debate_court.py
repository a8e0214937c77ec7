"""The court of a judged debate: who is given the floor, who asks, and who rules, always in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from pydantic import JsonValue

from madbench.agents import Episode, together
from madbench.metrics.votes import majority
from madbench.protocols.judged_debate_case import Case, Spoken, transcript
from madbench.protocols.judged_debate_seen import Asked, Examined, Floor, Judged, SwappedVerdict, Verdict
from madbench.protocols.judged_debate_speech import FRESH, Booth, Speaking
from madbench.types import FormatError, Outcome, Problem, StopReason

Speeches = list[Spoken]


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict: the option in the question's letters, whether the first shown was chosen, and P(A) if known."""

    answer: str
    first: bool
    probability_a: float | None


@dataclass
class Court:
    """One problem's: all its speeches in the order of rounds and sides, and its rulings."""

    problem: Problem
    episode: Episode
    speaking: Speaking
    words: int
    speeches: Speeches = field(default_factory=list)
    rulings: list[Ruling | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.case = Case.of(self.problem)

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
            words=self.words,
        )
        said = await self.speaking.speech(Booth(case, self.episode, side, number), seen)
        most = self.words * 3 // 2
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

    async def rule(self, speeches: Sequence[Spoken], *, passage: str = "", seat: int = 0) -> None:
        """Two rulings on the same speeches: options and speeches in the question's order, and swapped."""
        number = max((speech.round for speech in speeches), default=0)
        orders = ((Verdict, False), (SwappedVerdict, True))
        self.rulings += await together(
            *(self._ruling(speeches, says, passage, (2 * seat + swapped, number)) for says, swapped in orders)
        )

    async def _ruling(
        self, speeches: Sequence[Spoken], says: type[Verdict], passage: str, place: tuple[int, int]
    ) -> Ruling | None:
        swapped, case = says is SwappedVerdict, self.case
        seen = Judged(
            question=case.stem,
            options=case.options[::-1] if swapped else case.options,
            transcript=transcript(case, speeches, swapped=swapped),
            passage=passage,
        )
        judge = self.episode.agent("judge", sees=Judged, says=says, seat=place[0], memory=FRESH)
        try:
            answer = (await judge.ask(seen, round=place[1])).found.answer
        except FormatError:
            return None
        if answer is None:
            return None
        sure = judge.probability
        return Ruling(
            answer, (answer == "A") is not swapped, sure if answer == "A" or sure is None else 1 - sure
        )

    def outcome(self) -> Outcome:
        """The commonest ruling (ties by seed), sure to the mean of the orders; a ruling that cannot be read counts as
        none. `tied` lists all rulings where they differ, so that accuracy over ties is accuracy over orders.
        """
        answers = tuple(None if ruling is None else ruling.answer for ruling in self.rulings)
        vote = majority(answers, seed=self.episode.tie_seed)
        known = [
            ruling.probability_a for ruling in self.rulings if ruling and ruling.probability_a is not None
        ]
        sure = fmean(known) if known else None
        confidence = (
            {}
            if sure is None or vote.answer is None
            else {"judge_probability": sure if vote.answer == "A" else 1 - sure}
        )
        tied: list[JsonValue] = [answer for answer in answers if answer] if len(set(answers)) > 1 else []
        return Outcome(
            vote.answer, (answers,), StopReason.MAX_ROUNDS, confidence, facts={"tied": tied, **self._facts()}
        )

    def _facts(self) -> dict[str, JsonValue]:
        given = [ruling for ruling in self.rulings if ruling]
        pairs = list(zip(self.rulings[::2], self.rulings[1::2], strict=True))
        read = [(one, other) for one, other in pairs if one and other]
        quoted = sum(speech.quoted for speech in self.speeches)
        return {
            "chose_the_first_shown": fmean(ruling.first for ruling in given) if given else None,
            "order_flips": fmean(one.answer != other.answer for one, other in read) if read else None,
            "quotes": quoted,
            "quotes_verified": sum(speech.verified for speech in self.speeches) / quoted if quoted else None,
            "speeches_cut": sum(speech.cut for speech in self.speeches),
        }
