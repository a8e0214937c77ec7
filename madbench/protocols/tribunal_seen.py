"""What the members of a tribunal are shown, and what its author of the design document is."""

from __future__ import annotations

from typing import Self

from pydantic import JsonValue, SerializeAsAny

from madbench.protocols.tribunal_forms import Proposal
from madbench.types import Observation, Problem, Strict


class Member(Observation):
    """Who a member is: from where it looks at things."""

    view: str


class Brief(Observation):
    """The same for every member: the task, whole. `earlier` holds proposals where these are shared one by one.

    Small models copy whatever stands in an example of a form, so a `brief` prompt names no form: its grammar does.
    """

    prompt: str
    earlier: tuple[SerializeAsAny[Proposal], ...]
    answer: dict[str, JsonValue]
    brief: bool

    @classmethod
    def of(cls, problem: Problem, earlier: tuple[Proposal, ...], *, brief: bool) -> Self:
        return cls(prompt=problem.question, earlier=earlier, answer=problem.reader.schema(), brief=brief)


class Labelled(Strict):
    """A proposal under the name that its reader knows it by."""

    label: str
    proposal: SerializeAsAny[Proposal]


class Bench(Observation):
    """All proposals, put to one member. `own` is the label of its own, `rankable` those it may rank; `concerns` were
    raised in the round before.
    """

    prompt: str
    proposals: tuple[Labelled, ...]
    own: str
    rankable: tuple[str, ...]
    concerns: tuple[str, ...]
    answer: dict[str, JsonValue]
    brief: bool


class Chosen(Observation):
    """The proposal chosen, the one after it, and the concerns, for whoever writes the design document."""

    prompt: str
    top: SerializeAsAny[Proposal]
    runner_up: SerializeAsAny[Proposal]
    concerns: tuple[str, ...]
