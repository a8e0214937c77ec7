"""Matching findings to known issues: one finding an issue, one issue a finding, and nothing counted twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from madbench.tasks.content_words import GENERIC, alike, content_words
from madbench.types import Artifact, Finding, InputError, Issue

UNMATCHED = -1
DUPLICATE = -2
TOLERANCE = 0.05
"""The most of a document's lines by which a near miss may miss."""
NEAR = 0.01
"""The fit of a near miss: less than that of any hit of an issue of fewer than a hundred lines."""

Weight = Callable[[Finding, Issue], float]
"""How well a finding fits an issue: 0 where it does not, at most 1."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Where each finding went, and which issues were found.

    `of` holds one number a finding, in the order given: the index of its issue, `UNMATCHED`, or `DUPLICATE` (it
    says again what another finding said). Every finding is exactly one of the three. `found` are the indices of
    the issues found: with a one-to-one matcher, those in `of`.
    """

    of: tuple[int, ...]
    found: frozenset[int]
    known: int

    @property
    def matched(self) -> int:
        return sum(index >= 0 for index in self.of)

    @property
    def unmatched(self) -> int:
        return self.of.count(UNMATCHED)

    @property
    def duplicates(self) -> int:
        return self.of.count(DUPLICATE)

    @property
    def missed(self) -> int:
        return self.known - len(self.found)


class Matcher(Protocol):
    """What counts as having found an issue. Frozen settings."""

    def match(
        self, findings: Sequence[Finding] | None, issues: Sequence[Issue], artifact: Artifact
    ) -> Matching:
        """Match a review to the issues known in its artifact; None is a review that was never given."""


@dataclass(frozen=True)
class LocationMatcher:
    """By place; words decide where places leave it even. The default.

    A finding hits an issue where it lies wholly on the issue's lines, or where intersection over union reaches
    `least`; it may be no wider than the issue or the share `widest` of its document (one line at least), and
    never the whole of a document of several lines. It hits from up to `tolerance` of the document's lines away
    too, where its words and the issue's are alike by at least `words`: blind flags gain nothing by tolerance.
    """

    least: float = 0.2
    widest: float = 0.25
    tolerance: float = TOLERANCE
    words: float = 0.25

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance <= TOLERANCE:
            raise InputError(
                f"matcher.tolerance: {self.tolerance}, wanted 0 to {TOLERANCE} of a document's lines"
            )
        for name, value in (("least", self.least), ("widest", self.widest), ("words", self.words)):
            if not 0 < value <= 1:
                raise InputError(f"matcher.{name}: {value}, wanted more than 0, at most 1")

    def match(
        self, findings: Sequence[Finding] | None, issues: Sequence[Issue], artifact: Artifact
    ) -> Matching:
        lines = {document.name: len(document.lines) for document in artifact.documents}

        def weight(finding: Finding, issue: Issue) -> float:
            return self._weight(finding, issue, lines.get(finding.span.document, 0))

        return one_to_one(findings or (), issues, weight)

    def _weight(self, finding: Finding, issue: Issue, lines: int) -> float:
        place = finding.span
        faulty = lines_of(issue, place.document)
        narrow = 0 < place.size <= max(len(faulty), int(self.widest * lines), 1)
        if not faulty or not narrow or 1 < lines <= place.size:
            return 0.0
        ours = set(range(place.first, place.last + 1))
        share = len(ours & faulty) / len(ours | faulty)
        if share >= self.least or ours <= faulty:
            return share
        near = gap(ours, faulty) <= int(self.tolerance * lines)
        return NEAR if near and likeness(finding, issue) >= self.words else 0.0


@dataclass(frozen=True)
class TextMatcher:
    """By words alone: at least `least` alike. For findings without places."""

    least: float = 0.25

    def __post_init__(self) -> None:
        if not 0 < self.least <= 1:
            raise InputError(f"matcher.least: {self.least}, wanted more than 0, at most 1")

    def match(
        self, findings: Sequence[Finding] | None, issues: Sequence[Issue], artifact: Artifact
    ) -> Matching:
        def weight(finding: Finding, issue: Issue) -> float:
            found = likeness(finding, issue)
            return found if found >= self.least else 0.0

        return one_to_one(findings or (), issues, weight)


@dataclass(frozen=True)
class LenientMatcher:
    """As AdversarialDebate's field tests counted: any shared content word finds an issue, and a review that was
    never given has found all. Not one-to-one: one finding can find every issue. An arm, never a default.
    """

    absent_finds_all: bool = True

    def match(
        self, findings: Sequence[Finding] | None, issues: Sequence[Issue], artifact: Artifact
    ) -> Matching:
        if findings is None:
            found = frozenset(range(len(issues) if self.absent_finds_all else 0))
            return Matching((), found, len(issues))
        hits = [
            [index for index, issue in enumerate(issues) if _said(finding) & _known(issue)]
            for finding in findings
        ]
        return Matching(_first_free(hits), frozenset(index for row in hits for index in row), len(issues))


def _first_free(hits: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Each finding's first issue that no finding before it took."""
    taken: list[int] = []
    for row in hits:
        free = [index for index in row if index not in taken]
        taken.append(free[0] if free else DUPLICATE if row else UNMATCHED)
    return tuple(taken)


def one_to_one(findings: Sequence[Finding], issues: Sequence[Issue], weight: Weight) -> Matching:
    """The assignment of greatest total weight (Hungarian), whatever the order of findings and issues.

    Where weights are even, words decide, then the number of issues found. Findings left over are duplicates
    where they fit an issue that was found, or repeat another's place and words; else unmatched.
    """
    rows = sorted(range(len(findings)), key=lambda at: _order(findings[at]))
    columns = sorted(range(len(issues)), key=lambda at: (issues[at].id, issues[at].description))
    first = {_claim(findings[at]): at for at in reversed(rows)}
    kept = [at for at in rows if first[_claim(findings[at])] == at]
    fits = [
        [_fit(findings[at], issues[column], weight, rank) for rank, column in enumerate(columns)]
        for at in kept
    ]
    of = [DUPLICATE] * len(findings)
    pairs = assigned(fits)
    for row, at in enumerate(kept):
        if row in pairs:
            of[at] = columns[pairs[row]]
        elif not any(fits[row]):
            of[at] = UNMATCHED
    return Matching(tuple(of), frozenset(index for index in of if index >= 0), len(issues))


def assigned(fits: Sequence[Sequence[float]]) -> dict[int, int]:
    """Row to column, each at most once, of greatest total; pairs of weight 0 are none."""
    import numpy
    from scipy.optimize import linear_sum_assignment

    if not fits or not fits[0]:
        return {}
    table = numpy.array(fits)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return {int(row): int(column) for row, column in zip(rows, columns, strict=True) if table[row, column]}


def _fit(finding: Finding, issue: Issue, weight: Weight, rank: int) -> float:
    """Weight first; where it is even, words, then the number of pairs, then the issues' order."""
    found = weight(finding, issue)
    return found + 1e-4 * likeness(finding, issue) + 1e-6 + 1e-9 / (1 + rank) if found else 0.0


def _order(finding: Finding) -> tuple[str, int, int, str, str]:
    span = finding.span
    return span.document, span.first, span.last, finding.text, finding.id


def _claim(finding: Finding) -> tuple[object, ...]:
    """What makes two findings one claim: the same place, the same words."""
    return finding.span, finding.kind, " ".join(finding.text.split()).casefold()


def likeness(finding: Finding, issue: Issue) -> float:
    """How alike what a finding and an issue say is, kinds included, 0 to 1: neither the document's name nor words
    that fit every issue count.
    """
    empty = GENERIC | content_words(finding.span.document)
    return alike(_said(finding) - empty, _known(issue) - empty)


def _said(finding: Finding) -> frozenset[str]:
    return content_words(f"{finding.text} {finding.kind}")


def _known(issue: Issue) -> frozenset[str]:
    return content_words(f"{issue.description} {issue.kind}")


def lines_of(issue: Issue, document: str) -> set[int]:
    """The lines of a document that an issue is about."""
    spans = (span for span in issue.spans if span.document == document)
    return {line for span in spans for line in range(span.first, span.last + 1)}


def gap(ours: set[int], theirs: set[int]) -> int:
    """Lines from one run of lines to the nearest of others: 0 where they share one, 1 where they touch."""
    return min(max(line - max(ours), min(ours) - line, 0) for line in theirs)
