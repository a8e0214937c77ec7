"""What the personas of a round table are shown: the whole flow of information, one class a decision."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from madbench.types import Observation, Strict


class Sight(Strict):
    """What is decided: `rules` are the gates that this persona is told of."""

    question: str
    rules: tuple[str, ...]
    forms: Literal["full", "brief"]


class Bars(Strict):
    """The least strength of evidence by confidence, and what evidence has to give at all."""

    high: float
    medium: float
    low: float
    wanted: Literal["strength", "number", "nothing"]


class Seated(Observation):
    """Who a persona is, and who sits at the table."""

    me: str
    personas: tuple[str, ...]


class Decision(Strict):
    """What every decision of a persona rests on: `said` is the discussion as it stands, `rejected` what gates found
    wanting in earlier tries at this very decision.
    """

    me: str
    sight: Sight
    said: tuple[str, ...]
    rejected: tuple[str, ...] = ()


class Floor(Decision, Observation):
    """The floor is this persona's."""

    answer: dict[str, JsonValue]


class Draft(Decision, Observation):
    """The discussion is over: what should the table sign?"""

    answer: dict[str, JsonValue]
    bars: Bars


class Ballot(Decision, Observation):
    """A proposal to vote on, and what this persona objected before."""

    insight: str
    answer: str
    evidence: tuple[str, ...]
    confidence: str
    objections: tuple[str, ...]
    bars: Bars
