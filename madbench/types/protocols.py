"""Protocols as settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

from pydantic import JsonValue

from madbench.types.errors import InputError
from madbench.types.roles import Edge
from madbench.types.samples import Problem
from madbench.types.settings import check_settings


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
        check_settings(self, "protocol")
        if unknown := set(self.roles) - set(self.plays):
            raise InputError(
                f"protocol.roles: {type(self).__name__} has no role {sorted(unknown)}; it has {list(self.plays)}"
            )


@runtime_checkable
class Sessional(Protocol):
    """A protocol with memory over a fixed block of `session` samples, played in order."""

    @property
    def session(self) -> int: ...


@runtime_checkable
class Choosy(Protocol):
    """A protocol that is not for every task."""

    def admit(self, problem: Problem) -> None:
        """Raises InputError, naming what is missing, for a problem that it cannot play."""
