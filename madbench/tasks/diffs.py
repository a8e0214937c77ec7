"""Unified diffs as documents: the new files as far as the diff shows them, under their own line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from madbench.tasks.documents import artifact_of
from madbench.types import UNSHOWN, Artifact, InputError

HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
GIT = re.compile(r'diff --git (?:"?a/.*?"?) (?P<new>"b/.*"|b/.*)$')
ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
FARTHEST = 100_000
"""The last line that a hunk may reach."""


@dataclass
class Changed:
    """One file of a diff: its lines by number, which of them are new, and what was removed before which line."""

    name: str
    lines: dict[int, str] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)
    removed: list[tuple[int, str]] = field(default_factory=list)
    note: str = ""

    @property
    def text(self) -> str:
        return "\n".join(
            self.lines.get(number, UNSHOWN) for number in range(1, max(self.lines, default=0) + 1)
        )


def artifact_of_diff(diff: str, purpose: str, where: str) -> Artifact:
    """The artifact to review in a unified diff (plain or git's).

    Its purpose says which lines are new and what was removed. Files without lines of their own (deleted, renamed
    alone, binary) are notes. Raises InputError, with the diff's line, for what is no unified diff.
    """
    files = list(files_of(diff, where))
    if not files:
        raise InputError(
            f"{where}: no unified diff; wanted '--- a/file', '+++ b/file' and '@@ -1,2 +1,3 @@' lines"
        )
    texts = {file.name: file.text for file in files if file.lines}
    notes = [f"{file.name}: {file.note or 'no lines of it are shown'}" for file in files if not file.lines]
    if not texts:
        raise InputError(f"{where}: the diff leaves no file to review; {'; '.join(notes)}")
    said = "\n".join(filter(None, (purpose.strip(), _added(files), _removed(files))))
    return artifact_of(texts, said, where, notes=notes)


def files_of(diff: str, where: str) -> Iterator[Changed]:
    """The files that a diff changes, in order; a file that comes twice is one file."""
    files: dict[str, Changed] = {}
    rows = diff.replace("\r\n", "\n").removesuffix("\n").split("\n")
    at, file = 0, None
    while at < len(rows):
        row = rows[at]
        if row.startswith("@@@"):
            raise InputError(
                f"{where}, line {at + 1}: a combined diff of a merge; wanted a diff against one parent"
            )
        if match := GIT.match(row):
            name = _name(match["new"], where, at)
            file = files.setdefault(name, Changed(name))
        elif row.startswith("--- ") and rows[at + 1 : at + 2] and rows[at + 1].startswith("+++ "):
            old, new = _name(row[4:], where, at), _name(rows[at + 1][4:], where, at + 1)
            name = old if new == "/dev/null" else new
            file = files.setdefault(name, Changed(name, note="deleted" if new == "/dev/null" else ""))
            at += 1
        elif file and (match := HUNK.match(row)):
            at = _hunk(rows, at, match, file, where)
            continue
        elif file and row.startswith(("Binary files ", "GIT binary patch")):
            file.note = "binary"
        elif file and row.startswith("deleted file"):
            file.note = "deleted"
        at += 1
    yield from files.values()


def _hunk(rows: Sequence[str], at: int, header: re.Match[str], file: Changed, where: str) -> int:
    """Take in one hunk; the place of the row behind it. A deleted file's lines are removed ones."""
    begun, number = at, int(header["start"])
    old, new = int(header["old"] or 1), int(header["new"] or 1)
    if number + new > FARTHEST:
        raise InputError(f"{where}, line {begun + 1}: a hunk beyond line {FARTHEST} of {file.name}")
    while old or new:
        at += 1
        row = rows[at] if at < len(rows) else None
        sign = " " if row == "" else row[0] if row else None
        if row is None or sign not in (" ", "+", "-", "\\"):
            raise InputError(
                f"{where}, line {begun + 1}: a hunk of {file.name} ends early: {old} old, {new} new lines wanted"
            )
        if sign == "-":
            file.removed.append((number, row[1:]))
        elif sign in (" ", "+"):
            file.lines[number] = row[1:]
            file.added += [number] if sign == "+" else []
            number += 1
        old, new = old - (sign in (" ", "-")), new - (sign in (" ", "+"))
    return at + 1


def _name(said: str, where: str, at: int) -> str:
    """A file's name without git's prefix, quotes and time."""
    name = said.partition("\t")[0].strip()
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        raw = name[1:-1].encode("utf-8", "replace")
        name = ESCAPE.sub(lambda match: _byte(match[1]), raw).decode("utf-8", "replace")
    if not name:
        raise InputError(f"{where}, line {at + 1}: a file without a name")
    return name[2:] if name.startswith(("a/", "b/")) else name


def _byte(code: bytes) -> bytes:
    return bytes([int(code, 8) & 255]) if len(code) == 3 else ESCAPES.get(code, code)


def _added(files: Sequence[Changed]) -> str:
    new = ", ".join(f"{file.name}:{runs(file.added)}" for file in files if file.added)
    return f"New lines: {new}" if new else ""


def _removed(files: Sequence[Changed]) -> str:
    rows = [
        f"{file.name}, before line {number}: {text}"
        for file in files
        for number, text in file.removed
        if file.lines
    ]
    return "\n".join(["Removed lines:", *rows]) if rows else ""


def runs(numbers: Sequence[int]) -> str:
    """Ascending numbers as ranges: `3-5, 9`."""
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
