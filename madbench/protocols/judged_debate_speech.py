"""How a speech comes about: said once, the best of several, or said again after the best critique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from madbench.agents import Memory, together
from madbench.protocols.judged_debate_booth import Booth
from madbench.protocols.judged_debate_seen import Floor, Retold
from madbench.types import InputError


class Speaking(Protocol):
    """A way to come to a speech."""

    async def speech(self, booth: Booth, seen: Floor) -> str: ...


@dataclass(frozen=True)
class Once:
    """The first thing said."""

    async def speech(self, booth: Booth, seen: Floor) -> str:
        return (await booth.debater().ask(seen, round=booth.round)).argument


@dataclass(frozen=True, kw_only=True)
class BestOf:
    """Of `candidates` speeches the one after which a judge finds this side's answer most probable; ties: the first."""

    candidates: int = 4

    def __post_init__(self) -> None:
        _check("candidates", self.candidates)

    async def speech(self, booth: Booth, seen: Floor) -> str:
        drafts = range(self.candidates)
        said = await together(*(booth.debater(draft).ask(seen, round=booth.round) for draft in drafts))
        scores = await together(*(booth.persuades(said[draft].argument, draft) for draft in drafts))
        return said[scores.index(max(scores))].argument


@dataclass(frozen=True, kw_only=True)
class Refined:
    """Said again once, after the most helpful of so many `critiques`; the first if tied."""

    critiques: int = 4

    def __post_init__(self) -> None:
        _check("critiques", self.critiques)

    async def speech(self, booth: Booth, seen: Floor) -> str:
        debater = booth.debater(memory=Memory())
        draft = (await debater.ask(seen, round=booth.round)).argument
        found = await together(*(booth.criticise(draft, number) for number in range(self.critiques)))
        _, critique = max(found, key=lambda scored: scored[0])
        again = Retold(speech=draft, critique=critique, words=seen.room.words)
        return (await debater.also(sees=Retold, says=booth.says).ask(again, round=booth.round)).argument


def _check(name: str, count: int) -> None:
    if count < 1:
        raise InputError(f"protocol.speaking.{name}: {count}; wanted 1 or more")
