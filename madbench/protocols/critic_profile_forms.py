"""What the roles of critic and profile say. Every decision is a field of its own; none is guessed from prose."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import StringConstraints, model_validator

from madbench.protocols.answering import Answering, spelled
from madbench.protocols.notes import names_something
from madbench.protocols.replies import Form
from madbench.types import Reply

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1200)]
Remark = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1200)]
Aside = Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]
NOTHING = re.compile(r"\W*(?:(?:none|nothing|n/a|null)\b.*)?$", re.IGNORECASE | re.DOTALL)
"""What a note says that has nothing to say."""
LEAD = re.compile(r"^the answerer (?:may |might )?tends? to\W*", re.IGNORECASE)
"""The beginning of the sentence that a note completes."""
Label = Literal["low", "medium", "high"]


class Rephrased(Form):
    """The question in neutral words; or, if it is `unclear`, what would have to be known first."""

    unclear: bool
    text: Text


class Heard(Reply):
    """What others get to know of a reply."""

    @property
    def text(self) -> str:
        raise NotImplementedError


class Restatement(Form, Heard):
    """A reply's claims as neutral facts."""

    facts: Text

    @property
    def text(self) -> str:
        return self.facts


class Criticism(Form):
    """An objection; or, if `done`, the statement that none is left, and then the remark is no objection."""

    objection: Remark
    done: bool

    @model_validator(mode="after")
    def _objects_or_is_done(self) -> Self:
        if not (self.done or self.objection):
            raise ValueError("objection is empty although done is false")
        return self


class Response(Answering):
    """The answerer's reply to objections, and whether it gives in."""

    reply: Text
    stance: Literal["conceded", "defended"] | None

    @property
    def text(self) -> str:
        return f"{self.reply}\nAnswer: {spelled(self.answer)}"


class Verdict(Answering):
    """The ruling, how sure it is, and what stays open."""

    reasons: Text
    confidence: Label | None
    uncertainty: Aside


class ProfileNote(Form):
    """A tendency that the critic did criticise, or the statement that there is none."""

    criticised: bool
    note: Aside

    @property
    def tendency(self) -> str | None:
        note = LEAD.sub("", self.note)
        return note if self.criticised and names_something(note) and not NOTHING.match(note) else None
