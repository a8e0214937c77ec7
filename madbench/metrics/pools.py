"""Vote pools: every sample's independent answers in the order they were drawn, packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
"""Row numbers."""


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
    choices: npt.NDArray[np.int16]
    right: npt.NDArray[np.float32]
    prompt_tokens: npt.NDArray[np.int32]
    output_tokens: npt.NDArray[np.int32]

    @classmethod
    def of(cls, pools: Sequence[tuple[Ballot, ...]]) -> Pools:
        ballots = [ballot for pool in pools for ballot in pool]
        return cls(
            np.cumsum([0, *map(len, pools)], dtype=np.int64),
            np.array([choice for pool in pools for choice in _choices(pool)], np.int16),
            np.array([ballot.right for ballot in ballots], np.float32),
            np.array([ballot.prompt_tokens for ballot in ballots], np.int32),
            np.array([ballot.output_tokens for ballot in ballots], np.int32),
        )

    @classmethod
    def join(cls, parts: Sequence[Pools]) -> Pools:
        if not parts:
            return cls.of([])
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


def _choices(pool: tuple[Ballot, ...]) -> list[int]:
    numbers: dict[str, int] = {}
    return [
        -1 if ballot.answer is None else numbers.setdefault(ballot.answer, len(numbers)) for ballot in pool
    ]
