"""How the settings of one role come together: the run's defaults, then what the protocol says of the role."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from pydantic import JsonValue, ValidationError

from madbench.types import InputError, ProtocolSettings, RoleSettings


def settings_of(role: str, protocol: ProtocolSettings, defaults: RoleSettings) -> RoleSettings:
    """Raises InputError naming the role and key where a value does not fit."""
    own = protocol.roles.get(role)
    return _settled(role, json.dumps(own), defaults) if own else defaults


@lru_cache
def _settled(role: str, own: str, defaults: RoleSettings) -> RoleSettings:
    """The defaults with what a protocol says of one role (as JSON text): the same for each of its episodes."""
    merged = _merge(defaults.model_dump(), json.loads(own))
    try:
        return RoleSettings.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"protocol.roles.{role}.{where}: {first['msg']}, found {first['input']!r}"
        ) from error


def _merge(base: Mapping[str, JsonValue], over: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            _merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return merged
