"""plan.json, read and written piece by piece: what was asked, then one pair of sample and epochs after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from io import StringIO
from typing import Any

from madbench.records.plan import Asked, Plan

DECODER = json.JSONDecoder()
ASKED = re.compile(r'"asked"\s*:\s*')
OWED = re.compile(r'"owed"\s*:\s*\[')
NEXT = re.compile(r"[\s,]*")


def plan_text(plan: Plan, asked: Asked, version: int) -> str:
    """The whole file, one line of JSON."""
    text = StringIO()
    head = json.dumps(asdict(asked), ensure_ascii=False)
    text.write(f'{{"schema_version": {version}, "asked": {head}, "owed": [')
    for place, pair in enumerate(plan.owed.pairs()):
        text.write(", " * (place > 0) + json.dumps(pair, ensure_ascii=False))
    text.write("]}\n")
    return text.getvalue()


def asked_in(text: str) -> Asked:
    """Raises ValueError where it is not there."""
    return Asked(**_value(text, _after(ASKED, text))[0])


def owed_in(text: str) -> Iterator[tuple[str, int]]:
    """Every pair, one at a time. Raises ValueError where the list is not there or broken off."""
    place = _next(text, _after(OWED, text))
    while text[place : place + 1] != "]":
        (sample, epochs), place = _value(text, place)
        yield sample, epochs
        place = _next(text, place)


def _after(mark: re.Pattern[str], text: str) -> int:
    if not (found := mark.search(text)):
        raise ValueError(f"no {mark.pattern} in it")
    return found.end()


def _next(text: str, place: int) -> int:
    found = NEXT.match(text, place)
    return found.end() if found else place


def _value(text: str, place: int) -> tuple[Any, int]:
    return DECODER.raw_decode(text, place)
