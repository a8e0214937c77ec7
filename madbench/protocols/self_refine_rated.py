"""What Self-Refine's critic says, and which reply is given: the final one, the first, or its best by the critic."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from madbench.protocols.replies import Form, Short
from madbench.types import Observation

Keep = Literal["final", "first", "best_by_own_score"]


class RatedDraft(Observation):
    """A question and a reply to it, for a critic who is told nothing about the reply and asked for a score, too."""

    question: str
    reply: str


class Feedback(Form):
    """Advice on a draft. `verdict` alone ends the refining; words of praise in the advice do not."""

    advice: Short
    verdict: Literal["revise", "keep"]


class Rating(Feedback):
    """Advice with the draft's score: 0 (worthless) to 10."""

    score: Annotated[int, Field(ge=0, le=10)]


def given(keep: Keep, scores: Mapping[int, int], *, last: int) -> int:
    """The place of the reply that is given: of equal scores the earliest, the last where none was scored."""
    best = max(scores, key=lambda reply: scores[reply], default=last)
    return {"final": last, "first": 0, "best_by_own_score": best}[keep]
