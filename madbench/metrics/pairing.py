"""Rows of two arms brought together: the same draw of the same sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from madbench.types import InputError

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Keys:
    """What pairs a row with another arm's: its sample (a place among sorted `names`) and its draw."""

    names: npt.NDArray[np.bytes_]
    codes: npt.NDArray[np.int32]
    draws: Ints

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, place: int) -> tuple[bytes, int]:
        """One row's sample and draw."""
        return bytes(self.names[self.codes[place]]), int(self.draws[place])

    @property
    def distinct(self) -> int:
        """How many rows there are, one that is there twice counted once."""
        return len(np.unique(_numbered(self, self.names, np.unique(self.draws))))


def same_rows(ours: Keys, theirs: Keys) -> Places:
    """For every row of ours the place of its partner; InputError unless both arms hold the same samples."""
    alike = np.array_equal(ours.names, theirs.names)
    names = ours.names if alike else np.union1d(ours.names, theirs.names)
    draws = np.union1d(ours.draws, theirs.draws)
    mine, others = _numbered(ours, names, draws), _numbered(theirs, names, draws)
    order = np.argsort(others, kind="stable")
    others = others[order]
    if np.array_equal(_unique(mine), others):
        return order[np.searchsorted(others, mine)]
    raise _differing(ours, theirs, mine, others, order)


def _numbered(keys: Keys, names: npt.NDArray[np.bytes_], draws: Ints) -> Ints:
    """One whole number a row, in the order of samples and draws."""
    codes = keys.codes if keys.names is names else np.searchsorted(names, keys.names)[keys.codes]
    return codes.astype(np.int64) * len(draws) + np.searchsorted(draws, keys.draws)


def _unique(numbers: Ints) -> Ints:
    found = np.sort(numbers)
    fresh = np.ones(len(found), np.bool_)
    fresh[1:] = found[1:] != found[:-1]
    return found if fresh.all() else found[fresh]


def _differing(ours: Keys, theirs: Keys, mine: Ints, others: Ints, order: Places) -> InputError:
    """Says how many rows only one arm has, and names the first."""
    missing = np.flatnonzero(~np.isin(mine, others))
    extra = np.unique(others[~np.isin(others, mine)])
    if len(missing):
        first = ours.at(int(missing[0]))
    else:
        place = int(np.searchsorted(others, extra[0])) if len(extra) else 0
        first = theirs.at(int(order[place]))
    return InputError(
        f"comparison: wanted the same samples in both arms, found {len(missing)} only in the first, "
        f"{len(extra)} only in the second, e.g. {first[0].decode()}"
    )
