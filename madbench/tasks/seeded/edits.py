"""Changes to a text by place, and where they lie afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Characters `start` to `end` (not included) give way to `text`."""

    start: int
    end: int
    text: str


def applied(source: str, edits: Iterable[Edit]) -> str:
    """The text after all edits, none of which may overlap another."""
    parts, place = [], 0
    for edit in sorted(edits):
        parts += [source[place : edit.start], edit.text]
        place = edit.end
    return "".join([*parts, source[place:]])


def lines_after(source: str, edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """First and last line (1-based) of each edit in the text after all of them, in the order given.

    Where whole lines were taken out, these are the lines around the gap.
    """
    result = applied(source, edits)
    length = len(result.splitlines())
    spans = {}
    shift = 0
    for edit in sorted(edits):
        first = result.count("\n", 0, edit.start + shift) + 1
        last = first + edit.text.rstrip("\n").count("\n")
        shift += len(edit.text) - (edit.end - edit.start)
        gone = not edit.text and source[edit.start : edit.end].endswith("\n")
        spans[edit] = (max(first - 1, 1), min(last, length)) if gone else (first, last)
    return [spans[edit] for edit in edits]


@dataclass(frozen=True, slots=True)
class Text:
    """A source of ASCII text, in which syntax nodes have places."""

    source: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, source: str) -> Text:
        lengths = [len(line) for line in source.splitlines(keepends=True)]
        return cls(source, (0, *accumulate(lengths)))

    def start(self, node: ast.AST) -> int:
        return self.starts[int(getattr(node, "lineno", 1)) - 1] + int(getattr(node, "col_offset", 0))

    def end(self, node: ast.AST) -> int:
        return self.starts[int(getattr(node, "end_lineno", 1)) - 1] + int(getattr(node, "end_col_offset", 0))

    def of_node(self, node: ast.AST) -> str:
        return self.source[self.start(node) : self.end(node)]

    def whole_lines(self, node: ast.stmt) -> tuple[int, int] | None:
        """Where the lines of a statement begin and end, comments right above it included; None if it shares them."""
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        before = self.source[self.starts[first] : self.start(node)]
        after = self.source[self.end(node) : self.starts[last]]
        if before.strip() or after.partition("#")[0].strip():
            return None
        while first and self._line(first - 1).startswith(f"{before}#"):
            first -= 1
        return self.starts[first], self.starts[last]

    def _line(self, index: int) -> str:
        return self.source[self.starts[index] : self.starts[index + 1]]
