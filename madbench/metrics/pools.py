"""Vote pools: every sample's independent answers in the order they were drawn, packed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


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

    def costs(self, row: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Prompt and output tokens of a row's ballots, in order."""
        span = slice(self.starts[row], self.starts[row + 1])
        return self.prompt_tokens[span], self.output_tokens[span]

    def majority_right(self, row: int, votes: int) -> float:
        """Accuracy of the majority of a row's first `votes` ballots, expected over tie-breaks; 0 without answers."""
        span = slice(self.starts[row], min(self.starts[row] + votes, self.starts[row + 1]))
        choices, right = self.choices[span], self.right[span]
        given = choices >= 0
        if not given.any():
            return 0.0
        counts = np.bincount(choices[given])
        winners = np.flatnonzero(counts == counts.max())
        return sum(float(right[choices == winner][0]) for winner in winners) / len(winners)


def _choices(pool: tuple[Ballot, ...]) -> list[int]:
    numbers: dict[str, int] = {}
    return [
        -1 if ballot.answer is None else numbers.setdefault(ballot.answer, len(numbers)) for ballot in pool
    ]
