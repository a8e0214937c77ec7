"""The seam at the finest grain of reviews: every finding of every view is matched, unmatched or a duplicate.

What an outcome holds is counted anew here, apart from the scorer: a join on a wrong key keeps every episode and
loses findings inside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from madbench.records.seams import check_seam
from madbench.types import Finding, Outcome, Record, findings_of, reads_findings

COUNTS = ("matched", "unmatched", "duplicates")


def accounted(records: Iterable[Record]) -> Iterator[Record]:
    """The records as they come; after the last, SeamError if any review's scores leave out or invent a finding."""
    owed, found = Counter[Hashable](), Counter[Hashable]()
    for record in records:
        held, scored = Counter(findings_held(record)), Counter(findings_scored(record))
        if held != scored:
            owed += held
            found += scored
        yield record
    check_seam("findings to matches", owed.elements(), found.elements())


def findings_held(record: Record) -> Iterator[Hashable]:
    """Every finding of a review, view by view, and by name; nothing for other episodes.

    A review whose scorer failed is owed nothing: its error says so.
    """
    unscored = record.error and not any(name.startswith("view:") for name in record.scores)
    if record.outcome is None or not _is_review(record) or unscored:
        return
    views = _views(record.outcome)
    for view, findings in views.items():
        yield from ((record.id.sample, record.id.epoch, view, place) for place in range(len(findings)))
    yield from ((record.id.sample, record.id.epoch, name) for name in _names(views))


def _names(views: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """What scores call findings by: each first one by its id, else its reviewer and place; later ones once."""
    named = [finding.id for finding in views["union"] if finding.id]
    yield from named
    yield from {
        finding.id for findings in views.values() for finding in findings if finding.id not in ("", *named)
    }
    for view, findings in views.items():
        if view.startswith("reviewer_"):
            yield from (f"{view}/{place}" for place, finding in enumerate(findings) if not finding.id)


def findings_scored(record: Record) -> Iterator[Hashable]:
    """Every finding that the scores speak of, likewise."""
    for name, value in record.scores.items():
        kind, _, rest = name.partition(":")
        view, _, count = rest.rpartition(":")
        if kind == "view" and count == "findings":
            parts = [record.scores.get(f"view:{view}:{part}") for part in COUNTS]
            total = value if None in parts else sum(part or 0.0 for part in parts)
            yield from ((record.id.sample, record.id.epoch, view, place) for place in range(int(total)))
        if kind == "finding":
            yield record.id.sample, record.id.epoch, rest


def _is_review(record: Record) -> bool:
    return record.sample is not None and reads_findings(record.sample.problem.reader)


def _views(outcome: Outcome) -> dict[str, tuple[Finding, ...]]:
    first = [_read(answer) for answer in (outcome.positions[0] if outcome.positions else ())]
    views = {f"reviewer_{seat}": review for seat, review in enumerate(first)}
    views["union"] = tuple(finding for review in first for finding in review)
    views["final"] = _read(outcome.answer)
    more = outcome.facts.get("views")
    named = more if isinstance(more, dict) else {}
    return views | {
        name: _read(answer if isinstance(answer, str) else None) for name, answer in named.items()
    }


def _read(answer: str | None) -> tuple[Finding, ...]:
    try:
        return findings_of(answer)
    except ValueError:
        return ()
