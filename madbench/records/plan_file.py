"""plan.json, read and written piece by piece: what was asked, then one pair of sample and epochs after another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, TextIO

from madbench.records.plan import Asked, Plan

DECODER = json.JSONDecoder()
ASKED = re.compile(r'"asked"\s*:')
OWED = re.compile(r'"owed"\s*:\s*\[')
BETWEEN = re.compile(r"[\s,]*")
CHUNK = 1 << 16
"""Characters that are read at once."""


def plan_pieces(plan: Plan, asked: Asked, version: int) -> Iterator[str]:
    """The whole file, one line of JSON."""
    head = json.dumps(asdict(asked), ensure_ascii=False)
    yield f'{{"schema_version": {version}, "asked": {head}, "owed": ['
    for place, pair in enumerate(plan.owed.pairs()):
        yield ", " * (place > 0) + json.dumps(pair, ensure_ascii=False)
    yield "]}\n"


def asked_in(file: TextIO) -> Asked:
    """Raises ValueError where it is not there."""
    reading = Reading(file)
    reading.skip(ASKED)
    return Asked(**reading.value())


def owed_in(file: TextIO) -> Iterator[tuple[str, int]]:
    """Every pair, one at a time. Raises ValueError where the list is not there or broken off."""
    reading = Reading(file)
    reading.skip(OWED)
    while reading.next() != "]":
        sample, epochs = reading.value()
        yield sample, epochs


class Reading:
    """A text that is read no further than it was asked for, and forgotten behind its place."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._text, self._place = file, "", 0

    def skip(self, mark: re.Pattern[str]) -> None:
        """Past the next place that matches. Raises ValueError where none does."""
        while not (found := mark.search(self._text, self._place)):
            if not self._more():
                raise ValueError(f"no {mark.pattern} in it")
        self._place = found.end()

    def next(self) -> str:
        """The next character that is neither space nor comma; nothing at the end."""
        while (found := BETWEEN.match(self._text, self._place)) and found.end() == len(self._text):
            if not self._more():
                return ""
        self._place = found.end() if found else self._place
        return self._text[self._place]

    def value(self) -> Any:
        """The next object or list. Raises ValueError where there is none, or not all of it."""
        self.next()
        while True:
            try:
                value, self._place = DECODER.raw_decode(self._text, self._place)
            except ValueError:
                if not self._more():
                    raise
            else:
                return value

    def _more(self) -> bool:
        """Read on: as much again as is kept, so that a long value costs no more than twice its length."""
        kept = self._text[self._place :]
        new = self._file.read(max(CHUNK, len(kept)))
        self._text, self._place = kept + new, 0
        return bool(new)
