"""Records in a reply of JSON, however its author wrapped them: by id, in a list, one object a record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.protocols.adversarial_review_items import ID

NAMES = ("id", "objection", "claim")
"""Fields that can name what a listed record is about."""
NEW = ("new_claims", "findings", "issues")
"""Fields in which claims come that nobody asked for."""
AGAIN = "\x00"
"""Marks a key that stands twice in one object."""


@dataclass(frozen=True, slots=True)
class Given:
    """A record as it was given: its id as it was written, and its fields."""

    id: str
    fields: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Found:
    """The records of a text, claims that nobody asked for, and all its values as plain text.

    `tried` says that the text is JSON of the wanted kind, or breaks off as such: then it is no prose.
    """

    records: tuple[Given, ...]
    late: tuple[str, ...]
    tried: bool
    values: str


def found_in(text: str, listed: str, *, cut: bool) -> Found:
    """What a text holds under the key `listed` (the last such object counts), else in objects that name an id."""
    objects, broken = _objects(text)
    if cut and broken:
        objects = []
    under = [value for value in objects if isinstance(value, dict) and listed in value]
    records = list(_records(under[-1][listed] if under else objects))
    late = [json.dumps(one) for value in under[-1:] for key in NEW for one in _list(value.get(key))]
    values = " ".join(_texts(objects)) if records else text
    return Found(tuple(records), tuple(late), bool(under) or f'"{listed}"' in text, values)


def _objects(text: str) -> tuple[list[JsonValue], bool]:
    """All outermost objects and lists, and whether any was left open."""
    decoder, place, found, broken = (
        json.JSONDecoder(object_pairs_hook=_all_pairs),
        0,
        list[JsonValue](),
        False,
    )
    while (
        start := min((at for at in (text.find("{", place), text.find("[", place)) if at >= 0), default=-1)
    ) >= 0:
        try:
            value, place = decoder.raw_decode(text, start)
            found.append(value)
        except (ValueError, RecursionError):
            place, broken = start + 1, broken or text[start] == "{"
    return found, broken


def _all_pairs(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    whole: dict[str, JsonValue] = {}
    for key, value in pairs:
        whole[key + AGAIN * sum(known.rstrip(AGAIN) == key for known in whole)] = value
    return whole


def _records(value: JsonValue) -> Iterable[Given]:
    if isinstance(value, list):
        for item in value:
            yield from _records(item)
    elif isinstance(value, dict):
        names = [str(value[key]).strip() for key in NAMES if isinstance(value.get(key), str)]
        if names:
            yield Given(next(filter(ID.fullmatch, names), names[0]), value)
        else:
            yield from (Given(k.rstrip(AGAIN).strip(), v) for k, v in value.items() if isinstance(v, dict))


def _list(value: JsonValue) -> list[JsonValue]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _texts(value: JsonValue) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        yield from _texts(item)
