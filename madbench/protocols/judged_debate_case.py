"""A case to be judged: two answers, the passage that tells which is right, and the speeches made about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madbench.protocols.judged_debate_seen import Heard
from madbench.protocols.quotes import checked
from madbench.types import InputError, PassageReader, Problem


@dataclass(frozen=True, slots=True)
class Case:
    """`stem` is the question without its two options; sides are their places, 0 and 1."""

    stem: str
    options: tuple[str, str]
    passage: str

    @classmethod
    def of(cls, problem: Problem) -> Case:
        """Raises InputError for a task without passages, or with more than two options."""
        reader = problem.reader
        if not isinstance(reader, PassageReader) or len(reader.options) != 2:
            raise InputError(
                f"task: {problem.id} has no passage with two answers to choose from, which a judged debate needs; "
                "wanted a task like passages or quality"
            )
        return cls(reader.stem, (reader.options[0], reader.options[1]), reader.passage)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A speech as others hear it: at most `most` words, its quotations checked."""

    side: int
    round: int
    text: str
    question: str
    verified: int
    quoted: int
    cut: bool

    @classmethod
    def of(cls, case: Case, argument: str, *, side: int, round: int, question: str, most: int) -> Spoken:
        said = argument.split()
        heard = checked(" ".join(said[:most]) if len(said) > most else argument, case.passage)
        return cls(side, round, heard.text, question, heard.verified, heard.quoted, len(said) > most)


def transcript(case: Case, spoken: Sequence[Spoken], *, swapped: bool = False) -> tuple[Heard, ...]:
    """The speeches in order; within a round the side whose option is shown first comes first."""
    ordered = sorted(spoken, key=lambda speech: (speech.round, speech.side ^ swapped))
    return tuple(
        Heard(
            answer=case.options[speech.side],
            round=speech.round + 1,
            text=speech.text,
            question=speech.question,
        )
        for speech in ordered
    )
