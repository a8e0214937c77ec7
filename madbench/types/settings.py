"""Settings as dataclasses, checked where they are made."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from madbench.types.errors import InputError

PLAIN = (str, int, float, bool, NoneType)


def check_settings(settings: object, where: str) -> None:
    """Raise InputError naming the first plain setting (number, text, choice, list of those) of a wrong kind."""
    for name, hint in get_type_hints(type(settings)).items():
        value = getattr(settings, name)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise InputError(f"{where}.{name}: {value!r} is none of {list(get_args(hint))}")
        try:
            _ = _is_plain(hint) and TypeAdapter(hint).validate_python(value, strict=True)
        except ValidationError as error:
            raise InputError(f"{where}.{name}: {error.errors()[0]['msg']}, found {value!r}") from error


def _is_plain(hint: object) -> bool:
    if hint in PLAIN or get_origin(hint) is Literal:
        return True
    return get_origin(hint) in (Sequence, UnionType) and all(map(_is_plain, get_args(hint)))
