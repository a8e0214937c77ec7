"""Was the arguing real? Debates on questions in which nobody moved and nobody took anything up are theater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from pydantic import JsonValue

from madbench.metrics.claims import Ledger, debated
from madbench.metrics.ledger import contested
from madbench.metrics.wording import content, words
from madbench.types import Answers, Outcome, Record, StopReason, Turn

CUT_SHORT = (StopReason.ERROR, StopReason.BUDGET, StopReason.CONTEXT)
"""A debate that ended so before anybody answered failed: that is no theater."""
SNIPPET = 32
"""So many characters of a peer's reply in a prompt, from its start or its end, mean that it was shown."""
SHORTEST = 12
"""Characters; shorter fields of a form (an answer, a label) stand in other replies by chance."""


def argued(record: Record, outcome: Outcome, own: tuple[Answers, ...]) -> dict[str, float]:
    """`theater` (1 or 0) and what it rests on; nothing where no seat was shown another's words."""
    claims = Ledger.of(outcome.ledger, outcome.facts)
    if claims is not None or outcome.facts.get("claims") == 0:
        return debated(claims or Ledger(()), record.scores, held=outcome.stop not in CUT_SHORT)
    if any(event.kind in ("objected", "no_objection") for event in outcome.ledger):
        return contested(outcome.ledger, own)
    if len(own) < 2 or len(own[0]) < 2 or outcome.facts.get("peers") == "none":
        return {}
    between = outcome.facts.get("go_between")
    said = _heard_of(record, between)
    seats = [turn for turn in record.turns if turn.speaker.role != between]
    heard = [uptake for turn in seats if (uptake := took_up(turn, record, said)) is not None]
    if not heard:
        return {}
    unmoved = all(answers == own[0] for answers in own)
    return {
        "heard": float(len(heard)),
        "took_up": float(sum(heard)),
        "theater": float(unmoved and not any(heard)),
        "theater_no_state_change": float(unmoved),
    }


@dataclass(frozen=True, slots=True)
class Said:
    """What others may hear of a turn (the reply's text, private reasoning left out), and the words of it.

    Of a form it is every text that is long enough to be told from chance, since each may be shown apart.
    """

    texts: tuple[str, ...]
    words: frozenset[str]

    @classmethod
    def of(cls, turn: Turn) -> Said:
        text = turn.reading.reply.get("text")
        whole = (text if isinstance(text, str) else turn.completion.text).strip()
        parts = [] if isinstance(text, str) else [part.strip() for part in _texts(dict(turn.reading.reply))]
        texts = tuple(part for part in parts if len(part) >= SHORTEST) or (whole,)
        return cls(texts, words(" ".join(texts)))

    def shown_in(self, prompt: str) -> bool:
        return any(text and (text[:SNIPPET] in prompt or text[-SNIPPET:] in prompt) for text in self.texts)

    def without(self, shown: str) -> str:
        for text in self.texts:
            shown = shown.replace(text, " ")
        return shown


def _heard_of(record: Record, between: JsonValue) -> dict[int, Said]:
    """What others may hear of every turn, by its identity. What a go-between (a role) puts in of its own accord is
    nobody's content: its words are those that it was told.
    """
    said: dict[int, Said] = {}
    for turn in record.turns:
        said[id(turn)] = Said.of(turn)
        if turn.speaker.role == between:
            before = [said[id(other)] for other in _before(turn, record.turns, own=False)]
            told = [other.words for other in before if other.shown_in(_prompt(turn, ()))]
            said[id(turn)] = replace(
                said[id(turn)], words=said[id(turn)].words & frozenset[str]().union(*told)
            )
    return said


def _texts(value: JsonValue) -> list[str]:
    """All texts in a piece of plain data."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


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
        for peer in peers:
            shown = peer.without(shown)
        new -= words(question) | words(shown)
    return bool(new) if peers else None


def _prompt(turn: Turn, mine: Sequence[Said]) -> str:
    """The message this turn answers, without the seat's own last words where it is reminded of them there."""
    messages = turn.request.messages
    shown = messages[max(-1 - 2 * turn.speaker.attempt, -len(messages))].text
    own = mine[-1].texts if mine else ()
    for text in own if not any(m.role == "assistant" and own[0] in m.text for m in messages) else ():
        shown = shown.replace(text, " ", 1)
    return shown


def _before(turn: Turn, turns: Sequence[Turn], *, own: bool) -> list[Turn]:
    """What this seat, or what every other, was asked before this turn (strangers are others too): a record holds
    turns in the order of the asks, whatever round and count their seats give them.
    """
    me = turn.speaker
    return [
        other
        for other in takewhile(lambda other: other is not turn, turns)
        if (other.speaker.role == me.role and other.speaker.seat == me.seat and not other.spare) is own
        and (not own or other.speaker.turn < me.turn)
    ]
