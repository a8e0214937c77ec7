"""Turns on their way to the record."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from madbench.types import Turn


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls, repairs included, and their prompt and output tokens, cache ignored."""

    calls: int = 0
    tokens: int = 0


@dataclass
class _Ask:
    turns: list[Turn] = field(default_factory=list)
    over: bool = False


class InOrder:
    """Passes turns on in the order in which they were asked, whatever order the replies come in.

    So a record does not depend on batches, and a turn never stands before one whose reply it was shown.
    """

    def __init__(self, write: Callable[[Turn], None]) -> None:
        self._write = write
        self._asks: deque[_Ask] = deque()
        self.spent = Spent()

    @contextmanager
    def ask(self) -> Iterator[Callable[[Turn], None]]:
        """A place in the order, for the turns (first try and repairs) of one ask."""
        ask = _Ask()
        self._asks.append(ask)
        try:
            yield ask.turns.append
        finally:
            ask.over = True
            self._pass_on()

    def _pass_on(self) -> None:
        while self._asks and self._asks[0].over:
            for turn in self._asks.popleft().turns:
                self._write(turn)
                self._book(turn)

    def _book(self, turn: Turn) -> None:
        if not turn.spare:
            tokens = turn.completion.prompt_tokens + turn.completion.output_tokens
            self.spent = Spent(self.spent.calls + 1, self.spent.tokens + tokens)
