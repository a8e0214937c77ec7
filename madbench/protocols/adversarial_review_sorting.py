"""Which records of a reply count."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import ValidationError

from madbench.protocols.adversarial_review_items import ID, Item, Slip
from madbench.protocols.adversarial_review_json import Given
from madbench.protocols.adversarial_review_rows import Row
from madbench.types import Artifact


def sort(
    kind: type[Row], items: Iterable[Item], records: Iterable[Given], artifact: Artifact
) -> tuple[tuple[Row, ...], list[Slip]]:
    """The first record of each item, judged; what is doubled, about nothing that was asked, or unfit is a slip."""
    names = {name.lower(): item for item in items for name in (item.alias, item.id) if name}
    rows, slips = dict[str, Row](), list[Slip]()
    for record in records:
        named = ID.search(record.id)
        item = names.get((named[0] if named else record.id).lower())
        if item is None or item.id in rows:
            slips.append(Slip(what="unknown_id" if item is None else "duplicate_id", text=record.id))
            continue
        try:
            rows[item.id] = kind.of(item.id, record.fields).judged(item.against, artifact)
        except ValidationError as error:
            first = error.errors()[0]
            where = ": ".join([item.id, *map(str, first["loc"])])
            slips.append(Slip(what="unread", text=f"{where}: {first['msg']}"))
    return tuple(rows.values()), slips
