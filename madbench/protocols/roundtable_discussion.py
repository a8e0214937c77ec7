"""A round of discussion: everybody has the floor once."""

from __future__ import annotations

from functools import partial

from madbench.protocols.roundtable_chair import Hearing
from madbench.protocols.roundtable_forms import Contribution
from madbench.protocols.roundtable_seen import Floor
from madbench.protocols.roundtable_table import Table


async def discuss(table: Table) -> None:
    """One after another, each having heard all before it; or all at once, having heard the rounds before."""
    if table.manner.schedule == "sequential":
        said = [(await _hear(table, name))[0] for name in table.seats]
    else:
        said = await _hear(table, *table.seats)
    table.log.took_positions(said)
    table.round += 1


async def _hear(table: Table, *names: str) -> list[Contribution | None]:
    hearings = [_floor(table, name) for name in names]
    await table.chair.hear(*hearings)
    for name, heard in zip(names, hearings, strict=True):
        table.log.add(heard.events)
        if heard.said is not None:
            table.lines.append((name, heard.said))
            table.log.contributed(name, table.round, heard.said)
    return [heard.said for heard in hearings]


def _floor(table: Table, name: str) -> Hearing[Floor, Contribution]:
    own, others = (table.words(name, own=mine) for mine in (True, False))
    sight, answer = table.sight(name, "repetition"), table.problem.reader.schema()
    seen = Floor(me=name, sight=sight, said=table.said, answer=answer)
    gate = partial(table.gates.contribution, own=own, others=others)
    return Hearing((name, table.round), table.seats[name], seen, gate)
