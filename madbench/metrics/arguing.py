"""Was the arguing real? Debates in which nobody moved and nobody took anything up are theater.

Two rules, from the same question: with a ledger of objections, whether any was answered; without one (debates
on questions), whether any seat changed its answer or used what a peer had said.
"""

from __future__ import annotations

from collections.abc import Sequence

from madbench.metrics.wording import content
from madbench.types import Answers, Event, Outcome, Record, Turn

SNIPPET = 32
"""So many characters of a peer's reply in a prompt, from its start or its end, mean that it was shown."""


def argued(record: Record, outcome: Outcome, own: tuple[Answers, ...]) -> dict[str, float]:
    """`theater` (1 or 0) and what it rests on; nothing where no seat was shown another's words."""
    if any(event.kind == "objected" for event in outcome.ledger):
        return _answered(outcome.ledger)
    if len(own) < 2 or len(own[0]) < 2:
        return {}
    heard = [uptake for turn in record.turns if (uptake := took_up(turn, record)) is not None]
    if not heard:
        return {}
    unmoved = all(answers == own[0] for answers in own)
    return {
        "heard": float(len(heard)),
        "took_up": float(sum(heard)),
        "theater": float(unmoved and not any(heard)),
    }


def _answered(ledger: Sequence[Event]) -> dict[str, float]:
    """Theater by the ledger: no objection was answered by any parsed move, whatever the move.

    Convergence: objections conceded by the one they were put to, or dropped by their critic in its next move, over
    all objections.
    """
    objections = sum(event.kind == "objected" for event in ledger)
    answered = any(event.kind == "answered" for event in _after_first(ledger, "objected"))
    return {
        "objections": float(objections),
        "theater": float(not answered),
        "convergence": _resolved(ledger) / objections,
    }


def _after_first(ledger: Sequence[Event], kind: str) -> Sequence[Event]:
    """The events after the first of a kind: a first answer answers no objection."""
    return ledger[next(place for place, event in enumerate(ledger) if event.kind == kind) :]


def _resolved(ledger: Sequence[Event]) -> int:
    """A concession resolves all that stands; a critic with no further objection resolves its own last one."""
    standing, resolved = dict[str, bool](), 0
    for event in ledger:
        critic = str(event.facts.get("seat", 0))
        if event.kind == "objected":
            standing[critic] = True
        elif event.kind == "no_objection":
            resolved += standing.pop(critic, False)
        elif event.kind == "conceded":
            resolved += len(standing)
            standing.clear()
    return resolved


def took_up(turn: Turn, record: Record) -> bool | None:
    """Whether a reply uses content that a peer's words brought in; None where the seat was shown no peer.

    New content is what a shown reply holds beyond the question, the prompt's own wording and all that this seat
    said before. One number or one content word of it suffices.
    """
    if turn.spare or not turn.speaker.turn:
        return None
    mine = _earlier(turn, record.turns, own=True)
    shown = _prompt(turn, mine)
    peers = [said for said in _earlier(turn, record.turns, own=False) if _holds(shown, said)]
    if not peers:
        return None
    question = "" if record.sample is None else record.sample.problem.prompt
    known = set[str]().union(*map(content, [_without(shown, peers), question, *mine]))
    new = set[str]().union(*map(content, peers)) - known
    return not new.isdisjoint(content(spoken(turn)))


def _prompt(turn: Turn, mine: Sequence[str]) -> str:
    """The message this turn answers, without the seat's own last words where it is reminded of them there."""
    messages = turn.request.messages
    shown = messages[-1 - 2 * turn.speaker.attempt].text
    remembers = any(message.role == "assistant" and mine[-1:] == [message.text] for message in messages)
    return shown if remembers or not mine else shown.replace(mine[-1].strip(), " ", 1)


def _earlier(turn: Turn, turns: Sequence[Turn], *, own: bool) -> list[str]:
    """What this seat, or what every other, had said when this turn was asked (strangers are others too)."""
    me = turn.speaker
    return [
        spoken(other)
        for other in turns
        if (other.speaker.role == me.role and other.speaker.seat == me.seat and not other.spare) is own
        and (other.speaker.round, other.speaker.turn) <= (me.round, me.turn)
        and other is not turn
        and (not own or other.speaker.turn < me.turn)
    ]


def spoken(turn: Turn) -> str:
    """What others may hear of a turn: the reply's text, private reasoning left out."""
    text = turn.reading.reply.get("text")
    return text if isinstance(text, str) else turn.completion.text


def _holds(shown: str, said: str) -> bool:
    said = said.strip()
    return bool(said) and (said[:SNIPPET] in shown or said[-SNIPPET:] in shown)


def _without(shown: str, said: Sequence[str]) -> str:
    for text in said:
        shown = shown.replace(text.strip(), " ")
    return shown
