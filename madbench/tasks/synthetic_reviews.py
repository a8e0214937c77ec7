"""Made-up documents with known issues and a mark that only simulated reviewers read: for tests and for load."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.matching import LocationMatcher, Matcher
from madbench.tasks.review_samples import question_of, review_target
from madbench.tasks.review_scoring import ReviewScoring
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
    seed_of,
)

NAME = "main.txt"
APART = 6
"""Lines between two known issues at the least: a finding is about one of them or none."""
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath")


@dataclass(frozen=True)
class SyntheticReviews:
    """`n` artifacts of one document of `lines` lines, 0 to `issues` of them wrong: each number equally often.

    Below its lines, the document carries the mark `⟦document=main.txt issues=3,9 lines=20⟧`.
    """

    n: int = 100
    lines: int = 24
    issues: int = 3
    seed: int = 0
    matcher: Matcher = field(default_factory=LocationMatcher)
    name: str = "synthetic_reviews"

    def __post_init__(self) -> None:
        if self.n < 1 or self.issues < 0:
            raise InputError(f"task: n={self.n} and issues={self.issues}, least 1 and 0")
        if self.lines < APART * self.issues + 1:
            least = APART * self.issues + 1
            raise InputError(f"task.lines: {self.lines}, wanted {least} or more for {self.issues} issues")

    def samples(self) -> list[Sample]:
        return [self._sample(number) for number in range(self.n)]

    def _sample(self, number: int) -> Sample:
        artifact, issues = self._drawn(number)
        stranger, strange = self._drawn((number + 1) % self.n)
        question = question_of(artifact)
        identity = f"synthetic_reviews-{short_hash(question)}"
        reader = FindingsReader(artifact, cap=2 * self.issues + 2)
        target = review_target(artifact, issues, strange=at_home(strange, stranger, artifact))
        return Sample(Problem(identity, identity, question, reader), target)

    def _drawn(self, number: int) -> tuple[Artifact, tuple[Issue, ...]]:
        rng = random.Random(seed_of("issues", self.seed, number))
        wrong = spread(rng.randint(0, self.issues), self.lines, rng)
        rows = [
            f"row {row} holds {rng.choice(WORDS)} {rng.randrange(1000)}" for row in range(1, self.lines + 1)
        ]
        mark = f"⟦document={NAME} issues={','.join(map(str, wrong))} lines={self.lines}⟧"
        artifact = Artifact((Document(NAME, "\n".join([*rows, mark])),), "Some rows of this table are wrong.")
        return artifact, tuple(issue_at(line) for line in wrong)

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return ReviewScoring(self.matcher)(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())


def issue_at(line: int) -> Issue:
    """The known issue of one wrong line."""
    span = Span(document=NAME, first=line, last=line)
    return Issue(
        id=f"line-{line}", spans=(span,), kind="wrong", description=f"Line {line} of {NAME} is wrong"
    )


def spread(count: int, lines: int, rng: random.Random) -> list[int]:
    """So many lines, at least `APART` from one another, every such choice equally likely."""
    squeezed = sorted(rng.sample(range(1, lines - (count - 1) * (APART - 1) + 1), count)) if count else []
    return [line + place * (APART - 1) for place, line in enumerate(squeezed)]
