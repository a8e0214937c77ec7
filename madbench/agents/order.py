"""Turns on their way to the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from madbench.types import Turn


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls, repairs included, and their prompt and output tokens, cache ignored."""

    calls: int = 0
    tokens: int = 0


class _Ask:
    """A place in the order: a context for one ask, over when it ends."""

    __slots__ = ("over", "passed_on", "turns")

    def __init__(self, pass_on: Callable[[], None]) -> None:
        self.turns: list[Turn] = []
        self.over, self.passed_on = False, pass_on

    def __enter__(self) -> Callable[[Turn], None]:
        return self.turns.append

    def __exit__(self, *_: object) -> None:
        self.over = True
        self.passed_on()


class InOrder:
    """Passes turns on in the order in which they were asked, whatever order the replies come in.

    So a record does not depend on batches, and a turn never stands before one whose reply it was shown.
    """

    def __init__(self, write: Callable[[Turn], None]) -> None:
        self._write = write
        self._asks: deque[_Ask] = deque()
        self.spent = Spent()

    def ask(self) -> AbstractContextManager[Callable[[Turn], None]]:
        """A place in the order, for the turns (first try and repairs) of one ask."""
        ask = _Ask(self._pass_on)
        self._asks.append(ask)
        return ask

    def _pass_on(self) -> None:
        while self._asks and self._asks[0].over:
            for turn in self._asks.popleft().turns:
                self._write(turn)
                self._book(turn)

    def _book(self, turn: Turn) -> None:
        if not turn.spare:
            tokens = turn.completion.prompt_tokens + turn.completion.output_tokens
            self.spent = Spent(self.spent.calls + 1, self.spent.tokens + tokens)
