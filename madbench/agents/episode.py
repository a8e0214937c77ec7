"""One sample under one protocol. A protocol opens agents here, and can read nothing back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from madbench.agents.agent import Agent, Conversation, Memory, SaidT, SeenT, worked_examples
from madbench.agents.leaks import Guard
from madbench.agents.line import Line
from madbench.agents.order import InOrder, Spent
from madbench.agents.prompts import render
from madbench.agents.roles import settings_of
from madbench.types import (
    Engine,
    InputError,
    Message,
    Observation,
    Problem,
    ProtocolSettings,
    RoleSettings,
    Turn,
    episode_seed,
    seed_of,
)


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays what: engines by role, one a seat (repeated past the end); `default` plays the rest."""

    engines: Mapping[str, Sequence[Engine]]

    def engine(self, role: str, seat: int) -> Engine:
        seats = self.engines.get(role) or self.engines.get("default")
        if not seats:
            raise InputError(f"cast: nobody plays {role}; there is {sorted(self.engines)}")
        return seats[seat % len(seats)]


@dataclass(frozen=True, slots=True)
class Scene:
    """All that an episode takes place in. `other` is another question, for controls that need a stranger's words."""

    problem: Problem
    other: Problem | None
    cast: Cast
    protocol: ProtocolSettings
    defaults: RoleSettings
    seed: int
    epoch: int = 0

    @property
    def lineage(self) -> int:
        """The seed of this episode: run seed, epoch and sample, nothing of protocol or model."""
        return episode_seed(self.seed, self.epoch, self.problem.id)


class Episode:
    """Opens agents over one scene; every turn goes to `write`, in the order of the asks, and to nobody else."""

    def __init__(
        self,
        scene: Scene,
        write: Callable[[Turn], None] | InOrder,
        *,
        spare: bool = False,
        guard: Guard | None = None,
    ) -> None:
        self._scene, self._spare = scene, spare
        self._turns = write if isinstance(write, InOrder) else InOrder(write)
        self._guard = guard or Guard(scene.problem, scene.protocol.edges)
        self._lineage = scene.lineage

    @cached_property
    def tie_seed(self) -> int:
        """Ties draw from their own stream."""
        return seed_of(self._lineage, "tie")

    @property
    def spent(self) -> Spent:
        """What the asks that are over have cost so far; what is charged to nobody is left out."""
        return self._turns.spent

    @property
    def uncharged(self) -> Episode:
        """The same episode with its turns marked spare: charged to no arm."""
        return Episode(self._scene, self._turns, spare=True, guard=self._guard)

    @property
    def elsewhere(self) -> tuple[Problem, Episode]:
        """Another question and its episode, where the same solvers answer it as they do in its own right."""
        if self._scene.other is None:
            raise InputError("task: this protocol needs another question, and there is only one")
        scene = replace(self._scene, problem=self._scene.other, other=None)
        return scene.problem, Episode(scene, self._turns, spare=True)

    def agent(
        self,
        role: str,
        *,
        sees: type[SeenT],
        says: type[SaidT],
        seat: int = 0,
        system: Observation | None = None,
        memory: Memory | None = None,
    ) -> Agent[SeenT, SaidT]:
        """Open a conversation with one seat of a role; `memory` continues one of an earlier episode."""
        settings = settings_of(role, self._scene.protocol, self._scene.defaults)
        opening: tuple[Message, ...] = ()
        if system is not None:
            opening += (Message("system", render(system, settings)),)
        if sees.shots:
            opening += worked_examples(self._scene.problem)
        engine = self._scene.cast.engine(role, seat)
        line = Line(
            self._scene.problem, engine, settings, self._lineage, self._spare, self._guard, self._turns
        )
        return Agent((role, seat), sees, says, line, Conversation(opening, memory or Memory()))

    def agents(self, role: str, n: int, *, sees: type[SeenT], says: type[SaidT]) -> list[Agent[SeenT, SaidT]]:
        return [self.agent(role, sees=sees, says=says, seat=seat) for seat in range(n)]
