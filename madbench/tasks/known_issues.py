"""Known issues out of rows: several ranges of lines can be one fault, and a fault's words are what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from pydantic import JsonValue

from madbench.tasks.review_columns import Row
from madbench.types import Artifact, InputError, Issue, Span

PLACES = ("path", "filename", "document", "file")


def issues_of(row: Row, artifact: Artifact, name: str, *, one: bool, where: str) -> tuple[Issue, ...] | None:
    """The issues of a row: none for a clean one, None where the row does not say.

    Ranges that share an `issue_group` are one issue, and with `one` all ranges of a row. `name` is the artifact's id.
    Raises InputError for lines that do not exist and for rows that contradict themselves.
    """
    if "mistake_index" in row:
        return _first_mistake(row["mistake_index"], row, artifact, name, where)
    stated, clean = row.get("issues"), row.get("clean")
    if stated is None and not isinstance(clean, bool):
        return None
    rows = [part for part in stated if isinstance(part, dict)] if isinstance(stated, list) else []
    if stated and (not isinstance(stated, list) or len(rows) < len(stated)):
        raise InputError(
            f"{where}: issues {stated!r:.80}; wanted a list of objects with line_start and line_end"
        )
    if isinstance(clean, bool) and clean == bool(rows):
        raise InputError(f"{where}: clean is {clean}, and {len(rows)} issues are given")
    groups: dict[str, list[Row]] = {}
    for number, part in enumerate(rows):
        group = "0" if one else str(part.get("issue_group") or number)
        groups.setdefault(group, []).append(part)
    return tuple(_issue(f"{name}/{group}", parts, artifact, where) for group, parts in groups.items())


def differences(text: str, fixed: str, kind: str) -> list[JsonValue]:
    """Where a text differs from its corrected form, as rows of issues; what is missing is missed between two lines."""
    ours, theirs = text.splitlines(), fixed.splitlines()
    found: list[JsonValue] = []
    for tag, first, last, start, stop in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            low, high = (
                (first + 1, last) if last > first else (max(first, 1), min(first + 1, max(len(ours), 1)))
            )
            lines: dict[str, JsonValue] = {"line_start": low, "line_end": high, "category": kind}
            found.append(
                {**lines, "buggy_lines": list(ours[first:last]), "fixed_lines": list(theirs[start:stop])}
            )
    return found


def _issue(name: str, parts: Sequence[Row], artifact: Artifact, where: str) -> Issue:
    kinds = [kind for part in parts if (kind := _text(part, "category") or _text(part, "kind"))]
    words = dict.fromkeys(word for part in parts if (word := _words(part)))
    spans = tuple(_span(part, artifact, where) for part in parts)
    return Issue(id=name, spans=spans, kind=kinds[0] if kinds else "", description="; ".join(words))


def _span(part: Row, artifact: Artifact, where: str) -> Span:
    first, last = part.get("line_start", part.get("line")), part.get("line_end", part.get("line"))
    last = first if last is None else last
    named = next((name for key in PLACES if (name := _text(part, key))), artifact.documents[0].name)
    if not isinstance(first, int) or not isinstance(last, int) or not 1 <= first <= last:
        raise InputError(
            f"{where}: issue lines {first!r} to {last!r}; wanted line_start and line_end from 1 on"
        )
    span = Span(document=named, first=first, last=last)
    if not artifact.resolves(span):
        lines = {document.name: len(document.lines) for document in artifact.documents}
        raise InputError(
            f"{where}: an issue at {named}:{first}-{last}, which is not there; documents and lines: {lines}"
        )
    return span


def _words(part: Row) -> str:
    """What is known of a fault: a description, else symptom and the lines that would be right."""
    if said := _text(part, "description") or _text(part, "message") or _text(part, "comment"):
        return said
    fixed, buggy = _code(part.get("fixed_lines")), _code(part.get("buggy_lines"))
    mended = f"should be: {fixed}" if fixed else f"should not be there: {buggy}" if buggy else ""
    return "; ".join(filter(None, (_text(part, "symptom"), mended)))


def _code(lines: JsonValue) -> str:
    return (
        " ".join(line.strip() for line in lines if isinstance(line, str)) if isinstance(lines, list) else ""
    )


def _text(part: Row, key: str) -> str:
    value = part.get(key)
    return value.strip() if isinstance(value, str) else ""


def _first_mistake(
    index: JsonValue, row: Row, artifact: Artifact, name: str, where: str
) -> tuple[Issue, ...]:
    """The first wrong step of a trace, counted from 0; none where all are right."""
    if index is None:
        return ()
    document = artifact.documents[0]
    if not isinstance(index, int) or not 0 <= index < len(document.lines):
        raise InputError(
            f"{where}: mistake_index {index!r}, and there are steps 0 to {len(document.lines) - 1}"
        )
    span = Span(document=document.name, first=index + 1, last=index + 1)
    return (
        Issue(id=f"{name}/0", spans=(span,), kind=_text(row, "task"), description="The first wrong step."),
    )
