"""Made-up choices with a mark that only the simulated engine reads: for tests and for load."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers import ChoiceReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.types import InputError, Outcome, Problem, Sample, Target, seed_of


@dataclass(frozen=True)
class Synthetic:
    """`n` questions whose truth is drawn evenly from `options`; `cluster` consecutive questions share a cluster.

    The question carries `⟦truth=B options=ABCD⟧`.
    """

    n: int = 100
    options: str = "ABCD"
    cluster: int = 1
    seed: int = 0
    name: str = "synthetic"

    def __post_init__(self) -> None:
        if self.n < 1 or self.cluster < 1:
            raise InputError(f"task: n={self.n} and cluster={self.cluster}, both must be at least 1")
        if len(set(self.options)) != len(self.options) or len(self.options) < 2 or not self.options.isupper():
            raise InputError(f"task.options: {self.options!r}, wanted two or more different capital letters")

    def samples(self) -> list[Sample]:
        return [self._sample(number) for number in range(self.n)]

    def _sample(self, number: int) -> Sample:
        truth = random.Random(seed_of("truth", self.seed, number)).choice(self.options)
        question = f"Question {number}: which option? ⟦truth={truth} options={self.options}⟧"
        identity = f"synthetic-{short_hash(question)}"
        cluster = f"synthetic-{self.seed}-{number // self.cluster:06d}"
        return Sample(Problem(identity, cluster, question, ChoiceReader(self.options)), Target(truth))

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())
