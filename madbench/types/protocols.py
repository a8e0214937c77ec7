"""Protocols as settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, get_args, get_origin, get_type_hints, runtime_checkable

from pydantic import JsonValue

from madbench.types.errors import InputError
from madbench.types.roles import Edge


@dataclass(frozen=True, kw_only=True)
class ProtocolSettings:
    """Base of every protocol: a frozen dataclass of settings, called once an episode.

    `roles` overrides the run's RoleSettings for single roles, as nested plain data. `plays` names the roles
    that the protocol opens, `edges` the channels it forbids.
    """

    roles: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    plays: ClassVar[tuple[str, ...]] = ()
    edges: ClassVar[tuple[Edge, ...]] = ()

    def __post_init__(self) -> None:
        check_choices(self, "protocol")
        if unknown := set(self.roles) - set(self.plays):
            raise InputError(
                f"protocol.roles: {type(self).__name__} has no role {sorted(unknown)}; it has {list(self.plays)}"
            )


def check_choices(settings: object, where: str) -> None:
    """Raise InputError naming the choices where a setting annotated as a Literal holds none of them."""
    for name, hint in get_type_hints(type(settings)).items():
        value = getattr(settings, name)
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise InputError(f"{where}.{name}: {value!r} is none of {list(get_args(hint))}")


@runtime_checkable
class Sessional(Protocol):
    """A protocol with memory over a fixed block of `session` samples, played in order."""

    @property
    def session(self) -> int: ...
