"""Who hears whom in a debate, when, and what a seat remembers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from madbench.agents import Memory, together
from madbench.protocols.replies import Statement
from madbench.types import check_settings

Revise = Callable[[int, Sequence[Statement]], Awaitable[Statement]]
"""Asks one seat again, given every seat's words as they stand."""


@dataclass(frozen=True, kw_only=True)
class Hearing:
    """How words travel between seats.

    `schedule`: all revise at once on the round before (synchronous), or one after another on everybody's
    latest words (sequential). `memory`: a seat's own chat from the start (full_history), or nothing but the
    question, its own last reply and what it hears (last_only). `topology`: everybody hears everybody (all),
    each its two neighbours (ring), or seat 0 everybody and the others seat 0 alone (star).
    """

    schedule: Literal["synchronous", "sequential"] = "synchronous"
    memory: Literal["full_history", "last_only"] = "full_history"
    topology: Literal["all", "ring", "star"] = "all"

    def __post_init__(self) -> None:
        check_settings(self, "protocol.hearing")

    def heard_by(self, seat: int, seats: int) -> list[int]:
        """The seats whose words reach `seat` out of `seats`, in order, itself never among them."""
        linked = {
            "all": range(seats),
            "ring": ((seat - 1) % seats, (seat + 1) % seats),
            "star": range(seats) if seat == 0 else (0,),
        }[self.topology]
        return sorted(set(linked) - {seat})

    def words(self, seat: int, said: Sequence[Statement]) -> tuple[str, ...]:
        """What reaches `seat` when every seat said this; who said nothing at all leaves no empty place."""
        return tuple(said[peer].text for peer in self.heard_by(seat, len(said)) if said[peer].text.strip())

    @property
    def fresh_memory(self) -> Memory:
        """A seat's memory at the start of an episode."""
        return Memory(keep="all" if self.memory == "full_history" else "nothing")

    async def exchange(self, said: Sequence[Statement], revise: Revise) -> list[Statement]:
        """What every seat says next, after all of them said this."""
        latest = list(said)
        if self.schedule == "synchronous":
            return await together(*(revise(seat, latest) for seat in range(len(said))))
        for seat in range(len(said)):
            latest[seat] = await revise(seat, latest)
        return latest
