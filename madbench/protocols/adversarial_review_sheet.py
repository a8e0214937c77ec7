"""A sheet: a reply with one record for each id that it was asked about.

JSON first, `{"<listed>": {"<id>": {<fields>}, …}}`; where there is none, lines of prose with ids and markers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Self, TypeVar

from pydantic import JsonValue, create_model

from madbench.protocols.adversarial_review_degraded import degraded
from madbench.protocols.adversarial_review_items import Demands, Item, Slip, artifact_of
from madbench.protocols.adversarial_review_json import found_in
from madbench.protocols.adversarial_review_lines import said_late, spoken
from madbench.protocols.adversarial_review_rows import Bounds, Row, closed
from madbench.protocols.adversarial_review_sorting import sort
from madbench.tasks.answers import visible
from madbench.types import Problem, Reply

NONE = re.compile(r"\bno (?:further |more )?objections?\b", re.IGNORECASE)


class Sheet(Reply):
    """`rows` one an id; `slips` of form; `flag` says how the whole message is degraded, if it is."""

    rows: tuple[Row, ...]
    slips: tuple[Slip, ...] = ()
    flag: str = ""
    listed: ClassVar[str]
    row: ClassVar[type[Row]]
    demands: ClassVar[Demands] = "moves"
    items: ClassVar[tuple[Item, ...]] = ()
    bounds: ClassVar[Bounds] = Bounds()

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        """Never raises: of what cannot be read there are no rows, and `missing` says so."""
        plain = visible(text)
        found = found_in(plain, cls.listed, cut=cut)
        records, late = found.records, found.late
        if not (records or found.tried):
            records, late = tuple(spoken(plain, cls.row)), said_late(plain)
        rows, slips = sort(cls.row, cls.items, records, artifact_of(problem))
        slips += [Slip(what="late_claim", text=claim) for claim in late]
        if not (rows or found.tried or NONE.search(plain)):
            slips.append(
                Slip(what="unread", text=f'no "{cls.listed}" by id, no line with an id and a marker')
            )
        return cls(rows=rows, slips=tuple(slips), flag=degraded(found.values, read=bool(rows)))

    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        """Exactly one record for every item, by its id."""
        record = cls.row.form(cls.bounds, artifact_of(problem))
        return closed({cls.listed: closed({item.id: record for item in cls.items})})

    def missing(self) -> str:
        unread = [slip.text for slip in self.slips if slip.what == "unread"]
        known = {row.id for row in self.rows}
        silent = [f"nothing on {item.id}" for item in self.items if item.id not in known]
        silent = [] if self.demands == "nothing" else silent
        faulty = [f"{row.id}: {row.fault}" for row in self.rows if row.fault and self.demands == "reasons"]
        return "; ".join([*silent, *faulty, *unread])

    def joined(self, earlier: Self) -> Self:
        rows = {row.id: row for row in (*earlier.rows, *self.rows)}
        kept = tuple(slip for slip in earlier.slips if slip.what != "unread")
        return self.model_copy(update={"rows": tuple(rows.values()), "slips": (*kept, *self.slips)})


SheetT = TypeVar("SheetT", bound=Sheet)


def about(
    sheet: type[SheetT], items: Iterable[Item], bounds: Bounds, demands: Demands | None = None
) -> type[SheetT]:
    """The sheet narrowed to these items; its name stays."""
    narrowed = create_model(sheet.__name__, __base__=sheet, __module__=sheet.__module__)
    narrowed.items, narrowed.bounds, narrowed.demands = tuple(items), bounds, demands or sheet.demands
    return narrowed
