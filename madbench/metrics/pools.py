"""Vote pools: every sample's independent answers in the order they were drawn, packed."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from madbench.metrics.columns import Plain, fitting

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
"""Row numbers."""
BLOCK = 2048


@dataclass(frozen=True, slots=True)
class Ballot:
    """One independent answer: what it says, whether that is right (0 to 1), what it cost in tokens."""

    answer: str | None
    right: float
    prompt_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Pools:
    """One pool a row, flat: row i's ballots lie at `starts[i]` up to `starts[i + 1]`.

    `choices` numbers a pool's distinct answers by first appearance, -1 for no answer.
    """

    starts: Ints
    choices: npt.NDArray[np.integer]
    right: npt.NDArray[np.floating]
    prompt_tokens: npt.NDArray[np.integer]
    output_tokens: npt.NDArray[np.integer]

    @classmethod
    def join(cls, parts: Sequence[Pools]) -> Pools:
        if not parts:
            return Ballots().packed()
        sizes = np.concatenate([np.diff(part.starts) for part in parts])
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([part.choices for part in parts]),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.prompt_tokens for part in parts]),
            np.concatenate([part.output_tokens for part in parts]),
        )

    @property
    def depths(self) -> Ints:
        """Ballots in every row's pool."""
        return np.diff(self.starts)

    def costs(self, places: Places) -> tuple[Floats, Floats]:
        """Prompt and output tokens of the ballots of rows: rows by depth, NaN past the end of a pool."""
        return self._table(self.prompt_tokens, places, np.nan), self._table(
            self.output_tokens, places, np.nan
        )

    def majorities(self, places: Places, votes: Ints) -> Floats:
        """Accuracy of the majority of each row's first votes, expected over tie-breaks; 0 where nobody answered."""
        parts = [self._majorities(places[block], votes[block]) for block in blocks(len(places))]
        return np.concatenate(parts) if parts else np.empty(0)

    def _majorities(self, places: Places, votes: Ints) -> Floats:
        choices, right = self._table(self.choices, places, -1), self._table(self.right, places, 0)
        choices[np.arange(choices.shape[1]) >= votes[:, None]] = -1
        most, hits, tied = (np.zeros(len(places)) for _ in range(3))
        for choice in range(int(choices.max(initial=-1)) + 1):
            chosen = choices == choice
            count, hit = chosen.sum(axis=1), np.where(chosen, right, 0).max(axis=1)
            leads, joins = count > most, (count == most) & (count > 0)
            hits = np.where(leads, hit, hits + joins * hit)
            tied = np.where(leads, 1, tied + joins)
            most = np.maximum(most, count)
        return hits / np.maximum(tied, 1)

    def _table(self, flat: npt.NDArray[np.generic], places: Places, missing: float) -> Floats:
        """Some rows' pools as a table, one ballot a column."""
        depths = self.depths[places]
        columns = np.arange(int(depths.max(initial=0)))
        inside = columns < depths[:, None]
        table = np.full(inside.shape, missing, np.float64)
        table[inside] = flat[(self.starts[places][:, None] + columns)[inside]]
        return table


def blocks(rows: int) -> Iterator[slice]:
    """Rows in blocks, so that tables as wide as the pools are deep stay small."""
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


class Ballots:
    """Pools under construction, one row's after the other."""

    def __init__(self) -> None:
        self._starts, self._choices, self._right = array("q", [0]), array("h"), array("f")
        self._prompt_tokens, self._output_tokens = array("i"), array("i")

    def add(self, pool: tuple[Ballot, ...]) -> None:
        """The next row's pool; empty for an episode that is none."""
        numbers: dict[str, int] = {}
        for ballot in pool:
            answer = ballot.answer
            self._choices.append(-1 if answer is None else numbers.setdefault(answer, len(numbers)))
            self._right.append(ballot.right)
            self._prompt_tokens.append(ballot.prompt_tokens)
            self._output_tokens.append(ballot.output_tokens)
        self._starts.append(len(self._choices))

    def packed(self) -> Pools:
        starts = np.frombuffer(self._starts, np.int64)
        return Pools(
            starts if starts[-1] else np.broadcast_to(np.zeros(1, np.int64), starts.shape),
            fitting(np.frombuffer(self._choices, np.int16)),
            Plain.narrowed(np.frombuffer(self._right, np.float32)).values,
            fitting(np.frombuffer(self._prompt_tokens, np.int32)),
            fitting(np.frombuffer(self._output_tokens, np.int32)),
        )
