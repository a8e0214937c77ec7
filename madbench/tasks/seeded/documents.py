"""Seeded documents: change plans and incident timelines that contradict themselves in 0 to 3 places."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Literal

from pydantic import JsonValue

from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.matching import LocationMatcher, Matcher
from madbench.tasks.review_samples import question_of, review_target
from madbench.tasks.review_scoring import ReviewScoring
from madbench.tasks.seeded.drafts import Contradiction, Draft
from madbench.tasks.seeded.incidents import incident
from madbench.tasks.seeded.plans import plan
from madbench.tasks.seeded.wording import drawn
from madbench.tasks.strangers import at_home
from madbench.types import (
    Artifact,
    Document,
    InputError,
    Issue,
    Outcome,
    Problem,
    Sample,
    Span,
    Target,
    check_settings,
    seed_of,
)

MOST = 3
ROOM = 10_000
"""Documents a seed has numbers for: no two seeds share one."""


@dataclass(frozen=True)
class SeededDocuments:
    """`n` documents of 15 to 25 lines. `defects` are the numbers of contradictions to draw from; with `twins`, every
    faulty document is followed by the same one without faults, in its cluster. `about` chooses plans, incidents, or
    both. All is drawn from the seed and the document's place.
    """

    n: int = 50
    seed: int = 0
    defects: Sequence[int] = (1, 1, 2, 3)
    about: Literal["plans", "incidents", "both"] = "both"
    twins: bool = True
    matcher: Matcher = field(default_factory=LocationMatcher)
    name: str = "seeded_documents"

    def __post_init__(self) -> None:
        check_settings(self, "task")
        if not 1 <= self.n <= ROOM or self.seed < 0:
            raise InputError(f"task: n={self.n} and seed={self.seed}, wanted 1 to {ROOM}, and 0 or more")
        if not self.defects or not all(0 <= number <= MOST for number in self.defects):
            raise InputError(f"task.defects: {list(self.defects)}, wanted numbers from 0 to {MOST}")

    def samples(self) -> list[Sample]:
        return list(islice(self._all(), self.n))

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return ReviewScoring(self.matcher)(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _all(self) -> Iterator[Sample]:
        for place in count():
            draft, faults = self._drawn(place)
            yield self._sample(draft, faults, place)
            if faults and self.twins:
                yield self._sample(draft, (), place)

    def _drawn(self, place: int) -> tuple[Draft, tuple[Contradiction, ...]]:
        rng = random.Random(seed_of("document", self.seed, place))
        kinds = {"plans": (plan,), "incidents": (incident,)}.get(self.about, (plan, incident))
        draft = rng.choice(kinds)(drawn(rng), self.seed * ROOM + place, rng)
        return draft, draft.chosen(rng.choice(self.defects), rng)

    def _sample(self, draft: Draft, faults: Sequence[Contradiction], place: int) -> Sample:
        artifact, issues = artifact_of(draft, faults), issues_of(draft, faults)
        question = question_of(artifact)
        more: dict[str, JsonValue] = {"lines": len(artifact.documents[0].lines), "defects": len(faults)}
        target = review_target(artifact, issues, strange=self._strange(artifact, place), more=more)
        cluster = f"{self.name}-{self.seed}-{place}"
        return Sample(
            Problem(f"document-{short_hash(question)}", cluster, question, FindingsReader(artifact)), target
        )

    def _strange(self, ours: Artifact, place: int) -> tuple[Issue, ...]:
        """The contradictions of the next document that has any, as if they were in this one."""
        for other in range(place + 1, place + 50):
            draft, faults = self._drawn(other)
            if faults:
                return at_home(issues_of(draft, faults), artifact_of(draft, faults), ours)
        return ()


def artifact_of(draft: Draft, faults: Sequence[Contradiction]) -> Artifact:
    return Artifact((Document(draft.name, draft.text(faults)),), draft.purpose)


def issues_of(draft: Draft, faults: Sequence[Contradiction]) -> tuple[Issue, ...]:
    """Contradictions as known issues; each line that belongs to one is a range of its own."""
    return tuple(
        Issue(
            id=f"{number}-{fault.kind}",
            spans=tuple(Span(document=draft.name, first=line, last=line) for line in lines),
            kind=fault.kind,
            description=fault.description,
        )
        for number, (fault, lines) in enumerate(zip(faults, draft.lines(faults), strict=True))
    )
