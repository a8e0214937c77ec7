"""What the roles of an adversarial review are shown after their isolated reviews: one class a turn.

The artifact stands before everybody in every turn. Nobody is shown a reply as it was written: claims, objections and
answers come from the ledger.
"""

from __future__ import annotations

from madbench.types import Answered, Finding, Objected, Observation, Strict


class Manner(Strict):
    """In how many words a record is asked for, and whether its form is described (a grammar makes that needless, and
    small models copy whatever stands in a description).
    """

    words: int = 60
    described: bool = True


class Contested(Strict):
    """An open objection: the claim, the objection, the last answer and why it did not convince, if there are any."""

    claim: Finding
    objection: Objected
    answer: Answered | None = None
    maintained: str = ""


class Objecting(Observation):
    """Claims of others that an objector has said nothing on, and its own."""

    question: str
    side: str
    own: tuple[Finding, ...]
    claims: tuple[Finding, ...]
    manner: Manner


class Defending(Observation):
    """The open objections to a side's claims."""

    question: str
    side: str
    objections: tuple[Contested, ...]
    manner: Manner


class Rejoining(Observation):
    """What an objector's objections were answered."""

    question: str
    side: str
    answers: tuple[Contested, ...]
    manner: Manner


class Settling(Observation):
    """All that stayed open."""

    question: str
    points: tuple[Contested, ...]
    manner: Manner
