"""Where a text holds a review as JSON: fenced, wrapped in prose, or in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

OPENING = re.compile(r'\{\s*["}]|\[\s*[\[{\]"]')
"""Where JSON may begin."""
FENCE = re.compile(r"```[\w+-]{0,12}\s*\n?(.*?)\n?\s*```", re.DOTALL)

LISTS = ("findings", "issues", "comments", "claims", "problems")
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Stated:
    """JSON in a text: `reviews` are lists of findings, `loose` objects that stand alone, each with its place.

    `unfinished` are the places where JSON may begin and nothing whole stands.
    """

    reviews: tuple[tuple[list[JsonValue], Place], ...]
    loose: tuple[tuple[JsonValue, Place], ...]
    unfinished: tuple[int, ...]


def stated(text: str) -> Stated:
    """What JSON a text holds, at the outermost level. A list counts if it holds objects or is all that is said."""
    reviews: list[tuple[list[JsonValue], Place]] = []
    loose: list[tuple[JsonValue, Place]] = []
    unfinished: list[int] = []
    for value, place in _values(text, unfinished):
        rows = _rows(value)
        if rows is None:
            loose += [(value, place)] if isinstance(value, dict) else []
        elif isinstance(value, dict) or any(isinstance(row, dict) for row in rows) or _alone(text, place):
            reviews.append((rows, place))
    return Stated(tuple(reviews), tuple(loose), tuple(unfinished))


def _rows(value: JsonValue) -> list[JsonValue] | None:
    if isinstance(value, list):
        return value
    held = (value[name] for name in LISTS if name in value) if isinstance(value, dict) else ()
    return next((rows for rows in held if isinstance(rows, list)), None)


def _alone(text: str, place: Place) -> bool:
    fenced = FENCE.fullmatch(text.strip())
    return (fenced[1] if fenced else text).strip() == text[slice(*place)]


def _values(text: str, unfinished: list[int]) -> Iterator[tuple[JsonValue, Place]]:
    """Whole values in order; notes where none stands. What is nested too deep to be read ends the search."""
    decoder, start = json.JSONDecoder(), 0
    while match := OPENING.search(text, start):
        try:
            value, start = decoder.raw_decode(text, match.start())
            yield value, (match.start(), start)
        except ValueError:
            unfinished.append(match.start())
            start = match.start() + 1
        except RecursionError:
            unfinished.append(match.start())
            return
