"""Progress before a user's eyes: a live table on a terminal, a plain line every ten seconds elsewhere."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from madbench.sweep.progress import Progress
from madbench.types.spelling import plain

if TYPE_CHECKING:
    from rich.table import Table

PLAIN_PERIOD = 10.0
LIVE_PERIOD = 0.5


async def show(progress: Progress) -> None:
    """Show how it comes along until cancelled."""
    if sys.stdout.isatty():
        await _live(progress)
    else:
        await _plain(progress)


async def _plain(progress: Progress) -> None:
    due = PLAIN_PERIOD
    while True:
        await asyncio.sleep(LIVE_PERIOD)
        for notice in _taken(progress):
            print(notice, flush=True)
        if progress.elapsed > due:
            print(line(progress), flush=True)
            due += PLAIN_PERIOD


async def _live(progress: Progress) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(table(progress), auto_refresh=False, transient=True) as live:
        while True:
            await asyncio.sleep(LIVE_PERIOD)
            for notice in _taken(progress):
                live.console.print(Text(notice, style="yellow"))
            live.update(table(progress), refresh=True)


def _taken(progress: Progress) -> list[str]:
    """Notices that were not shown yet."""
    notices, progress.notices = progress.notices, []
    return notices


def line(progress: Progress) -> str:
    """`cot 48/48, debate 12/48 | 310 tokens/s | 2 min 10 s left`."""
    arms = ", ".join(f"{plain(row.name)} {progress.done(row)}/{row.planned}" for row in progress.rows)
    return f"{arms} | {progress.rate:.0f} tokens/s | {left(progress)}"


def table(progress: Progress) -> Table:
    """One row a run, the totals below."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, caption=f"{progress.rate:.0f} tokens/s, {left(progress)}", caption_justify="left")
    for heading in ("arm", "episodes", "", "state", "tokens"):
        shown.add_column(heading, justify="right" if heading in ("episodes", "tokens") else "left")
    for row in progress.rows:
        done, (_, tokens) = progress.done(row), progress.gained(row)
        share = done / row.planned if row.planned else 1.0
        bar = "━" * round(20 * share) + "·" * (20 - round(20 * share))
        shown.add_row(
            Text(plain(row.name)), f"{done}/{row.planned}", bar, progress.state(row.id), str(tokens)
        )
    return shown


def left(progress: Progress) -> str:
    seconds = progress.left
    return "time left not known yet" if seconds is None else f"{duration(seconds)} left"


def duration(seconds: float) -> str:
    """`42 s`, `2 min 10 s` or `3 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
