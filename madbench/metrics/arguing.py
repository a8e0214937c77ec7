"""Was the arguing real? Debates in which nobody moved and nobody took anything up are theater.

Two rules, from the same question: with a ledger of objections, whether any was answered; without one (debates
on questions), whether any seat changed its answer or used what a peer had said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from madbench.metrics.wording import content, words
from madbench.types import Answers, Event, Outcome, Record, Turn

SNIPPET = 32
"""So many characters of a peer's reply in a prompt, from its start or its end, mean that it was shown."""


def argued(record: Record, outcome: Outcome, own: tuple[Answers, ...]) -> dict[str, float]:
    """`theater` (1 or 0) and what it rests on; nothing where no seat was shown another's words."""
    if any(event.kind == "objected" for event in outcome.ledger):
        return _answered(outcome.ledger)
    if len(own) < 2 or len(own[0]) < 2:
        return {}
    said = {id(turn): Said.of(turn) for turn in record.turns}
    heard = [uptake for turn in record.turns if (uptake := took_up(turn, record, said)) is not None]
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


@dataclass(frozen=True, slots=True)
class Said:
    """What others may hear of a turn (the reply's text, private reasoning left out), and the words of it."""

    text: str
    words: frozenset[str]

    @classmethod
    def of(cls, turn: Turn) -> Said:
        text = turn.reading.reply.get("text")
        heard = (text if isinstance(text, str) else turn.completion.text).strip()
        return cls(heard, words(heard))

    def shown_in(self, prompt: str) -> bool:
        return bool(self.text) and (self.text[:SNIPPET] in prompt or self.text[-SNIPPET:] in prompt)


def took_up(turn: Turn, record: Record, said: Mapping[int, Said]) -> bool | None:
    """Whether a reply uses content that a peer's words brought in; None where the seat was shown no peer.

    New content is what a shown reply holds beyond the question, the prompt's own wording and all that this seat
    said before. One number or one content word of it suffices. `said` holds every turn's words, by identity.
    """
    if turn.spare or not turn.speaker.turn:
        return None
    mine = [said[id(other)] for other in _before(turn, record.turns, own=True)]
    others = [said[id(other)] for other in _before(turn, record.turns, own=False)]
    shown = _prompt(turn, mine)
    peers = [peer for peer in others if peer.shown_in(shown)]
    brought = frozenset[str]().union(*(peer.words for peer in peers)) & said[id(turn)].words
    new = content(brought.difference(*(own.words for own in mine)))
    if new:
        question = "" if record.sample is None else record.sample.problem.prompt
        new -= words(question) | words(_without(shown, peers))
    return bool(new) if peers else None


def _prompt(turn: Turn, mine: Sequence[Said]) -> str:
    """The message this turn answers, without the seat's own last words where it is reminded of them there."""
    messages = turn.request.messages
    shown = messages[-1 - 2 * turn.speaker.attempt].text
    remembers = any(m.role == "assistant" and mine[-1].text in m.text for m in messages) if mine else True
    return shown if remembers else shown.replace(mine[-1].text, " ", 1)


def _before(turn: Turn, turns: Sequence[Turn], *, own: bool) -> list[Turn]:
    """What this seat, or what every other, had said when this turn was asked (strangers are others too)."""
    me = turn.speaker
    return [
        other
        for other in turns
        if (other.speaker.role == me.role and other.speaker.seat == me.seat and not other.spare) is own
        and (other.speaker.round, other.speaker.turn) <= (me.round, me.turn)
        and other is not turn
        and (not own or other.speaker.turn < me.turn)
    ]


def _without(shown: str, said: Sequence[Said]) -> str:
    for one in said:
        shown = shown.replace(one.text, " ")
    return shown
