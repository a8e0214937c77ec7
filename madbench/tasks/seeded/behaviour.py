"""What a call does, in a form that can be compared: what it returns or raises, and what became of its arguments.

Standard library alone: the limited subprocess reads this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

LONGEST = 200
"""Items of an iterator that are looked at."""
DIGITS = 9
"""Significant digits in which floats are compared: another order of additions is no fault."""


def shape(value: object, depth: int = 6) -> str:
    """A value's content, the same in every process."""
    if depth == 0:
        return "..."
    if isinstance(value, float):
        return format(value, f".{DIGITS}g")
    if isinstance(value, complex):
        return f"({shape(value.real)}+{shape(value.imag)}j)"
    if value is None or isinstance(value, bool | int | str | bytes | bytearray):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, Mapping):
        return _listed(value, (f"{shape(key, depth - 1)}: {shape(value[key], depth - 1)}" for key in value))
    if isinstance(value, set | frozenset):
        return _listed(value, sorted(shape(item, depth - 1) for item in value))
    if isinstance(value, Iterator | tuple | list):
        return _listed(value, (shape(item, depth - 1) for item in islice(value, LONGEST)))
    return _object(value, depth)


def _listed(value: object, parts: Iterable[str]) -> str:
    return f"{type(value).__name__}({', '.join(parts)})"


def _object(value: object, depth: int) -> str:
    if isinstance(value, type) or callable(value):
        return f"callable {getattr(value, '__qualname__', '')}"
    spelled = repr(value)
    if " at 0x" not in spelled:
        return f"{type(value).__name__} {spelled}"
    held = getattr(value, "__dict__", {})
    return _listed(value, (f"{key}={shape(held[key], depth - 1)}" for key in sorted(held)))


def behaviour(function: Callable[..., object], arguments: list[object]) -> str:
    """Result and arguments after a call that returns. Whatever it raises is raised."""
    result = function(*arguments)
    return f"{shape(result)} | {shape(arguments)}"


def short(text: str) -> str:
    """Sixteen hex digits of a behaviour."""
    return hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=8).hexdigest()
