"""Artifacts to review, with the issues known in them: review sets, diffs, pull requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from madbench.tasks.changes import read_artifacts
from madbench.tasks.drawing import drawn
from madbench.tasks.hashing import content_hash
from madbench.tasks.matching import LocationMatcher, Matcher
from madbench.tasks.review_samples import question_of, review_target
from madbench.tasks.review_scoring import ReviewScoring
from madbench.tasks.reviewed import TWIN, Reviewed, ReviewLayout, reviewed_of
from madbench.tasks.sources import Hub, Table
from madbench.tasks.strangers import at_home
from madbench.types import InputError, Issue, Outcome, Problem, Sample, Target, seed_of

NOTES = 20
"""So many notes on what was cleaned away or left out are in the facts, the first ones."""


@dataclass(frozen=True)
class Reviews:
    """All artifacts of a set, or `size` of them; `path` is a local file or folder that stands in for the hub.

    Clean artifacts are negative controls; where nothing is known of an artifact, findings are only counted.
    `reserve`, `size` and `seed` choose as for questions. `matcher` says what counts as having found an issue.
    A problem's id is the artifact's id, everywhere.
    """

    name: str
    hub: Hub | None = None
    path: str | None = None
    layout: ReviewLayout = field(default_factory=ReviewLayout)
    matcher: Matcher = field(default_factory=LocationMatcher)
    reserve: int = 0
    size: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.hub is None and self.path is None:
            raise InputError(
                f"task {self.name}: neither task.path (a local file or folder) nor task.hub is given"
            )
        if min(self.seed, self.reserve) < 0 or (self.size is not None and self.size < 1):
            raise InputError(
                f"task {self.name}: seed={self.seed}, reserve={self.reserve}, size={self.size}; wanted 0 or more, "
                "0 or more, 1 or more"
            )

    def samples(self) -> list[Sample]:
        return [self._sample(item) for item in self._scored]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return ReviewScoring(self.matcher)(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        """What a manifest says of the data: where from, how much, what is in it, and what is known against it."""
        table, scored = self._table, self._scored
        issues = [issue for item in scored for issue in item.issues or ()]
        notes: list[JsonValue] = [note for item in scored for note in item.artifact.notes]
        return {
            "source": table.origin,
            "revision": table.revision or ("not pinned" if self.path is None else None),
            "rows": len(table.rows),
            "artifacts": len(self._items),
            "scored": len(scored),
            "clean": sum(item.issues == () for item in scored),
            "unknown": sum(item.issues is None for item in scored),
            "issues": len(issues),
            "kinds": dict(sorted(Counter(issue.kind for issue in issues).items())),
            "content": self.content(),
            "suspect": dict(sorted(Counter(item.suspect for item in scored if item.suspect).items())),
            "shared_groups": len(self._items) - len({item.cluster for item in self._items}),
            "notes": notes[:NOTES],
            "cleaned": sum(bool(item.artifact.notes) for item in scored),
        }

    def content(self) -> str:
        """Hash over all samples, in order."""
        return content_hash(self.samples())

    def _sample(self, item: Reviewed) -> Sample:
        artifact = item.artifact
        problem = Problem(item.id, item.cluster, question_of(artifact), self.layout.reader(artifact))
        more: dict[str, JsonValue] = {"suspect": item.suspect} if item.suspect else {}
        return Sample(problem, review_target(artifact, item.issues, strange=self._strange(item), more=more))

    def _strange(self, item: Reviewed) -> tuple[Issue, ...]:
        """The issues of the next artifact in a fixed order that is of another cluster and has any."""
        if item.issues is None:
            return ()
        at = self._ring.index(item)
        others = (other for other in [*self._ring[at:], *self._ring[:at]] if other.issues)
        other = next((other for other in others if other.cluster != item.cluster), None)
        return at_home(other.issues or (), other.artifact, item.artifact) if other else ()

    @cached_property
    def _table(self) -> Table:
        if self.path is not None:
            return read_artifacts(self.path)
        assert self.hub is not None
        return self.hub.table()

    @cached_property
    def _items(self) -> list[Reviewed]:
        table, found = self._table, dict[str, Reviewed]()
        for index, row in enumerate(table.rows):
            for item in reviewed_of(row, self.layout, table.where(index)):
                if found.setdefault(item.id, item) != item:
                    raise InputError(f"{table.where(index)}: artifact id {item.id!r} twice")
        own = {item.artifact for item in found.values() if not item.id.endswith(TWIN)}
        return [item for item in found.values() if not (item.id.endswith(TWIN) and item.artifact in own)]

    @cached_property
    def _ring(self) -> list[Reviewed]:
        return sorted(self._items, key=lambda item: seed_of("strange", item.id))

    @cached_property
    def _scored(self) -> list[Reviewed]:
        where, what = f"task {self.name}", f"artifacts of {self._table.origin}"
        return drawn(
            self._items, reserve=self.reserve, size=self.size, seed=self.seed, where=where, what=what
        )[1]
