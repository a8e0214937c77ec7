"""Which columns of a review set mean what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

Row = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Columns:
    """Names of columns: `a|b` is the first that says anything, `a+b` both, joined as they are.

    Reasoning traces are read from `steps` and `mistake_index`, whole changes from `files` or `diff`, known issues
    from `issues`; without these, from where `text` and `fixed` differ, of kind `kind`.
    """

    id: str = "id"
    group: str = "group"
    name: str = "filename"
    text: str = "code"
    purpose: str = "spec|input|description|body|title"
    fixed: str = "fixed_code"
    kind: str = "category"


def text_in(row: Row, column: str) -> str:
    """What a row says in a column; nothing where it says nothing."""
    for alternative in column.split("|"):
        if text := "".join(_text(row.get(name)) for name in alternative.split("+")):
            return text
    return ""


def _text(value: JsonValue) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
