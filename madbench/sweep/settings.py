"""The settings that a config gives a class, checked against the class's own signature before it is built."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import Parameter, signature
from types import MappingProxyType

from pydantic import JsonValue

from madbench.sweep.configs import Plain
from madbench.types import InputError

SIMPLE: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {"int": (int,), "float": (float, int), "str": (str,), "bool": (bool,)}
)
"""What a setting of a simple type may hold."""


def check_settings(where: str, plain: Plain) -> None:
    """Raise InputError for a class that is not there, a setting that it does not have, or one of another type."""
    if "_target_" in plain:
        known = _parameters(where, str(plain["_target_"]))
        given = {key: value for key, value in plain.items() if not key.startswith("_")}
        if unknown := sorted(set(given) - set(known)):
            raise InputError(
                f"{where}: {plain['_target_']} has no {', '.join(unknown)}; it has {', '.join(sorted(known))}"
            )
        for key, value in given.items():
            _check_type(f"{where}.{key}", value, str(known[key].annotation))
    for key, value in plain.items():
        if isinstance(value, dict):
            check_settings(f"{where}.{key}", value)


def _parameters(where: str, target: str) -> Mapping[str, Parameter]:
    module, _, name = target.rpartition(".")
    try:
        return signature(getattr(import_module(module), name)).parameters
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{where}: no class {target!r} ({error})") from error


def _check_type(where: str, value: JsonValue, wanted: str) -> None:
    """Only plain numbers, texts and switches are checked; everything else is the class's own business."""
    allowed = SIMPLE.get(wanted.removesuffix(" | None"))
    if value is None and wanted.endswith(" | None"):
        return
    if allowed and type(value) not in allowed:
        raise InputError(f"{where}: expected {wanted}, found {value!r}")
