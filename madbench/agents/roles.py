"""How the settings of one role come together: the run's defaults, then what the protocol says of the role."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue, ValidationError

from madbench.types import InputError, ProtocolSettings, RoleSettings


def settings_of(role: str, protocol: ProtocolSettings, defaults: RoleSettings) -> RoleSettings:
    """Raises InputError naming the role and key where a value does not fit."""
    merged = _merge(defaults.model_dump(), protocol.roles.get(role, {}))
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
