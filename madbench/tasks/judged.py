"""Matching by the labels of a judge that was asked about every pair in a run of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from madbench.tasks.answers.labels import MATCH, NO_MATCH
from madbench.tasks.finding_pairs import pair_id
from madbench.tasks.matching import Matching, one_to_one
from madbench.tasks.sources import read_file
from madbench.types import Artifact, Finding, InputError, Issue, SeamError, overlap


@dataclass(frozen=True)
class JudgedMatcher:
    """One-to-one among the pairs that a judge called MATCH; places decide where it called several so.

    `labels` is a file of `{"id": …, "label": "MATCH" | "NO_MATCH" | null}`, null where the judge gave none that
    could be read: no match. A pair that it was never asked about raises SeamError.
    """

    labels: str

    def match(
        self, findings: Sequence[Finding] | None, issues: Sequence[Issue], artifact: Artifact
    ) -> Matching:
        def weight(finding: Finding, issue: Issue) -> float:
            name = pair_id(artifact, finding, issue)
            if name not in self._said:
                raise SeamError(f"judge labels: none for pair {name} in {self.labels}")
            same = self._said[name] == MATCH
            return 0.5 + 0.5 * overlap([finding.span], issue.spans) if same else 0.0

        return one_to_one(findings or (), issues, weight)

    @cached_property
    def _said(self) -> Mapping[str, str | None]:
        table = read_file(self.labels)
        said: dict[str, str | None] = {}
        for index, row in enumerate(table.rows):
            name, label = row.get("id"), row.get("label")
            if not isinstance(name, str) or label not in (MATCH, NO_MATCH, None):
                raise InputError(f"{table.where(index)}: wanted id and label ({MATCH}, {NO_MATCH} or null)")
            if name in said:
                raise InputError(f"{table.where(index)}: id {name!r} twice")
            said[name] = None if label is None else str(label)
        return said
