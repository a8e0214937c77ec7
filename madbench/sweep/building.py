"""From a config to the things it names. Building loads no weights and reads no data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from madbench.sweep.configs import JobConfig
from madbench.sweep.settings import TARGET, Trusted, made
from madbench.types import InputError, Model, ProtocolSettings, RoleSettings, Task


@dataclass(frozen=True, slots=True)
class Built:
    """What one job is made of. `cast` names the models of each role, one a seat."""

    task: Task
    protocol: ProtocolSettings
    cast: Mapping[str, tuple[Model, ...]]
    defaults: RoleSettings

    @property
    def models(self) -> tuple[Model, ...]:
        return tuple(model for seats in self.cast.values() for model in seats)


def build(config: JobConfig, trusted: Trusted = None) -> Built:
    """Raises InputError naming the part and setting that cannot be built, or whose class is not among the `trusted`."""
    made("tracking", config.parts.tracking, trusted)
    return Built(
        task=cast(Task, made("task", config.parts.task, trusted)),
        protocol=cast(ProtocolSettings, made("protocol", config.parts.protocol, trusted)),
        cast={role: seats_of(role, plain, trusted) for role, plain in config.parts.cast.items()},
        defaults=config.defaults,
    )


def seats_of(role: str, plain: JsonValue, trusted: Trusted = None) -> tuple[Model, ...]:
    """One model plays all seats of a role; a list (or a mapping of names to models) gives each seat its own."""
    where = f"cast.{role}"
    if isinstance(plain, dict) and TARGET in plain:
        return (cast(Model, made(where, plain, trusted)),)
    seats = list(plain.values()) if isinstance(plain, dict) else plain
    if not isinstance(seats, list) or not seats:
        raise InputError(f"{where}: expected a model or a list of models, found {plain!r}")
    return tuple(cast(Model, made(where, _mapping(where, seat), trusted)) for seat in seats)


def _mapping(where: str, plain: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(plain, dict):
        raise InputError(f"{where}: expected the settings of a model, found {plain!r}")
    return plain
