"""A table before it is drawn: as text for a terminal, as Markdown for a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from madbench.report.cells import plain

WIDTH = 120
"""The widest a printed table may be, in characters."""
GAP, NARROW = "  ", " "
NARROWEST = 12
"""The first column keeps at least so much of a line, whatever the others need."""
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of cells under heads; a line break in a head is where a narrow print may break it."""

    title: str
    head: Row
    rows: tuple[Row, ...]

    def text(self) -> str:
        """Aligned for a fixed-width font, at most WIDTH wide.

        Where that is too narrow, intervals and then columns close up; then the first column wraps.
        """
        table = [self.head, *(tuple(plain(cell) for cell in row) for row in self.rows)]
        gap = GAP
        if _total(_widths(table), gap) > WIDTH:
            table = [tuple(cell.replace(", ", ",") for cell in row) for row in table]
            gap = GAP if _total(_widths(table), GAP) <= WIDTH else NARROW
        widths = _widths(table)
        widths[0] = min(widths[0], max(NARROWEST, widths[0] + WIDTH - _total(widths, gap)))
        head, *body = [_line(row, widths, gap) for row in table]
        return "\n".join([plain(self.title), head, "-" * _total(widths, gap), *body])

    def markdown(self) -> str:
        head = "| " + " | ".join(one_line(cell) for cell in self.head) + " |"
        rule = "|" + "|".join([":--", *["--:"] * (len(self.head) - 1)]) + "|"
        rows = ["| " + " | ".join(mark(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join([f"**{mark(self.title)}**", "", head, rule, *rows])


def unhyphened(head: str) -> str:
    """A head whose words are whole again: `unpar-` over `sed %` is `unparsed %`."""
    return head.replace("-\n", "")


def one_line(head: str) -> str:
    return unhyphened(head).replace("\n", " ")


def mark(text: str) -> str:
    """Text that Markdown shows as it stands; intervals and `<.001` need no escape, links and tags do."""
    return re.sub(r"[\\`*|]|<(?=[A-Za-z/!?])|\](?=[(:\[])", r"\\\g<0>", plain(text))


def _widths(table: Sequence[Row]) -> list[int]:
    return [
        max(len(line) for cell in column for line in cell.split("\n")) for column in zip(*table, strict=True)
    ]


def _total(widths: Sequence[int], gap: str) -> int:
    return sum(widths) + len(gap) * (len(widths) - 1)


def _line(row: Row, widths: Sequence[int], gap: str) -> str:
    """One row of a table, over as many lines as its first cell or its head needs."""
    first, *others = (cell.split("\n") for cell in row)
    first = [piece for line in first for piece in _pieces(line, widths[0])]
    height = max(len(cell) for cell in (first, *others))
    columns = [first, *([*[""] * (height - len(cell)), *cell] for cell in others)]
    lines = zip_longest(*columns, fillvalue="")
    return "\n".join(
        gap.join(
            [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        ).rstrip()
        for line in lines
    )


def _pieces(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)] or [""]
