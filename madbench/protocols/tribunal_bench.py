"""The bench of a tribunal: under which labels, and in which order, each member reads the proposals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from madbench.protocols.tribunal_forms import BRIEF, FULL, Critique, Forms, Proposal
from madbench.protocols.tribunal_seen import Bench, Labelled
from madbench.types import Problem, check_settings, seed_of


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How proposals are read: under their authors' names or anonymously, in the order of seats or shuffled for each
    reader; and whether a member may rank its own. `brief`: all forms are a few words long, for small models.
    """

    labels: Literal["labelled", "anonymous"] = "labelled"
    order: Literal["seats", "shuffled"] = "seats"
    own_vote: bool = True
    brief: bool = False

    def __post_init__(self) -> None:
        check_settings(self, "protocol.reading")

    @property
    def forms(self) -> Forms:
        return BRIEF if self.brief else FULL

    def labels_for(self, seat: int, names: Mapping[int, str], seed: int) -> dict[str, int]:
        """What `seat` calls the proposal of every seat in `names`, in the order in which it reads them."""
        seats = list(names)
        if self.order == "shuffled":
            random.Random(seed_of(seed, "order", seat)).shuffle(seats)
        if self.labels == "labelled":
            return {names[other]: other for other in seats}
        return {f"proposal {number}": other for number, other in enumerate(seats, 1)}

    def bench(
        self,
        problem: Problem,
        seat: int,
        labels: Mapping[str, int],
        proposals: Mapping[int, Proposal],
        last: Sequence[Judgement],
    ) -> Bench:
        """What `seat` is shown; `last` are the critiques of the round before."""
        own = next((label for label, other in labels.items() if other == seat), "")
        return Bench(
            prompt=problem.question,
            proposals=tuple(
                Labelled(label=label, proposal=proposals[other]) for label, other in labels.items()
            ),
            own=own if self.labels == "labelled" else "",
            rankable=tuple(label for label in labels if self.own_vote or label != own),
            concerns=tuple(text for judgement in last for _, text in judgement.blocked),
            answer=problem.reader.schema(),
            brief=self.brief,
        )


@dataclass(frozen=True, slots=True)
class Judgement:
    """A critique with seats in place of its reader's labels."""

    seat: int
    said: Critique
    ranking: tuple[int, ...]
    target: int
    blocked: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, seat: int, said: Critique, labels: Mapping[str, int]) -> Judgement:
        blocked = tuple((labels[concern.against], concern.concern) for concern in said.blocking)
        return cls(seat, said, tuple(labels[label] for label in said.ranked), labels[said.target], blocked)

    def position(self, proposals: Mapping[int, Proposal]) -> str | None:
        """Where its author stands now: on its own answer, on the target's, or on a new one."""
        if self.said.stance == "hybrid" or self.seat not in proposals:
            return self.said.found.answer
        return proposals[self.target if self.said.stance == "switch" else self.seat].found.answer


def concerns_of(judgements: Sequence[Judgement]) -> Mapping[int, int]:
    """How many concerns block each seat's proposal."""
    return Counter(seat for judgement in judgements for seat, _ in judgement.blocked)
