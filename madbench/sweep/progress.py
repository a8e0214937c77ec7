"""How far a sweep has come, from what its workers tell."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from madbench.sweep.messages import Message, News, Notice, Spent, State
from madbench.types.spelling import plain

WINDOW = 30.0
"""Seconds over which rates of tokens are taken."""
Count = Literal["calls", "shared", "prompt_tokens", "output_tokens"]


class Mark(NamedTuple):
    """What all workers had generated at a moment: tokens of replies, and of prompts and replies together."""

    moment: float
    output: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One run as shown: of `planned` episodes in view, `before` were finished by earlier starts."""

    name: str
    id: str
    planned: int
    before: int


class Progress:
    """The state of every run, and the counts of every worker process."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows, self._began = tuple(rows), time.monotonic()
        self.notices: list[str] = []
        self._last: dict[str, News] = {}
        self._told: dict[tuple[str, str], News] = {}
        self._spent: dict[str, Spent] = {}
        self._marks = deque([Mark(self._began)])

    def hear(self, worker: str, message: Message) -> None:
        """Take in what a worker process said; every process has a name of its own."""
        if isinstance(message, Notice):
            self.notices.append(plain(message.text, keep="\n\t"))
            return
        if isinstance(message, News):
            self._last[message.folder] = self._told[worker, message.folder] = message
            return
        self._spent[worker] = message
        now, output = time.monotonic(), self.total("output_tokens")
        self._marks.append(Mark(now, output, output + self.total("prompt_tokens")))
        while len(self._marks) > 2 and self._marks[1].moment < now - WINDOW:
            self._marks.popleft()

    def end(self, run: str, state: State, note: str = "") -> None:
        """Note what the supervisor itself found out about a run."""
        self._last[run] = News(folder=run, state=state, note=note)

    def state(self, run: str) -> State:
        return self._last[run].state if run in self._last else "waiting"

    def note(self, run: str) -> str:
        return self._last[run].note if run in self._last else ""

    def gained(self, row: Row) -> tuple[int, int]:
        """Episodes that this sweep finished, and the tokens that they consumed."""
        news = [news for (_, run), news in self._told.items() if run == row.id]
        return sum(n.done for n in news), sum(n.prompt_tokens + n.output_tokens for n in news)

    def done(self, row: Row) -> int:
        """Episodes in view that are finished, earlier starts included."""
        return min(row.before + self.gained(row)[0], row.planned)

    def total(self, count: Count) -> int:
        """What all worker processes of this sweep generated."""
        return sum(int(getattr(spent, count)) for spent in self._spent.values())

    @property
    def elapsed(self) -> float:
        """Seconds since the sweep began."""
        return time.monotonic() - self._began

    @property
    def rate(self) -> float:
        """Output tokens a second, all workers together, over the last half minute."""
        first, last = self._marks[0], self._marks[-1]
        seconds = last.moment - first.moment
        return (last.output - first.output) / seconds if seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds to go, if episodes go on costing what they did so far and tokens come as fast as in the last half
        minute: sessions that are still under way when all else is over are slow. None before that is known.
        """
        paid = due = 0.0
        for row in self.rows:
            (gained, tokens), rest = self.gained(row), row.planned - self.done(row)
            if rest and not gained:
                return None
            paid += tokens
            due += rest * tokens / gained if rest else 0.0
        return self.elapsed * due / paid / self._pace() if paid else None

    def _pace(self) -> float:
        """How fast tokens came in the last half minute, next to how fast they came so far; 1 where none did."""
        first, last = self._marks[0], self._marks[-1]
        if last.tokens <= first.tokens:
            return 1.0
        recent = (last.tokens - first.tokens) / (last.moment - first.moment)
        return recent * (last.moment - self._began) / last.tokens
