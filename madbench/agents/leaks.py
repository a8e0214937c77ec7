"""The leak audit: was anything shown to a role that its protocol hides from it?

The same audit runs before every ask and over finished transcripts. A *leak* is text that reached a role
through a channel that the protocol forbids; text that a permitted go-between repeated of its own accord is
*quoted*: a rate to report, not a fault of the pipeline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from madbench.types import Edge, LeakError, PassageReader, Problem, Turn

SENTENCE = re.compile(r"(?<=[.!?])\s+")
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
            if _is(edge.sink, turn.speaker.role, turn.seen):
                leaked, repeated = crossed(problem, turns[:index], turn, edge)
                leaks += [f"{edge.source} -> {edge.sink} at turn {index}"] * bool(leaked)
                quoted += bool(repeated)
                checked += 1
    return Audit(tuple(leaks), quoted, checked)


@dataclass(frozen=True, slots=True)
class Guard:
    """The audit at run time: all that was said in an episode so far, and the edges that nothing may cross."""

    problem: Problem
    edges: Sequence[Edge]
    past: list[Turn] = field(default_factory=list)

    def check(self, turn: Turn) -> None:
        """Raise LeakError if the turn about to be asked shows what an edge forbids."""
        for edge in self.edges:
            if (
                _is(edge.sink, turn.speaker.role, turn.seen)
                and crossed(self.problem, self.past, turn, edge)[0]
            ):
                raise LeakError(
                    f"{turn.speaker.role} was about to be shown hidden text: {edge.source} -> {edge.sink}"
                )

    def hear(self, turn: Turn) -> None:
        """Remember a turn, where anything is forbidden at all."""
        if self.edges:
            self.past.append(turn)


def crossed(
    problem: Problem, past: Sequence[Turn], turn: Turn, edge: Edge
) -> tuple[frozenset[str], frozenset[str]]:
    """The secrets of an edge that a turn shows: those that leaked, and those that a go-between repeated."""
    found = found_in(news(turn), secrets(problem, past, edge))
    repeated = frozenset(secret for secret in found if any(_carries(said, secret, edge) for said in past))
    return found - repeated, repeated


def secrets(problem: Problem, turns: Sequence[Turn], edge: Edge) -> frozenset[str]:
    """Texts that may not pass the edge: the user's own question, the sentences of a passage that answers are looked up
    in, or all that the source role said.
    """
    if edge.source == "problem":
        texts = [problem.question]
    elif edge.source == "passage":
        texts = SENTENCE.split(problem.reader.passage) if isinstance(problem.reader, PassageReader) else []
    else:
        sources = [turn for turn in turns if _is(edge.source, turn.speaker.role, turn.reading.kind)]
        texts = [text for turn in sources for text in _own_words(turn)]
    return frozenset(flat for text in texts if len(flat := _flat(text)) >= MINIMUM)


def _own_words(turn: Turn) -> list[str]:
    """What a role said; what merely repeats its own prompt is not its own."""
    prompt = _flat(shown(turn))
    return [text for text in _said(turn) if _flat(text) not in prompt]


def _said(turn: Turn) -> list[str]:
    """A turn's raw text, and every text that the protocol read out of it."""
    return [turn.completion.text, *_texts(dict(turn.reading.reply))]


def _texts(value: JsonValue) -> list[str]:
    """All texts in a piece of plain data."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def found_in(text: str, hidden: frozenset[str]) -> frozenset[str]:
    flat = _flat(text)
    return frozenset(secret for secret in hidden if secret in flat)


def shown(turn: Turn) -> str:
    """All that the model read on this turn; its own earlier words, and requests to repair them, left out."""
    messages = turn.request.messages[: len(turn.request.messages) - 2 * turn.speaker.attempt]
    return "\n".join(message.text for message in messages if message.role != "assistant")


def news(turn: Turn) -> str:
    """What a turn adds to its conversation, the system message included.

    All before it was checked in its own turn, in this episode or in an earlier one of the session, where the
    same words may have been nobody's secret.
    """
    messages = turn.request.messages[: len(turn.request.messages) - 2 * turn.speaker.attempt]
    said = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    told = [message for message in messages[:said] if message.role == "system"] if said >= 0 else []
    return "\n".join(message.text for message in (*told, *messages[said + 1 :]))


def _carries(turn: Turn, secret: str, edge: Edge) -> bool:
    """Whether a turn may be where the sink has a secret from: a permitted go-between repeated it, or another role
    came up with the same words without having read them.

    Fewer than MINIMUM characters may be missing at its beginning: a label ("The critic objected:") that somebody wrote
    before words of another's can be a template's own.
    """
    said = _flat(" ".join(_said(turn)))
    ends = (secret[cut:] for cut in range(min(MINIMUM, len(secret) - MINIMUM + 1)))
    part = next((end for end in ends if end in said), "")
    unread = turn.speaker.role != edge.source.partition("/")[0] and part not in _flat(shown(turn))
    return bool(part) and (turn.reading.kind == edge.via or unread)


def _is(pattern: str, role: str, kind: str) -> bool:
    """Whether `role` or `role/kind` is what an edge's end names."""
    return pattern in (role, f"{role}/{kind}")


def _flat(text: str) -> str:
    return " ".join(text.lower().split())
