"""Reply types that several protocols share.

Fields of forms are bounded (`Line`, `Short`, `Passage` for text, `max_length` for lists, `ge` and `le` for
numbers), so that a grammar always comes to an end within a known number of tokens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Self

from pydantic import JsonValue, StringConstraints, ValidationError

from madbench.tasks.answers import LabelReader, visible
from madbench.types import Extraction, FindingReader, FormatError, Problem, Reply

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=240)]
Passage = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=600)]


class Statement(Reply):
    """An argument that others may hear whole, private reasoning excepted. No answer in it is None, no error."""

    text: str
    found: Extraction

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        return cls(text=visible(text), found=problem.reader.read(text, cut=cut))

    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        """Free text; but reviews have a form, that of their findings, and labels are a word."""
        reader = problem.reader
        return reader.reply_schema() if isinstance(reader, FindingReader | LabelReader) else None

    def extraction(self) -> Extraction:
        return self.found

    @property
    def answer(self) -> str | None:
        return self.found.answer


class Form(Reply):
    """A reply that is one JSON object. Prose around it is allowed and never reaches the protocol."""

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        found = json_object(visible(text), cut=cut)
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
        return dict(bare_schema(cls))


@lru_cache(maxsize=1024)
def bare_schema(form: type[Form]) -> Mapping[str, JsonValue]:
    """The JSON schema of a form without notes; not to be changed by whoever gets it."""
    return {key: _bare(value) for key, value in form.model_json_schema().items() if key not in NOTES}


NOTES = ("title", "description")
"""What a schema says to readers of its source; left out, so that a reworded docstring changes no request."""


def _bare(schema: JsonValue) -> JsonValue:
    """A schema without notes; a property that happens to be called `title` stays."""
    if isinstance(schema, list):
        return [_bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: _bare(v) for k, v in schema.items() if not (k in NOTES and isinstance(v, str))}


def json_object(text: str, *, cut: bool = False) -> str | None:
    """The last whole JSON object in a text, at the outermost level; None if there is none.

    In a text that was `cut`, an object counts only if no brace before or after it was left open: what
    stands inside an unfinished object is half a reply.
    """
    decoder, place, found, broken = json.JSONDecoder(), 0, None, False
    while (start := text.find("{", place)) >= 0:
        try:
            _, place = decoder.raw_decode(text, start)
            found = text[start:place]
        except (ValueError, RecursionError):
            place, broken = start + 1, True
    return None if cut and broken else found
