"""Reply types that several protocols share."""

from __future__ import annotations

import json
from typing import Self

from pydantic import JsonValue, ValidationError

from madbench.tasks.answers import visible
from madbench.types import Extraction, FormatError, Problem, Reply


class Statement(Reply):
    """An argument that others may hear whole, private reasoning excepted. No answer in it is None, no error."""

    text: str
    found: Extraction

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        return cls(text=visible(text), found=problem.reader.read(text, cut=cut))

    def extraction(self) -> Extraction:
        return self.found

    @property
    def answer(self) -> str | None:
        return self.found.answer


class Form(Reply):
    """A reply that is one JSON object. Prose around it is allowed and never reaches the protocol."""

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        found = json_object(text)
        if found is None:
            raise FormatError(
                f"no JSON object with {list(cls.model_fields)}" + (", cut short" if cut else "")
            )
        try:
            return cls.model_validate_json(found)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "object"
            raise FormatError(f"{where}: {first['msg']}") from error

    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        return cls.model_json_schema()


def json_object(text: str) -> str | None:
    """The last whole JSON object in a text, at the outermost level; None if there is none."""
    decoder, place, found = json.JSONDecoder(), 0, None
    while (start := text.find("{", place)) >= 0:
        try:
            _, place = decoder.raw_decode(text, start)
            found = text[start:place]
        except (ValueError, RecursionError):
            place = start + 1
    return found
