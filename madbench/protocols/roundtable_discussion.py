"""A round of discussion: everybody has the floor once."""

from __future__ import annotations

from madbench.agents import together
from madbench.protocols.roundtable_chair import Heard
from madbench.protocols.roundtable_forms import Contribution
from madbench.protocols.roundtable_seen import Floor
from madbench.protocols.roundtable_table import Table


async def discuss(table: Table) -> None:
    """One after another, each having heard all before it; or all at once, having heard the rounds before."""
    if table.manner.schedule == "sequential":
        said = [_noted(table, name, await _speak(table, name)) for name in table.seats]
    else:
        heard = await together(*(_speak(table, name) for name in table.seats))
        said = [_noted(table, name, each) for name, each in zip(table.seats, heard, strict=True)]
    table.log.took_positions(said)
    table.round += 1


async def _speak(table: Table, name: str) -> Heard[Contribution]:
    own, others = (table.words(name, own=mine) for mine in (True, False))
    seen = Floor(
        me=name, sight=table.sight(name, "repetition"), said=table.said, answer=table.problem.reader.schema()
    )
    return await table.chair.hear(
        (name, table.round), table.seats[name], seen, lambda said: table.gates.contribution(said, own, others)
    )


def _noted(table: Table, name: str, heard: Heard[Contribution]) -> Contribution | None:
    table.log.add(heard.events)
    if heard.said is not None:
        table.lines.append((name, heard.said))
        table.log.contributed(name, table.round, heard.said)
    return heard.said
