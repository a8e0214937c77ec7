"""A table before it is drawn: as text for a terminal, as Markdown for a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from madbench.report.cells import plain

WIDTH = 120
"""The widest a printed table may be, in characters."""
GAP = "  "
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
        """Aligned for a fixed-width font, at most WIDTH wide: the first column wraps to make room."""
        table = [self.head, *(tuple(plain(cell) for cell in row) for row in self.rows)]
        widths = [max(_width(row[column]) for row in table) for column in range(len(self.head))]
        others = sum(widths[1:]) + len(GAP) * (len(widths) - 1)
        widths[0] = min(widths[0], max(NARROWEST, WIDTH - others))
        head, *body = [_line(row, widths) for row in table]
        return "\n".join(
            [
                plain(self.title),
                head,
                "-" * (sum(widths[1:]) + widths[0] + len(GAP) * (len(widths) - 1)),
                *body,
            ]
        )

    def markdown(self) -> str:
        head = "| " + " | ".join(one_line(cell) for cell in self.head) + " |"
        rule = "|" + "|".join([":--", *["--:"] * (len(self.head) - 1)]) + "|"
        rows = ["| " + " | ".join(mark(cell) for cell in row) + " |" for row in self.rows]
        return "\n".join([f"**{mark(self.title)}**", "", head, rule, *rows])


def one_line(head: str) -> str:
    """A head without its breaks: `unpar-` over `sed %` is `unparsed %`."""
    return head.replace("-\n", "").replace("\n", " ")


def mark(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return "".join("\\" + char if char in "\\`*|<>[]#" else char for char in plain(text))


def _width(cell: str) -> int:
    return max(len(line) for line in cell.split("\n"))


def _line(row: Row, widths: Sequence[int]) -> str:
    """One row of a table, over as many lines as its first cell or its head needs."""
    first, *others = (cell.split("\n") for cell in row)
    first = [piece for line in first for piece in _pieces(line, widths[0])]
    height = max(len(cell) for cell in (first, *others))
    columns = [first, *([*[""] * (height - len(cell)), *cell] for cell in others)]
    lines = zip_longest(*columns, fillvalue="")
    return "\n".join(
        GAP.join(
            [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        ).rstrip()
        for line in lines
    )


def _pieces(text: str, width: int) -> list[str]:
    return [text[start : start + width] for start in range(0, len(text), width)] or [""]
