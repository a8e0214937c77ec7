"""The leak audit: was anything shown to a role that its protocol hides from it?

The same audit runs before every ask and over finished transcripts. A *leak* is text that reached a role
through a channel that the protocol forbids; text that a permitted go-between repeated of its own accord is
*quoted*: a rate to report, not a fault of the pipeline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from madbench.types import Edge, LeakError, Problem, Turn

MINIMUM = 24
"""Shorter texts ("Answer: 7") recur by chance and prove nothing. In characters."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit of one transcript found; `leaks` name the edge and the turn, `quoted` counts sink turns."""

    leaks: tuple[str, ...]
    quoted: int
    checked: int


def audit(problem: Problem, turns: Sequence[Turn], edges: Sequence[Edge]) -> Audit:
    """Check every turn against everything that was said before it."""
    leaks: list[str] = []
    quoted = checked = 0
    for edge in edges:
        for index, turn in enumerate(turns):
            if not _is(edge.sink, turn.speaker.role, turn.seen):
                continue
            checked += 1
            hidden = secrets(problem, turns[:index], edge)
            found = found_in(shown(turn), hidden)
            carried = found_in(" ".join(_carriers(turns[:index], edge)), hidden)
            quoted += bool(found & carried)
            leaks += [f"{edge.source} -> {edge.sink} at turn {index}" for _ in found - carried]
    return Audit(tuple(leaks), quoted, checked)


def refuse_leaks(problem: Problem, past: Sequence[Turn], turn: Turn, edges: Sequence[Edge]) -> None:
    """Raise LeakError if the turn about to be asked shows what an edge forbids."""
    facing = [edge for edge in edges if _is(edge.sink, turn.speaker.role, turn.seen)]
    if facing and (found := audit(problem, [*past, turn], facing).leaks):
        last = [leak for leak in found if leak.endswith(f"turn {len(past)}")]
        if last:
            raise LeakError(f"{turn.speaker.role} was about to be shown hidden text: {last[0]}")


def secrets(problem: Problem, turns: Sequence[Turn], edge: Edge) -> frozenset[str]:
    """Texts that may not pass the edge: the user's own question, or all that the source role said."""
    if edge.source == "problem":
        texts = [problem.question]
    else:
        texts = [t.completion.text for t in turns if _is(edge.source, t.speaker.role, t.reading.kind)]
    return frozenset(flat for text in texts if len(flat := _flat(text)) >= MINIMUM)


def found_in(text: str, hidden: frozenset[str]) -> frozenset[str]:
    flat = _flat(text)
    return frozenset(secret for secret in hidden if secret in flat)


def shown(turn: Turn) -> str:
    """All that the model read on this turn, its own earlier words left out."""
    return "\n".join(message.text for message in turn.request.messages if message.role != "assistant")


def _carriers(turns: Sequence[Turn], edge: Edge) -> list[str]:
    """Raw texts of the replies that may carry content across the edge."""
    return [turn.completion.text for turn in turns if edge.via and turn.reading.kind == edge.via]


def _is(pattern: str, role: str, kind: str) -> bool:
    """Whether `role` or `role/kind` is what an edge's end names."""
    return pattern in (role, f"{role}/{kind}")


def _flat(text: str) -> str:
    return " ".join(text.lower().split())
