"""From a config to the things it names. Building loads no weights and reads no data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from hydra.errors import HydraException
from hydra.utils import instantiate
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import JsonValue, ValidationError

from madbench.sweep.configs import JobConfig, Plain
from madbench.sweep.settings import check_settings
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


def build(config: JobConfig) -> Built:
    """Raises InputError naming the part and setting that cannot be built."""
    return Built(
        task=cast(Task, made("task", config.parts.task)),
        protocol=cast(ProtocolSettings, made("protocol", config.parts.protocol)),
        cast={role: seats_of(role, plain) for role, plain in config.parts.cast.items()},
        defaults=config.defaults,
    )


def seats_of(role: str, plain: JsonValue) -> tuple[Model, ...]:
    """One model plays all seats of a role; a list (or a mapping of names to models) gives each seat its own."""
    where = f"cast.{role}"
    if isinstance(plain, dict) and "_target_" in plain:
        return (cast(Model, made(where, plain)),)
    seats = list(plain.values()) if isinstance(plain, dict) else plain
    if not isinstance(seats, list) or not seats:
        raise InputError(f"{where}: expected a model or a list of models, found {plain!r}")
    return tuple(cast(Model, made(where, _mapping(where, seat))) for seat in seats)


def made(where: str, plain: Plain) -> object:
    """The object that a config names by `_target_`."""
    if "_target_" not in plain:
        raise InputError(f"{where}: no _target_ names its class, found keys {sorted(plain)}")
    check_settings(where, plain)
    try:
        config = OmegaConf.create({key: _escaped(value) for key, value in plain.items()})
        made: object = instantiate(config, _convert_="all")
    except (HydraException, OmegaConfBaseException) as error:
        reason = _reason(error)
        raise InputError(reason if reason.startswith(where) else f"{where}: {reason}") from error
    return made


def _reason(error: Exception) -> str:
    """What went wrong inside Hydra's instantiation, without its frame."""
    cause = error.__cause__
    if isinstance(cause, InputError):
        return str(cause)
    if isinstance(cause, ValidationError):
        first = cause.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}, found {first['input']!r}"
    return " ".join(str(cause or error).split())


def _mapping(where: str, plain: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(plain, dict):
        raise InputError(f"{where}: expected the settings of a model, found {plain!r}")
    return plain


def _escaped(plain: JsonValue) -> JsonValue:
    """Resolved text is text: a `${` in it is no interpolation."""
    if isinstance(plain, str):
        return re.sub(r"(\\*)\$\{", r"\1\1\\${", plain)
    if isinstance(plain, dict):
        return {key: _escaped(value) for key, value in plain.items()}
    return [_escaped(value) for value in plain] if isinstance(plain, list) else plain
