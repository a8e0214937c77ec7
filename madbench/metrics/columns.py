"""Columns in little memory: few different values are kept once, with a byte or two a row to say which."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

AnyT = TypeVar("AnyT", bound=np.generic)
AnyT_co = TypeVar("AnyT_co", bound=np.generic, covariant=True)
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BYTE = 2**8
NAN = float("nan")


class Column(Protocol[AnyT_co]):
    """One value a row."""

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """What it holds in memory."""
        ...

    def whole(self) -> npt.NDArray[AnyT_co]:
        """All values, row by row, in full width."""
        ...


@dataclass(frozen=True, slots=True)
class Coded(Generic[AnyT]):
    """The different values, and for every row the place of its own among them. A constant takes nothing a row."""

    different: npt.NDArray[AnyT]
    places: npt.NDArray[np.unsignedinteger]

    @classmethod
    def constant(cls, value: npt.NDArray[AnyT], rows: int) -> Coded[AnyT]:
        """One value, given as an array of one, for every row."""
        return cls(value, np.broadcast_to(np.zeros(1, np.uint8), (rows,)))

    @classmethod
    def stacked(cls, parts: Sequence[Coded[AnyT]]) -> Coded[AnyT]:
        """Several columns one below the other; a value that two of them have is kept twice."""
        starts = np.cumsum([0, *(len(part.different) for part in parts)])
        kind = np.min_scalar_type(int(starts[-1]))
        moved = [
            part.places.astype(kind) + kind.type(start) for part, start in zip(parts, starts, strict=False)
        ]
        return cls(np.concatenate([part.different for part in parts]), np.concatenate(moved))

    def __len__(self) -> int:
        return len(self.places)

    @property
    def nbytes(self) -> int:
        return self.different.nbytes + (self.places.nbytes if all(self.places.strides) else 1)

    def whole(self) -> npt.NDArray[AnyT]:
        found: npt.NDArray[AnyT] = self.different[self.places]
        return found


@dataclass(frozen=True, slots=True)
class Plain:
    """Numbers row by row, in the narrowest float type that holds them all exactly."""

    values: npt.NDArray[np.floating]

    @classmethod
    def narrowed(cls, wide: Floats) -> Plain:
        with np.errstate(over="ignore"):
            for slim in (wide.astype(np.float16), wide.astype(np.float32)):
                if ((slim == wide) | np.isnan(wide)).all():
                    return cls(slim)
        return cls(wide)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        return self.values.nbytes

    def whole(self) -> Floats:
        return self.values.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Stack(Generic[AnyT]):
    """Columns one below the other, held where they are."""

    parts: Sequence[Column[AnyT]]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.parts)

    def whole(self) -> npt.NDArray[AnyT]:
        return np.concatenate([part.whole() for part in self.parts])


class Codes:
    """Rows' values while they come in: each different one once, and every row's place in the narrowest type."""

    def __init__(self, first: float | str = "", rows: int = 0) -> None:
        """So many rows of one value to begin with."""
        self.known: dict[float | str, int] = {first: 0} if rows else {}
        self._alike, self._places = rows, array("B")

    def __len__(self) -> int:
        return self._alike or len(self._places)

    def add(self, value: float | str) -> None:
        place = self.known.setdefault(value, len(self.known))
        if place and self._alike:
            self._places, self._alike = array("B", bytes(self._alike)), 0
        if place >> 8 * self._places.itemsize:
            self._places = array("H" if place == BYTE else "I", self._places)
        if place or self._places:
            self._places.append(place)
        else:
            self._alike += 1

    def packed(self, different: npt.NDArray[AnyT]) -> Coded[AnyT]:
        """The column, given the different values as an array. Nothing can be added afterwards."""
        if not self._places:
            return Coded.constant(different, self._alike)
        return Coded(different, np.frombuffer(self._places, self._places.typecode))


class Numbers:
    """A column of numbers that comes in row by row: coded until more than 256 differ, then eight bytes a row."""

    def __init__(self, rows: int = 0) -> None:
        """So many rows in which the number is undefined."""
        self._codes: Codes | None = Codes(NAN, rows)
        self._plain = array("d")

    def add(self, value: float) -> None:
        value = NAN if value != value else float(value)
        if self._codes is None:
            self._plain.append(value)
            return
        self._codes.add(value)
        if len(self._codes.known) > BYTE:
            self._plain, self._codes = array("d", _numbers(self._codes).whole().tobytes()), None

    def packed(self) -> Column[np.floating]:
        if self._codes is not None:
            return _numbers(self._codes)
        return Plain.narrowed(np.frombuffer(self._plain, np.float64))


class Words:
    """A column of short texts that comes in row by row; empty where a row has none."""

    def __init__(self, rows: int = 0) -> None:
        self._codes = Codes("", rows)

    def add(self, value: str) -> None:
        self._codes.add(value)

    def packed(self) -> Coded[np.object_]:
        return self._codes.packed(np.array([*self._codes.known], np.object_))


def _numbers(codes: Codes) -> Coded[np.float64]:
    return codes.packed(np.fromiter(codes.known, np.float64, len(codes.known)))


def fitting(values: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
    """Whole numbers in the narrowest signed type that holds them all."""
    lowest, highest = int(values.min(initial=0)), int(values.max(initial=0))
    return values.astype(np.result_type(np.min_scalar_type(lowest), np.min_scalar_type(-highest - 1)))
