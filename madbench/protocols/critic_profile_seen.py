"""What the roles of critic and profile are shown: the whole flow of information, one class a turn."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import JsonValue, SerializeAsAny

from madbench.protocols.critic_profile_forms import Heard
from madbench.types import Observation, Strict


class Manner(Strict):
    """How replies are asked for: in at most so many words, and in the forms of one way to speak.

    Small models copy whatever stands in an example of a form, so `brief` names no form: its grammar does.
    """

    words: int = 150
    forms: Literal["full", "brief", "structured", "marked"] = "full"


class Answerer(Observation):
    """Who the answerer is."""


class Critic(Observation):
    """Who the critic is: what came up before, what to probe, and what to look at alone."""

    earlier: tuple[str, ...]
    tendencies: tuple[str, ...]
    focus: str


class Judge(Observation):
    """Who the judge is, and what came up before."""

    earlier: tuple[str, ...]


class Question(Observation):
    """The user's own words: shown to the judge alone."""

    question: str
    unclear: tuple[str, ...]
    again: bool
    manner: Manner


class Opening(Observation):
    """The rephrased question, put as the worked examples before it are put."""

    shots: ClassVar[bool] = True
    question: str
    instruction: str


class Reply(Observation):
    """The answerer's reply as it stands, to be restated."""

    question: str
    reply: str
    manner: Manner


class Restated(Observation):
    """What the critic gets to know of a reply."""

    question: str
    heard: SerializeAsAny[Heard]
    manner: Manner


class Objected(Observation):
    """The critic's own words, one or several critics'."""

    objections: tuple[str, ...]
    answer: dict[str, JsonValue]
    manner: Manner


class Exchange(Strict):
    """Objections, and what the answerer said to them; None if nothing."""

    objections: tuple[str, ...]
    response: SerializeAsAny[Heard] | None


class Case(Observation):
    """All that a verdict rests on."""

    question: str
    opening: SerializeAsAny[Heard]
    exchanges: tuple[Exchange, ...]
    answer: dict[str, JsonValue]
    manner: Manner


class Criticised(Observation):
    """All that a profile note rests on."""

    question: str
    exchanges: tuple[Exchange, ...]
    manner: Manner
