"""What the roles of an adversarial review say after their isolated reviews: one record for each id, keyed by it.

    objector    {"claims":    {"A/1":   {"argument", "evidence", "severity", "stance": OBJECTED | ACCEPTED | PASSED}}}
    defender    {"answers":   {"B/1/1": {"reason", "evidence", "move": CONCEDED | REBUTTED | CARRIED}}}
    objector    {"decisions": {"B/1/1": {"reason", "decision": WITHDRAWN | MAINTAINED}}}
    synthesiser {"points":    {"B/1/1": {"would_resolve_if"}}}

`evidence` is a list of `document:line` or `document:first-last`, `severity` low, medium or high. An objector may
leave claims out, and is asked about them again in the next round; all others owe a record for every id.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import model_validator

from madbench.protocols.adversarial_review_rows import Evidence, Graded, Row, Words, one_of
from madbench.protocols.adversarial_review_rules import fault_of
from madbench.protocols.adversarial_review_sheet import Sheet
from madbench.types import Artifact, Move

STANCES = MappingProxyType(
    {
        "OBJECTED": r"objected|objection|object(?=\W*$|:)|I object",
        "ACCEPTED": r"accept(?:ed)?|agreed?",
        "PASSED": r"pass(?:ed)?",
    }
)
MOVES = MappingProxyType(
    {"REBUTTED": r"rebut\w*|refut\w*", "CARRIED": r"carr(?:y|ied|ies|ying)", "CONCEDED": r"conced\w*"}
)
DECISIONS = MappingProxyType(
    {"MAINTAINED": r"maintain(?:s|ed)?|kept", "WITHDRAWN": r"withdr[ae]wn?|withdrew|dropped"}
)
"""In each of these the choice that keeps a debate going stands first: a dry run takes it."""


class Objection(Row):
    argument: Words = ""
    evidence: Evidence = ()
    severity: Graded = "medium"
    stance: Annotated[Literal["OBJECTED", "ACCEPTED", "PASSED"], one_of(STANCES)] = "OBJECTED"
    prose, choice, markers = "argument", "stance", STANCES

    @model_validator(mode="after")
    def _objects_to_something(self) -> Self:
        if self.stance == "OBJECTED" and not self.argument:
            raise ValueError("an objection without an argument")
        return self


class Answer(Row):
    reason: Words = ""
    evidence: Evidence = ()
    move: Annotated[Move, one_of(MOVES)]
    prose, choice, markers = "reason", "move", MOVES

    def judged(self, against: tuple[str, ...], artifact: Artifact) -> Self:
        fault = fault_of(self.move, self.reason, self.evidence, against, artifact)
        return self.model_copy(update={"fault": fault})


class Decision(Row):
    reason: Words = ""
    decision: Annotated[Literal["WITHDRAWN", "MAINTAINED"], one_of(DECISIONS)]
    prose, choice, markers = "reason", "decision", DECISIONS


class Point(Row):
    would_resolve_if: Words
    prose = "would_resolve_if"


class Objections(Sheet):
    """The opponent's stance on claims of others."""

    rows: tuple[Objection, ...]
    listed, row, demands = "claims", Objection, "nothing"


class Defence(Sheet):
    """A claim owner's move on every open objection."""

    rows: tuple[Answer, ...]
    listed, row = "answers", Answer


class Rejoinder(Sheet):
    """What objectors do about their objections after the answers."""

    rows: tuple[Decision, ...]
    listed, row = "decisions", Decision


class Resolutions(Sheet):
    """What would settle each open point."""

    rows: tuple[Point, ...]
    listed, row = "points", Point
