"""What follows from a judge's rulings, always given in both orders, and what the speeches were worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from madbench.metrics.kinship import choice
from madbench.metrics.votes import majority
from madbench.protocols.judged_debate_case import Spoken
from madbench.types import Outcome, StopReason


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict in the question's letters, None where it could not be read; the option that was `shown` first; of
    a consultancy the side that was `argued`; and P(A) if known.
    """

    answer: str | None
    shown: str
    argued: str | None = None
    probability_a: float | None = None

    @classmethod
    def of(cls, answer: str | None, shown: str, argued: str | None, probability: float | None) -> Ruling:
        """`probability` is that of the answer."""
        sure = None if answer is None or probability is None else probability
        return cls(answer, shown, argued, sure if answer == "A" or sure is None else 1 - sure)

    @property
    def facts(self) -> dict[str, JsonValue]:
        """What the judge's agreement with the gold is measured from."""
        return {"answer": self.answer, "shown": self.shown, "argued": self.argued}

    @property
    def choice(self) -> JsonValue:
        """Between the two debaters, who sit as their options stand; or for or against the consultant who argued."""
        sides = [side for side in "AB" if self.argued in (None, side)]
        return choice("judge/0", *((f"debater/{'AB'.index(s)}", s, float(s == self.answer)) for s in sides))


Rulings = Sequence[Ruling]
"""Pairs: in the question's order, and swapped."""


def outcome_of(rulings: Rulings, facts: dict[str, JsonValue], seed: int) -> Outcome:
    """The commonest ruling (ties by seed), sure to the mean of the orders. `tied` lists all rulings where they differ,
    so that accuracy over ties is accuracy over orders.
    """
    answers = tuple(ruling.answer for ruling in rulings)
    vote = majority(answers, seed=seed)
    known = [ruling.probability_a for ruling in rulings if ruling.probability_a is not None]
    confidence: dict[str, float | str] = {}
    if known and vote.answer is not None:
        confidence["judge_probability"] = fmean(known) if vote.answer == "A" else 1 - fmean(known)
    tied: list[JsonValue] = [answer for answer in answers if answer] if len(set(answers)) > 1 else []
    return Outcome(vote.answer, (answers,), StopReason.MAX_ROUNDS, confidence, facts={"tied": tied, **facts})


def rulings_facts(rulings: Rulings) -> dict[str, JsonValue]:
    """Position bias: how often the option shown first was chosen, and how often the order decided. Whom the judge
    went with: the first option's side, and the consultant, whatever it argued for.
    """
    given = [ruling for ruling in rulings if ruling.answer]
    pairs = zip(rulings[::2], rulings[1::2], strict=True)
    return {
        "chose_the_first_shown": _share(ruling.answer == ruling.shown for ruling in given),
        "order_flips": _share(
            one.answer != other.answer for one, other in pairs if one.answer and other.answer
        ),
        "went_with_the_first_side": _share(ruling.answer == "A" for ruling in given),
        "went_with_the_consultant": _share(r.answer == r.argued for r in given if r.argued),
        "rulings": [ruling.facts for ruling in rulings],
    }


def _share(hits: Iterable[bool]) -> float | None:
    counted = list(hits)
    return fmean(counted) if counted else None


def speech_facts(speeches: Sequence[Spoken], rulings: Rulings) -> dict[str, JsonValue]:
    """Quotations, the share of them that hold, speeches cut for length, and what was chosen between speakers."""
    quoted = sum(speech.quoted for speech in speeches)
    return {
        "quotes": quoted,
        "quotes_verified": sum(speech.verified for speech in speeches) / quoted if quoted else None,
        "speeches_cut": sum(speech.cut for speech in speeches),
        "choices": [ruling.choice for ruling in rulings if ruling.answer and speeches],
    }
