"""An engine that only pretends: it answers every request at once with a small reply that can be read."""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from madbench.types import AnswerReader, Completion, Problem, Request, reads_findings

REPLY = "(a reply of up to     0 tokens)"
"""Stands for the words of a reply; what is asked later may repeat it. What is replied has the request's own limit."""
LONG = "a long reply, "
"""Fills a text to its bound where that is known: then its letters count, and not the reply that it is part of."""
BARE = (*"123456789", "yes", "no", *"ABCDEFGHI")
"""Answers that one reader or another understands."""


class Pretender:
    """Fills in forms, and else gives an answer that the problem's reader can find.

    The replies go round `choices` different answers: where seats agree, some protocols ask less. In reviews every
    list is as long as it may be: of nothing found there is nothing to debate.
    """

    def __init__(self, problem: Problem, choices: int = 1) -> None:
        self._answers = readable(problem.reader)[:choices]
        self._choices, self._full = choices, reads_findings(problem.reader)
        self._asked = 0

    async def generate(self, request: Request) -> Completion:
        turn = self._asked % self._choices
        self._asked += 1
        if request.schema is not None:
            filled = smallest(json.loads(request.schema), pick=turn, full=self._full)
            text = json.dumps(filled)
        else:
            text = f"{REPLY} {self._answers[turn % len(self._answers)]}"
        return Completion(text.replace(REPLY, reply_of(request.sampling.max_tokens)), "stop", 0, 0)

    def excess(self, request: Request) -> int:
        return 0

    def identity(self, request: Request) -> str:
        return repr(request)


def reply_of(limit: int) -> str:
    """What stands for a reply of so many tokens: as many letters as REPLY, up to 99,999 tokens."""
    return f"(a reply of up to {limit:5d} tokens)"


def repeated(text: str) -> int:
    """Tokens of all the replies that a text repeats, each as long as allowed."""
    return sum(map(int, re.findall(r"\(a reply of up to +(\d+) tokens\)", text)))


def readable(reader: AnswerReader) -> list[str]:
    """Texts in which the reader finds an answer, each another; where it finds none in any, one text all the same."""
    options = reader.schema().get("enum")
    bare = [*(options if isinstance(options, list) else ()), smallest(reader.schema()), *BARE]
    texts: dict[str, str] = {}
    for text in (f"Answer: {answer}" for answer in bare):
        if found := reader.read(text).answer:
            texts.setdefault(found, text)
    return list(texts.values()) or [f"Answer: {bare[0]}"]


def smallest(schema: JsonValue, defs: JsonValue = None, *, pick: int = 0, full: bool = False) -> JsonValue:
    """A small instance of a JSON schema; texts are `REPLY`, cut or stretched to the bounds, and of listed values
    the one at `pick`, counted round, is taken.

    With `full`, texts and lists are as long as they may be, each item another: values are picked, and numbers
    counted, on.
    """
    if not isinstance(schema, dict):
        return None
    defs = schema.get("$defs", defs)
    if isinstance(ref := schema.get("$ref"), str) and isinstance(defs, dict):
        return smallest(defs[ref.rpartition("/")[2]], defs, pick=pick, full=full)
    if "const" in schema:
        return schema["const"]
    if isinstance(listed := schema.get("enum"), list):
        return listed[pick % len(listed)]
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(options := schema.get(key), list):
            return smallest(options[0], defs, pick=pick, full=full)
    return _of_type(schema, defs, pick, full=full)


def _of_type(schema: dict[str, JsonValue], defs: JsonValue, pick: int, *, full: bool) -> JsonValue:
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties")
        return (
            {name: smallest(field, defs, pick=pick, full=full) for name, field in fields.items()}
            if isinstance(fields, dict)
            else {}
        )
    if kind == "array":
        return _items(schema, defs, pick, full=full)
    if kind == "string":
        return _text(schema, full=full)
    if kind in ("integer", "number"):
        least = _bound(schema, "minimum", 0)
        return min(least + pick, _bound(schema, "maximum", least + pick)) if full else least
    return False if kind == "boolean" else None


def _items(schema: dict[str, JsonValue], defs: JsonValue, pick: int, *, full: bool) -> JsonValue:
    count = _bound(schema, "minItems", 0)
    count = _bound(schema, "maxItems", count) if full else count
    return [smallest(schema.get("items"), defs, pick=pick + n * full, full=full) for n in range(count)]


def _text(schema: dict[str, JsonValue], *, full: bool) -> str:
    least = _bound(schema, "minLength", 0)
    longest = _bound(schema, "maxLength", max(least, len(REPLY)))
    return (LONG * longest)[:longest] if full and "maxLength" in schema else REPLY.ljust(least, ".")[:longest]


def _bound(schema: dict[str, JsonValue], key: str, default: int) -> int:
    value = schema.get(key)
    return int(value) if isinstance(value, int | float) else default
