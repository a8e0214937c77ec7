"""An engine that only pretends: it answers every request at once with the smallest reply that can be read."""

from __future__ import annotations

import json

from pydantic import JsonValue

from madbench.types import AnswerReader, Completion, Problem, Request

REPLY = "(a reply)"
"""Stands for the words of a reply; what is asked later may repeat it."""


class Pretender:
    """Fills in forms, and else gives an answer that the problem's reader can find."""

    def __init__(self, problem: Problem) -> None:
        self._text = f"{REPLY} {readable(problem.reader)}"

    async def generate(self, request: Request) -> Completion:
        text = self._text if request.schema is None else json.dumps(smallest(json.loads(request.schema)))
        return Completion(text, "stop", 0, 0)

    def excess(self, request: Request) -> int:
        return 0

    def identity(self, request: Request) -> str:
        return repr(request)


def readable(reader: AnswerReader) -> str:
    """A text in which the reader finds an answer."""
    candidates = [f"Answer: {answer}" for answer in (smallest(reader.schema()), "1", "yes", "A")]
    return next((text for text in candidates if reader.read(text).answer is not None), candidates[0])


def smallest(schema: JsonValue, defs: JsonValue = None) -> JsonValue:
    """A small instance of a JSON schema; texts are `REPLY`, cut or stretched to the bounds."""
    if not isinstance(schema, dict):
        return None
    defs = schema.get("$defs", defs)
    if isinstance(ref := schema.get("$ref"), str) and isinstance(defs, dict):
        return smallest(defs[ref.rpartition("/")[2]], defs)
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "anyOf", "oneOf", "allOf"):
        if isinstance(options := schema.get(key), list):
            return options[0] if key == "enum" else smallest(options[0], defs)
    return _of_type(schema, defs)


def _of_type(schema: dict[str, JsonValue], defs: JsonValue) -> JsonValue:
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties")
        return (
            {name: smallest(field, defs) for name, field in fields.items()}
            if isinstance(fields, dict)
            else {}
        )
    if kind == "array":
        return [smallest(schema.get("items"), defs)] * _bound(schema, "minItems", 0)
    if kind == "string":
        return _text(schema)
    if kind in ("integer", "number"):
        return _bound(schema, "minimum", 0)
    return False if kind == "boolean" else None


def _text(schema: dict[str, JsonValue]) -> str:
    least = _bound(schema, "minLength", 0)
    return REPLY.ljust(least, ".")[: _bound(schema, "maxLength", max(least, len(REPLY)))]


def _bound(schema: dict[str, JsonValue], key: str, default: int) -> int:
    value = schema.get(key)
    return int(value) if isinstance(value, int | float) else default
