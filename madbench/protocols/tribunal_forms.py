"""What is said at a tribunal: proposals, critiques of all of them, and the document that the chosen one becomes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, create_model

from madbench.protocols.answering import Answering
from madbench.protocols.replies import Form, Line, Short
from madbench.types import Strict

ABOVE = " > "
"""Between the labels of a ranking, best first."""
Few = Annotated[tuple[Line, ...], Field(max_length=3)]


class Proposal(Answering):
    """One way to go about it. On a question the answer is the question's, on a review it is the findings."""

    approach: Short
    pros: Few
    cons: Few
    complexity: Literal["low", "medium", "high"]
    risks: Few


class Concern(Strict):
    """What must not happen, against the proposal of that label."""

    against: Line
    concern: Line


class Critique(Answering):
    """A ranking of all proposals, where its author stands now, and what blocks any of them.

    `target` is the proposal switched to, or mixed in; `answer` counts where the stance is a hybrid.
    """

    reasons: Short
    ranking: Short
    stance: Literal["stick", "switch", "hybrid"]
    target: Line
    blocking: Annotated[tuple[Concern, ...], Field(max_length=2)]

    @property
    def ranked(self) -> tuple[str, ...]:
        """The labels, best first."""
        return tuple(self.ranking.split(ABOVE))


class Document(Form):
    """The chosen proposal, worked out."""

    goal: Short
    steps: Annotated[tuple[Short, ...], Field(min_length=1, max_length=6)]
    risks: Few

    @property
    def text(self) -> str:
        steps = "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))
        return "\n".join([self.goal, steps, *(f"Risk: {risk}" for risk in self.risks)])


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=48)]
One = Annotated[tuple[Words, ...], Field(max_length=1)]


class BriefProposal(Proposal):
    """The same in a few words, for small models."""

    approach: Line
    pros: One
    cons: One
    risks: One


class BriefConcern(Concern):
    concern: Words


class BriefCritique(Critique):
    """The same in a few words, for small models."""

    reasons: Line


@dataclass(frozen=True, slots=True)
class Forms:
    """The reply classes of one way to speak; `blocking` bounds the concerns of a critique."""

    proposal: type[Proposal]
    critique: type[Critique]
    concern: type[Concern]
    blocking: int


FULL = Forms(Proposal, Critique, Concern, 2)
BRIEF = Forms(BriefProposal, BriefCritique, BriefConcern, 1)


@lru_cache(maxsize=1024)
def critique_of(labels: tuple[str, ...], rankable: tuple[str, ...], forms: Forms = FULL) -> type[Critique]:
    """A critique that ranks every one of `rankable` exactly once and names none but `labels`."""
    label = Literal[labels]  # type: ignore[valid-type]
    ranking = Literal[tuple(ABOVE.join(order) for order in permutations(rankable))]  # type: ignore[valid-type]
    concern = create_model("Concern", __base__=forms.concern, against=(label, ...))
    blocking = Annotated[tuple[concern, ...], Field(max_length=forms.blocking)]
    fields = {"ranking": (ranking, ...), "target": (label, ...), "blocking": (blocking, ...)}
    return create_model(forms.critique.__name__, __base__=forms.critique, **fields)  # type: ignore[call-overload,no-any-return]
