"""What follows from a judge's rulings, always given in both orders, and what the speeches were worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from madbench.metrics.votes import majority
from madbench.protocols.judged_debate_case import Spoken
from madbench.types import Outcome, StopReason


@dataclass(frozen=True, slots=True)
class Ruling:
    """One verdict: the option in the question's letters, whether the first shown was chosen, and P(A) if known."""

    answer: str
    first: bool
    probability_a: float | None

    @classmethod
    def of(cls, answer: str | None, swapped: bool, probability: float | None) -> Ruling | None:
        """`answer` in the question's letters, given on swapped options or not; None where there is none."""
        if answer is None:
            return None
        sure = probability if answer == "A" or probability is None else 1 - probability
        return cls(answer, (answer == "A") is not swapped, sure)


Rulings = Sequence[Ruling | None]
"""Pairs: in the question's order, and swapped; None where one could not be read."""


def outcome_of(rulings: Rulings, facts: dict[str, JsonValue], seed: int) -> Outcome:
    """The commonest ruling (ties by seed), sure to the mean of the orders. `tied` lists all rulings where they differ,
    so that accuracy over ties is accuracy over orders.
    """
    answers = tuple(None if ruling is None else ruling.answer for ruling in rulings)
    vote = majority(answers, seed=seed)
    known = [ruling.probability_a for ruling in rulings if ruling and ruling.probability_a is not None]
    confidence: dict[str, float | str] = {}
    if known and vote.answer is not None:
        confidence["judge_probability"] = fmean(known) if vote.answer == "A" else 1 - fmean(known)
    tied: list[JsonValue] = [answer for answer in answers if answer] if len(set(answers)) > 1 else []
    return Outcome(vote.answer, (answers,), StopReason.MAX_ROUNDS, confidence, facts={"tied": tied, **facts})


def rulings_facts(rulings: Rulings) -> dict[str, JsonValue]:
    """Position bias: how often the option shown first was chosen, and how often the order decided."""
    given = [ruling.first for ruling in rulings if ruling]
    pairs = zip(rulings[::2], rulings[1::2], strict=True)
    flips = [one.answer != other.answer for one, other in pairs if one and other]
    return {
        "chose_the_first_shown": fmean(given) if given else None,
        "order_flips": fmean(flips) if flips else None,
    }


def speech_facts(speeches: Sequence[Spoken]) -> dict[str, JsonValue]:
    """Quotations, the share of them that hold, and speeches cut for length."""
    quoted = sum(speech.quoted for speech in speeches)
    return {
        "quotes": quoted,
        "quotes_verified": sum(speech.verified for speech in speeches) / quoted if quoted else None,
        "speeches_cut": sum(speech.cut for speech in speeches),
    }
