"""Evidence as it is written: does a reference point at lines that exist?"""

from __future__ import annotations

import re
from collections.abc import Iterable

from madbench.types import Artifact, Span

NUMBERED = re.compile(r"(.+?):(\d+)(?:-(\d+))?", re.DOTALL)
"""`document:line` or `document:first-last`."""
INLINE = re.compile(r"(?<![\w/.+-])([\w./+-]*\w:\d+(?:-\d+)?)(?!\w)")
LINES = re.compile(r"\b(?:lines? |L)(\d+)(?:(?:-| to | and )(\d+))?\b", re.IGNORECASE)


def span_of(reference: str, artifact: Artifact) -> Span | None:
    """The lines that a reference names: `document:line`, `document:first-last`, a document's bare name (all of it),
    or, where there is only one document, `line 7`. None if there are no such lines.
    """
    name, first, last = _parts(reference, artifact)
    documents = [document for document in artifact.documents if document.name == name]
    if not documents:
        return None
    whole = len(documents[0].lines)
    span = Span.model_construct(document=name, first=first or 1, last=last or first or whole)
    return span if span.first >= 1 and artifact.resolves(span) else None


def unresolved(references: Iterable[str], artifact: Artifact) -> tuple[str, ...]:
    """The references that point at nothing."""
    return tuple(reference for reference in references if span_of(reference, artifact) is None)


def cited(given: Iterable[str], text: str, artifact: Artifact) -> tuple[str, ...]:
    """All references of a statement, each once: those given as evidence, then those in its words (of the form
    `line 7` only where there are no others).
    """
    inline = [found for found in INLINE.findall(text) if not found[0].isdigit()]
    named = [
        f"{document.name}{found}"
        for document in artifact.documents
        for found in re.findall(rf"(?<![\w/.]){re.escape(document.name)}(:\d+(?:-\d+)?)(?!\w)", text)
    ]
    lone = [match[0] for match in LINES.finditer(text)] if len(artifact.documents) == 1 else []
    named = [*(item.strip() for item in given), *inline, *named]
    return tuple(dict.fromkeys(named or lone))


def _parts(reference: str, artifact: Artifact) -> tuple[str, int, int]:
    """Document, first and last line; 0 where none is named."""
    plain = reference.strip(" `[]()\"'")
    if found := NUMBERED.fullmatch(plain):
        return found[1], int(found[2]) or -1, int(found[3] or 0)
    if len(artifact.documents) == 1 and (lone := LINES.fullmatch(plain)):
        return artifact.documents[0].name, int(lone[1]) or -1, int(lone[2] or 0)
    return plain, 0, 0
