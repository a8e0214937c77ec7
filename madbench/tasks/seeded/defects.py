"""Seeded defects: functions of Python's standard library with 0 to 3 faults planted in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from platform import python_version

from pydantic import JsonValue

from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.matching import LocationMatcher, Matcher
from madbench.tasks.review_samples import question_of, review_target
from madbench.tasks.review_scoring import ReviewScoring
from madbench.tasks.seeded.cases import Case, Cases
from madbench.tasks.seeded.difficulty import hardest
from madbench.tasks.seeded.drawing import SEEDS
from madbench.tasks.seeded.modules import Disguise, Planted
from madbench.tasks.seeded.table import proved
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
)

DOCUMENT = "module.py"
MOST = 3
PURPOSE = (
    "Review these functions of a Python module. Report where one does other than it should; maybe none does."
)


@dataclass(frozen=True)
class SeededDefects:
    """`n` artifacts of one to four functions. `defects` are the numbers of faults to draw from (`[1, 1, 2, 3]`: half
    of the faulty ones have one); with `twins`, the same text without faults follows its first faulty one. Artifacts
    of the same functions share a cluster. `disguise: renamed` gives all names that the functions bring along new
    ones and takes docstrings and comments out; it changes neither which functions and faults are drawn nor their lines'
    truth. `examples` says what the functions give, from the library's own, faultless version.

    Faults and proofs come from a table (`table.py`) that holds for functions whose text, and whatever of their
    module they lead to, is as it was on the Python that proved them; others are left out, with all that is shown
    beside them, and counted in `facts()`. What is drawn for a group depends on its name and the seed alone. A set of
    faults belongs to one of 16 seeds, so that seeds share no faulty artifact; a clean text is the same in all of
    them unless names are drawn. Raises InputError for another seed, or where there are too few artifacts.
    """

    n: int = 50
    seed: int = 0
    defects: Sequence[int] = (1, 1, 2, 3)
    disguise: Disguise = "none"
    twins: bool = True
    examples: bool = True
    matcher: Matcher = field(default_factory=LocationMatcher)
    name: str = "seeded_defects"

    def __post_init__(self) -> None:
        check_settings(self, "task")
        if self.n < 1 or not 0 <= self.seed < SEEDS:
            raise InputError(f"task: n={self.n} and seed={self.seed}, wanted 1 or more, and 0 to {SEEDS - 1}")
        if not self.defects or not all(0 <= number <= MOST for number in self.defects):
            raise InputError(f"task.defects: {list(self.defects)}, wanted numbers from 0 to {MOST}")

    def samples(self) -> list[Sample]:
        found = list(islice(self._cases, self.n))
        if len(found) < self.n:
            raise InputError(f"task.n: {self.n}, there are {len(found)} artifacts for seed {self.seed}")
        return [self._sample(case) for case in found]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return ReviewScoring(self.matcher)(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        """What a manifest says: the Python, what was left out and why, and the digests of all functions shown."""
        samples = self.samples()
        used = [self._cases.rows[name] for name in sorted({sample.problem.cluster for sample in samples})]
        return {
            "source": f"Python {python_version()}",
            "rows": len(samples),
            "content": content_hash(samples),
            "artifacts": len(self._cases.rows),
            "left_out": dict(sorted(self._cases.left_out().items())),
            "digests": {row.qualified: row.digest for rows in used for row in rows},
        }

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _sample(self, case: Case) -> Sample:
        artifact, planted = self._artifact(case)
        text = artifact.documents[0].text
        strange = self._strange(case, artifact)
        target = review_target(artifact, issues_of(planted), strange=strange, more=known(text, planted))
        question = question_of(artifact)
        identity = f"seeded-{short_hash(question)}"
        return Sample(Problem(identity, case.group, question, FindingsReader(artifact)), target)

    def _artifact(self, case: Case) -> tuple[Artifact, tuple[Planted, ...]]:
        text, planted = case.shown.with_faults(case.faults)
        said = [PURPOSE, "Where all is right:", *case.shown.examples()] if self.examples else [PURPOSE]
        return Artifact((Document(DOCUMENT, text),), "\n".join(said)), planted

    def _strange(self, case: Case, ours: Artifact) -> tuple[Issue, ...]:
        """The faults of another group, as if they were in this one."""
        if (stranger := self._cases.stranger(case)) is None:
            return ()
        theirs, planted = self._artifact(stranger)
        return at_home(issues_of(planted), theirs, ours)

    @cached_property
    def _cases(self) -> Cases:
        return Cases(proved(), self.seed, tuple(self.defects), self.disguise, self.twins)


def issues_of(planted: Sequence[Planted]) -> tuple[Issue, ...]:
    """Faults as known issues."""
    return tuple(
        Issue(
            id=f"{number}-{fault.kind}",
            spans=(Span(document=DOCUMENT, first=fault.first, last=fault.last),),
            kind=fault.kind,
            description=fault.description,
        )
        for number, fault in enumerate(planted)
    )


def known(text: str, planted: Sequence[Planted]) -> dict[str, JsonValue]:
    """What is known of an artifact besides: how long and how hard it is, and how much its faults show."""
    lines = text.count("\n")
    return {
        "lines": lines,
        "defects": len(planted),
        "difficulty": hardest((fault.kind for fault in planted), lines),
        "exposure": [fault.exposure for fault in planted],
        "functions": [fault.function for fault in planted],
    }
