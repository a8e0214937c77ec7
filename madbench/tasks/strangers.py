"""Issues of another artifact as if they were in this one: what a matcher finds among them is its noise floor."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.types import Artifact, Document, Issue, Span


def at_home(issues: Sequence[Issue], theirs: Artifact, ours: Artifact) -> tuple[Issue, ...]:
    """Issues of `theirs` at the like places of `ours`: document for document, lines in proportion.

    Descriptions stay; document names become ours, since a floor that no finding can reach by its name alone
    would be none. Raises ValueError for an artifact without documents.
    """
    if not theirs.documents or not ours.documents:
        raise ValueError("an artifact without documents")
    places = {document.name: at for at, document in enumerate(theirs.documents)}

    def moved(span: Span) -> Span:
        at = places.get(span.document, 0)
        return _moved(span, theirs.documents[at], ours.documents[at % len(ours.documents)])

    return tuple(issue.model_copy(update={"spans": tuple(map(moved, issue.spans))}) for issue in issues)


def _moved(span: Span, there: Document, here: Document) -> Span:
    """A span of as many lines (of all, where there are fewer), beginning in proportion."""
    total, lines = max(len(there.lines), 1), max(len(here.lines), 1)
    size = min(max(span.size, 1), lines)
    first = min(1 + (span.first - 1) * lines // total, lines - size + 1)
    return Span(document=here.name, first=first, last=first + size - 1)
