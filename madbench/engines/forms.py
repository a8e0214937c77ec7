"""The smallest JSON text that a schema allows, drawn by seed: what a grammar would let a model write."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.types import InputError

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath")
LONG = 40
"""Texts that may be at least this long repeat the question's mark. In characters."""

Schema = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Instance:
    """Draws instances: `answer` goes into every field of that name, `mark` into longer texts."""

    answer: str
    mark: str
    rng: random.Random

    def write(self, schema: str) -> str:
        """JSON text that satisfies the schema. Raises InputError for a schema it does not understand."""
        whole = json.loads(schema)
        value = self.draw("", whole, whole.get("$defs", {}))
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def draw(self, name: str, schema: Schema, defs: Schema) -> JsonValue:
        """One value for the field `name`; `defs` are the schemas that references point to."""
        if "$ref" in schema:
            target = defs[str(schema["$ref"]).rpartition("/")[2]]
            return self.draw(name, _object(target), defs)
        if "const" in schema:
            return schema["const"]
        if choices := schema.get("enum"):
            return self._choice(name, _list(choices))
        if branches := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
            return self._branch(name, _list(branches), defs)
        return self._typed(name, schema, defs)

    def _choice(self, name: str, choices: list[JsonValue]) -> JsonValue:
        mine = [choice for choice in choices if str(choice).lower() == self.answer.lower()]
        return mine[0] if mine and _is_answer(name) else self.rng.choice(choices)

    def _branch(self, name: str, branches: list[JsonValue], defs: Schema) -> JsonValue:
        """Null only where nothing else is on offer."""
        some = [branch for branch in map(_object, branches) if branch.get("type") != "null"]
        return self.draw(name, self.rng.choice(some), defs) if some else None

    def _typed(self, name: str, schema: Schema, defs: Schema) -> JsonValue:
        match schema.get("type"):
            case "object":
                fields = _object(schema.get("properties", {}))
                return {key: self.draw(key, _object(field), defs) for key, field in fields.items()}
            case "array":
                count, item = _number(schema, "minItems", 0), _object(schema.get("items", {}))
                return [self.draw(name, item, defs) for _ in range(int(count))]
            case "string":
                return self._text(name, schema)
            case "integer" | "number":
                return self._figure(name, schema)
            case "boolean":
                return self.rng.random() < 0.5
            case "null":
                return None
        raise InputError(
            f"schema: field {name or 'object'} has no type that can be simulated: {dict(schema)}"
        )

    def _text(self, name: str, schema: Schema) -> str:
        shortest, longest = int(_number(schema, "minLength", 0)), int(_number(schema, "maxLength", 1 << 20))
        free = f"{self.rng.choice(WORDS)} {self.rng.getrandbits(32):08x}"
        wordy = [f"{free} {self.mark}", free] if longest >= LONG and self.mark else [free]
        tries = [self.answer] if _is_answer(name) else wordy
        pattern = str(schema.get("pattern", ""))
        for text in (*tries, self.answer, free, str(self.rng.randrange(10)), self.rng.choice(WORDS), "A", ""):
            padded = text[:longest].ljust(shortest, "x")
            if re.search(pattern, padded):
                return padded
        raise InputError(f"schema: field {name} wants a text of pattern {pattern}, which cannot be simulated")

    def _figure(self, name: str, schema: Schema) -> JsonValue:
        if _is_answer(name) and re.fullmatch(r"-?\d+", self.answer):
            return int(self.answer)
        low = _number(
            schema, "minimum", _number(schema, "exclusiveMinimum", 0) + ("exclusiveMinimum" in schema)
        )
        high = _number(schema, "maximum", low + 100)
        if schema.get("type") == "integer":
            return self.rng.randint(int(low), int(high))
        return round(self.rng.uniform(low, high), 2)


def _is_answer(name: str) -> bool:
    return name == "answer"


def _number(schema: Schema, key: str, default: float) -> float:
    value = schema.get(key, default)
    return value if isinstance(value, int | float) else default


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise InputError(f"schema: wanted an object, found {value!r}")
    return value


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise InputError(f"schema: wanted a list, found {value!r}")
    return value
