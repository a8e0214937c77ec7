"""What debaters, judge and those between them are shown."""

from __future__ import annotations

from madbench.types import Observation, Strict


class Heard(Strict):
    """One speech (or an examiner's question) as it stands in the transcript."""

    answer: str
    round: int
    text: str
    question: str = ""


class Room(Strict):
    """How many words a speech may have, and whether its form is left to a grammar (`brief`) or shown."""

    words: int
    brief: bool = False


class Floor(Observation):
    """A debater's turn: the passage, its own answer, the other one, and the transcript so far."""

    passage: str
    question: str
    mine: str
    other: str
    alone: bool
    transcript: tuple[Heard, ...]
    asked: str
    room: Room


class Retold(Observation):
    """A debater's own speech with a critique of it, to be given again."""

    speech: str
    critique: str
    words: int


class Judged(Observation):
    """All that a verdict rests on; the options are lettered in the order given. `passage` is for experts alone."""

    question: str
    options: tuple[str, ...]
    transcript: tuple[Heard, ...]
    passage: str


class Examined(Observation):
    """What an examiner knows when it puts a question to one side."""

    question: str
    answer: str
    transcript: tuple[Heard, ...]


class Draft(Observation):
    """A speech and what it argues for, for whoever rates or criticises it."""

    question: str
    options: tuple[str, ...]
    answer: str
    speech: str


class Rated(Observation):
    """A critique of a speech, to be found helpful or not."""

    speech: str
    critique: str
