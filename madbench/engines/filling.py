"""Known values put into the fields of a form, by name; what has no value is drawn, as for any other form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.engines.forms import Instance, Schema

KINDS: Mapping[str, type | tuple[type, ...]] = {
    "object": Mapping,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


@dataclass(frozen=True, slots=True)
class Filling:
    """Writes forms. Values that a field has no room for are cut; of values of another kind it is drawn. A share of 1 is
    per cent where a whole number is wanted.
    """

    drawn: Instance

    def write(self, schema: Schema, values: Mapping[str, JsonValue]) -> str:
        """Compact JSON text of the schema's shape, holding `values` where a field has their name."""
        return compact(self._object(schema, values, _object(schema.get("$defs"))))

    def _object(self, schema: Schema, values: Mapping[str, JsonValue], defs: Schema) -> JsonValue:
        fields = _object(schema.get("properties"))
        return {name: self._field(name, _object(field), values, defs) for name, field in fields.items()}

    def _field(self, name: str, field: Schema, values: Mapping[str, JsonValue], defs: Schema) -> JsonValue:
        if name in values:
            for plain in branches(field, defs):
                if suits(values[name], plain):
                    return self._fitted(name, plain, values[name], defs)
        return self.drawn.draw(name, field, defs)

    def _fitted(self, name: str, schema: Schema, value: JsonValue, defs: Schema) -> JsonValue:
        if isinstance(value, dict):
            return self._object(schema, value, defs)
        if isinstance(value, float) and schema.get("type") == "integer":
            return round(100 * value)
        if isinstance(value, list):
            most, item = schema.get("maxItems", len(value)), _object(schema.get("items"))
            assert isinstance(most, int)
            return [self._field(name, item, {name: one}, defs) for one in value[:most]]
        longest = schema.get("maxLength")
        return value[:longest] if isinstance(value, str) and isinstance(longest, int) else value


def compact(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """JSON text without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fields_of_lists(form: Schema) -> dict[str, frozenset[str]]:
    """A form's lists of objects: the names of an item's fields by the name of the list."""
    defs, found = _object(form.get("$defs")), {}
    for name, field in _object(form.get("properties")).items():
        for plain in branches(_object(field), defs):
            items = branches(_object(plain.get("items")), defs) if plain.get("type") == "array" else ()
            found[name] = frozenset(key for item in items for key in _object(item.get("properties")))
    return found


def names_of_records(form: Schema) -> dict[str, tuple[str, ...]]:
    """A form's objects: the names of their fields by the name of the object."""
    fields = _object(form.get("properties"))
    return {name: tuple(_object(_object(field).get("properties"))) for name, field in fields.items()}


def branches(schema: Schema, defs: Schema) -> Sequence[Schema]:
    """All plain schemas that a schema stands for: references followed, alternatives opened."""
    if "$ref" in schema:
        return branches(_object(defs.get(str(schema["$ref"]).rpartition("/")[2])), defs)
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(options := schema.get(word), list):
            return [plain for one in options for plain in branches(_object(one), defs)]
    return (schema,)


def suits(value: JsonValue, schema: Schema) -> bool:
    """Whether a value is one of the schema's choices and of its kind; texts may still be too long."""
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list):
        return value in choices
    pattern = schema.get("pattern")
    if isinstance(value, str) and isinstance(pattern, str) and not re.search(pattern, value):
        return False
    kind = str(schema.get("type"))
    share = kind == "integer" and isinstance(value, float) and 0 <= value <= 1
    return share or isinstance(value, KINDS.get(kind, object))


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    """An object of a schema; nothing where there is none."""
    return value if isinstance(value, dict) else {}
