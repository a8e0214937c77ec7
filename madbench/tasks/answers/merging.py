"""Several reviewers' findings put together by place: one vote a reviewer on every issue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from madbench.types import Finding, overlap

SAME = 0.25
"""Share of lines (intersection over union) from which two findings are about one place."""

Vote = tuple[int, Finding]
"""A reviewer's seat and what it reports."""


def common(reviews: Sequence[Sequence[Finding]], *, quorum: float) -> list[Finding]:
    """One finding for every place that at least a share `quorum` of the reviewers report.

    Pairs of different reviewers' findings are joined from the largest overlap down; a group takes in another
    only if each member of one overlaps each of the other. A reviewer has one vote in a group, however often it is
    in it. The member that overlaps the others most speaks for its group. Ties: the earlier seat first, then the
    earlier finding.
    """
    votes: list[Vote] = [(seat, finding) for seat, review in enumerate(reviews) for finding in review]
    groups = grouped(votes)
    kept = [group for group in groups if len({seat for seat, _ in group}) >= quorum * len(reviews) - 1e-9]
    return [speaker([finding for _, finding in group]) for group in kept]


def grouped(votes: Sequence[Vote]) -> list[list[Vote]]:
    """The votes by place; groups in the order of their first votes."""
    shares = {
        (left, right): overlap([votes[left][1].span], [votes[right][1].span])
        for left, right in combinations(range(len(votes)), 2)
    }
    group = {number: [number] for number in range(len(votes))}
    for left, right in sorted(shares, key=lambda pair: (-shares[pair], pair)):
        mine, theirs = group[left], group[right]
        pairs = (shares[min(one, other), max(one, other)] for one in mine for other in theirs if one != other)
        if votes[left][0] != votes[right][0] and mine is not theirs and all(share >= SAME for share in pairs):
            mine += theirs
            group.update(dict.fromkeys(theirs, mine))
    distinct = {id(members): sorted(members) for members in group.values()}
    return [[votes[number] for number in members] for members in sorted(distinct.values())]


def speaker(findings: Sequence[Finding]) -> Finding:
    """The finding that overlaps the others most, the first of several."""

    def nearness(finding: Finding) -> float:
        return sum(overlap([finding.span], [other.span]) for other in findings)

    return max(findings, key=nearness)


def once(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without repetitions of place and words."""
    return list({(finding.span, finding.text): finding for finding in reversed(list(findings))}.values())[
        ::-1
    ]
