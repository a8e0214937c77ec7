"""Records of a sheet, each about one id: their fields, how they are held by a grammar, how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, JsonValue

from madbench.types import Artifact, Severity, Strict

LONGEST = 1200
"""Longer words are clipped, so that a talkative reply is still a reply. In characters."""
PLAIN = r"^[^\x00-\x20\"\\\x7f][^\x00-\x1f\"\\\x7f]*$"
"""Texts that need no escapes."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a record may get under a grammar: characters of prose, and references."""

    text: int = 480
    evidence: int = 3


class Row(Strict):
    """`fault` is what the strict contract finds wanting in it."""

    id: str
    fault: str = ""
    prose: ClassVar[str]
    """The field that takes a line's words."""
    choice: ClassVar[str] = ""
    """The field that takes its marker."""
    markers: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Markers, and the patterns of words that stand for them."""

    @classmethod
    def of(cls, name: str, fields: Mapping[str, JsonValue]) -> Self:
        """Raises ValidationError; fields that nobody asked for are passed over."""
        asked = {key: value for key, value in fields.items() if key in cls.own_fields()}
        return cls.model_validate({**asked, "id": name})

    @classmethod
    def form(cls, bounds: Bounds, artifact: Artifact) -> dict[str, JsonValue]:
        kinds: dict[str, dict[str, JsonValue]] = {
            "evidence": _references(bounds, artifact),
            "severity": {"enum": ["low", "medium", "high"]},
            cls.choice: {"enum": list(cls.markers)},
        }
        words: dict[str, JsonValue] = {"pattern": PLAIN, "minLength": 1, "maxLength": bounds.text}
        prose: dict[str, JsonValue] = {"type": "string", **words}
        return closed({name: kinds.get(name, prose) for name in cls.own_fields()})

    @classmethod
    def own_fields(cls) -> list[str]:
        return [name for name in cls.model_fields if name not in Row.model_fields]

    def judged(self, against: tuple[str, ...], artifact: Artifact) -> Self:
        """The record with its faults; `against` is what it answers, then what its speaker said before."""
        return self


def closed(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema of an object with exactly these fields, in this order."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def one_of(markers: Mapping[str, str]) -> BeforeValidator:
    """Reads any form of a marker's word as the marker."""

    def spelled(value: object) -> object:
        found = [name for name, pattern in markers.items() if re.fullmatch(pattern, str(value).strip(), re.I)]
        return found[0] if found else value

    return BeforeValidator(spelled)


def _listed(value: object) -> object:
    """One reference, or a list of them."""
    items = value if isinstance(value, list | tuple) else [value] if value else []
    return tuple(str(item).strip() for item in items if str(item).strip())


def _references(bounds: Bounds, artifact: Artifact) -> dict[str, JsonValue]:
    names = "|".join(re.escape(document.name) for document in artifact.documents)
    line = "[1-9][0-9]{0,4}"
    item: dict[str, JsonValue] = {"type": "string", "pattern": f"^(?:{names}):{line}(?:-{line})?$"}
    return {"type": "array", "items": item, "maxItems": bounds.evidence}


def _on_text(change: Callable[[str], str]) -> BeforeValidator:
    return BeforeValidator(lambda value: change(value) if isinstance(value, str) else value)


Words = Annotated[str, _on_text(lambda text: text.strip()[:LONGEST])]
Evidence = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Graded = Annotated[Severity, _on_text(lambda text: text.strip().lower())]
