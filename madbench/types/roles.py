"""What roles see and say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pydantic import JsonValue

from madbench.types.models import Strict
from madbench.types.samples import Extraction, Problem


class Observation(Strict):
    """All that one role is shown on one turn. One subclass a role; its template may name nothing else."""

    shots: ClassVar[bool] = False
    """Whether a conversation that opens with this is preceded by the problem's worked examples."""


class Reply(Strict):
    """All that one role gives back to the protocol. Its raw text goes to the record alone."""

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        """Read a completion's text; raise FormatError naming what is missing."""
        raise NotImplementedError

    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        """The JSON schema of this reply, for grammar enforcement; None for free text."""
        return None

    def extraction(self) -> Extraction | None:
        """The answer in this reply, where the reply carries one."""
        return None

    def missing(self) -> str:
        """What a repair has to ask for, where only part of a reply could be read; nothing if it is whole."""
        return ""

    def joined(self, earlier: Self) -> Self:
        """The reply to a repair, put together with what could be read of the reply before it."""
        return self


@dataclass(frozen=True, slots=True)
class Edge:
    """A channel that a protocol forbids: nothing `source` says may be shown to `sink` as it was said.

    `source` is a role, or `role/ReplyClass` for one of its reply types; `sink` likewise with its
    observation class. `via` names the reply class that may carry the content on in other words.
    """

    source: str
    sink: str
    via: str = ""
