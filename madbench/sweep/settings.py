"""From the settings under a `_target_` to the object that they describe.

Plain data in, plain data to the class: what `hydra.utils.instantiate` does with `_convert_="all"`, save that text
is never interpolated a second time, and that settings are checked against the class's signature first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import is_dataclass
from importlib import import_module
from inspect import Parameter, signature
from types import MappingProxyType

from pydantic import JsonValue, ValidationError

from madbench.sweep.configs import Plain
from madbench.types import InputError, Strict

SIMPLE: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {"int": (int,), "float": (float, int), "str": (str,), "bool": (bool,)}
)
"""What a setting of a simple type may hold."""
TARGET = "_target_"
ROOMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "task": ("madbench.tasks.",),
        "protocol": ("madbench.protocols.",),
        "cast": ("madbench.engines.", "madbench.run.recorded."),
        "tracking": ("madbench.tracking.",),
    }
)
"""Where a part's own classes of settings are defined; building one of these reads and runs nothing."""
Trusted = Set[str] | None
"""Further packages whose classes a config may name; None trusts a config wholly: its user composed it."""


def made(where: str, plain: Plain, trusted: Trusted = None) -> object:
    """The object that a config names by `_target_`, nested ones first.

    Raises InputError for a class that is not there or not to be trusted (before its module is imported), a setting
    that it does not have or cannot take.
    """
    if TARGET not in plain:
        raise InputError(f"{where}: no {TARGET} names its class, found keys {sorted(plain)}")
    target = _located(where, str(plain[TARGET]), trusted)
    given = {key: value for key, value in plain.items() if key != TARGET}
    _check(where, str(plain[TARGET]), given, signature(target).parameters)
    try:
        return target(**{key: _built(f"{where}.{key}", value, trusted) for key, value in given.items()})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in (where, *first["loc"]))
        raise InputError(f"{place}: {first['msg']}, found {first['input']!r}") from error
    except InputError as error:
        raise error if str(error).startswith(where) else InputError(f"{where}: {error}") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from error


def _built(where: str, plain: JsonValue, trusted: Trusted) -> object:
    if isinstance(plain, dict):
        if TARGET in plain:
            return made(where, plain, trusted)
        return {key: _built(f"{where}.{key}", value, trusted) for key, value in plain.items()}
    return [_built(where, value, trusted) for value in plain] if isinstance(plain, list) else plain


def _located(where: str, target: str, trusted: Trusted) -> Callable[..., object]:
    package = target.partition(".")[0]
    ours = trusted is not None and package not in trusted
    if ours and not target.startswith(ROOMS[where.partition(".")[0]]):
        raise InputError(
            f"{where}: {target!r} is no class of settings of ours, and a folder may name no others: read that code, "
            f"then say trust={package}"
        )
    found = _named(where, target)
    if ours and not (is_dataclass(found) or (isinstance(found, type) and issubclass(found, Strict))):
        raise InputError(f"{where}: {target!r} is no class of settings")
    return found


def _named(where: str, target: str) -> Callable[..., object]:
    module, _, name = target.rpartition(".")
    try:
        found: Callable[..., object] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{where}: no class {target!r} ({error})") from error
    if not callable(found):
        raise InputError(f"{where}: {target!r} is no class")
    return found


def _check(where: str, target: str, given: Plain, known: Mapping[str, Parameter]) -> None:
    if unknown := sorted(set(given) - set(known)):
        raise InputError(f"{where}: {target} has no {', '.join(unknown)}; it has {', '.join(sorted(known))}")
    needed = {name for name, parameter in known.items() if parameter.default is Parameter.empty}
    if missing := sorted(needed - set(given)):
        raise InputError(f"{where}: {target} needs {', '.join(missing)}")
    for key, value in given.items():
        _check_type(f"{where}.{key}", value, str(known[key].annotation))


def _check_type(where: str, value: JsonValue, wanted: str) -> None:
    """Only plain numbers, texts and switches are checked; everything else is the class's own business."""
    allowed = SIMPLE.get(wanted.removesuffix(" | None"))
    if value is None and wanted.endswith(" | None"):
        return
    if allowed and type(value) not in allowed:
        raise InputError(f"{where}: expected {wanted}, found {value!r}")
