"""What the report takes from the runs' records, in one pass over each and in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from madbench.records.layout import RunFolder
from madbench.report.cells import plain
from madbench.report.episodes import episode_data
from madbench.report.reliability import Reliability
from madbench.report.texts import Texts
from madbench.types import Record, seed_of

EPISODES = 600
"""So many episodes are embedded in a page at most, shared evenly by its runs."""
CHARACTERS = 24_000_000
"""So much text is embedded in a page at most."""

Read = Callable[[RunFolder], Iterator[Record]]


@dataclass(frozen=True, slots=True)
class Material:
    """The tally of each run, the chosen episodes as plain data, how many there are in all, and the runs that have
    no tables (yet).
    """

    reliability: Mapping[str, Reliability]
    episodes: list[dict[str, JsonValue]]
    texts: list[str]
    total: int
    missing: tuple[str, ...] = ()

    @property
    def statement(self) -> str:
        """How many of the episodes can be opened, how they were chosen, and what is not there."""
        said = f"{len(self.episodes):,} of {self.total:,} episodes can be opened"
        if len(self.episodes) == self.total:
            said = f"All {self.total:,} episodes can be opened."
        else:
            said += (
                ": a seeded choice of samples, the same in every arm. "
                "All are in the runs' records.parquet and turns.parquet."
            )
        return f"{said} Without tables: {plain(', '.join(self.missing))}." if self.missing else said


def gather(
    runs: Mapping[str, Path], read: Read, *, episodes: int = EPISODES, characters: int = CHARACTERS
) -> Material:
    """Read every run once. Each run gets an equal share of `episodes` and of `characters`; samples are drawn by
    their names alone, so that arms show the same ones.
    """
    texts, found, total = Texts(), list[dict[str, JsonValue]](), 0
    folders = {label: RunFolder(folder) for label, folder in runs.items()}
    ready = {label: folder for label, folder in folders.items() if folder.records.exists()}
    reliability = {label: Reliability() for label in ready}
    for number, (label, folder) in enumerate(ready.items(), start=1):
        passing = _Passing(read(folder), reliability[label])
        drawn = heapq.nsmallest(max(episodes // len(ready), 1), enumerate(passing), key=_draw)
        total += passing.count
        found += _embed(label, drawn, texts, characters * number // len(ready))
    return Material(
        reliability, found, texts.all, total, tuple(label for label in runs if label not in ready)
    )


class _Passing:
    """Records on their way: each is counted and tallied, none is kept."""

    def __init__(self, records: Iterator[Record], tally: Reliability) -> None:
        self._records, self._tally, self.count = records, tally, 0

    def __iter__(self) -> Iterator[Record]:
        for record in self._records:
            self.count += 1
            self._tally.add(record)
            yield record


def _draw(item: tuple[int, Record]) -> int:
    return seed_of("viewer", item[1].id.sample, item[1].id.epoch)


def _embed(
    label: str, drawn: list[tuple[int, Record]], texts: Texts, characters: int
) -> list[dict[str, JsonValue]]:
    """As many of the drawn as fit, back in the order in which they were read; the first always."""
    fitting: list[tuple[int, dict[str, JsonValue]]] = []
    for place, record in drawn:
        if fitting and texts.size >= characters:
            break
        fitting.append((place, episode_data(label, record, texts)))
    return [data for _, data in sorted(fitting, key=lambda item: item[0])]
