"""The live guard: dead debates are seen after the first episodes of an arm, not after the last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from madbench.metrics.claims import Ledger
from madbench.metrics.measure import measure
from madbench.types import ParseStatus, Record, RowId, Speaker, Turn

LEAST = 4
"""Fewer episodes than this prove nothing."""
LONG = 24
"""Texts with fewer characters ("Answer: 7") recur by chance, and prove nothing either."""
MOST = 0.5
"""A fault is announced when more than this share of what could show it does."""


class Fault(StrEnum):
    """What is wrong with an arm that runs on and means nothing."""

    MARKERS = "markers missing"
    MOVEMENT = "no movement"
    CONSTANT = "constant text"
    REPLAYED = "stored text replayed"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One fault: how much of what was looked at shows it, and a transcript to read."""

    fault: Fault
    share: float
    of: str
    read: RowId

    def __str__(self) -> str:
        return (
            f"{self.fault}: {self.share:.0%} of {self.of}; read {self.read.sample}, epoch {self.read.epoch}"
        )


def watch(records: Sequence[Record]) -> list[Alarm]:
    """What is wrong with an arm, judged by its first episodes; empty if nothing is, or if they are fewer than four.

    A pure function: it stops nothing and prints nothing.
    """
    if len(records) < LEAST:
        return []
    found = (
        _asks(records, Fault.MARKERS, "replies", _unread),
        _unanswered(records),
        _movement(records),
        _constant(records),
        _asks(records, Fault.REPLAYED, "replies after a seat's first", _replayed),
    )
    return [alarm for alarm in found if alarm is not None and alarm.share > MOST]


def telling(records: Sequence[Record]) -> bool:
    """Whether episodes can tell if their arm is dead: of debates about claims it takes some in which somebody objected,
    and those end last.
    """
    debates = [record for record in records if record.outcome and Ledger.of(record.outcome.ledger)]
    return not debates or sum(map(_disputed, debates)) >= LEAST


Sign = Callable[[Turn, Record], bool | None]
"""Whether a turn shows a fault; None where it could not."""


def _asks(records: Sequence[Record], fault: Fault, of: str, sign: Sign) -> Alarm | None:
    """A fault that single turns show."""
    shown = [
        (record, seen)
        for record in records
        for turn in record.turns
        if (seen := sign(turn, record)) is not None
    ]
    return _alarm(fault, of, shown)


def _movement(records: Sequence[Record]) -> Alarm | None:
    """Theater: nobody changed an answer, took anything up, or answered an objection in a way that says something.

    Seats that agreed from the start had nothing to move for: a strong model's arm is not dead for that.
    """
    measured = [(record, measure(record).numbers) for record in records if _disputed(record)]
    shown = [(record, _dead(numbers)) for record, numbers in measured if "theater" in numbers]
    return _alarm(Fault.MOVEMENT, "disputed debates", shown) if len(shown) >= LEAST else None


def _dead(numbers: Mapping[str, float]) -> bool:
    """Theater by its rule, or, where objections were answered, by no valid answer and to no effect."""
    hollow = all(numbers.get(f"theater_{rule}", 0.0) for rule in ("no_valid_answer", "no_state_change"))
    return bool(numbers["theater"]) or hollow


def _unanswered(records: Sequence[Record]) -> Alarm | None:
    """Objections, where a ledger tells them, that no move answered, repairs included."""
    shown: list[tuple[Record, bool]] = []
    for record in records:
        numbers = measure(record).numbers
        missed = int(numbers.get("unaddressed", 0))
        answered = int(numbers.get("objections", 0)) - missed
        shown += [(record, True)] * missed + [(record, False)] * answered
    return _alarm(Fault.MARKERS, "objections", shown)


def _disputed(record: Record) -> bool:
    """Whether anybody objected, or the first answers differed."""
    outcome = record.outcome
    if outcome is None or outcome.ledger:
        return outcome is not None and any(event.kind == "objected" for event in outcome.ledger)
    return len(set(next(iter(outcome.positions), ()))) > 1


def _constant(records: Sequence[Record]) -> Alarm | None:
    """One text given in answer to most samples."""
    turns = [(record, turn) for record in records for turn in record.turns if not turn.spare]
    texts = [(record, text) for record, turn in turns if len(text := _text(turn)) >= LONG]
    samples = {(record.id.sample, text) for record, text in texts}
    spread = Counter(text for _, text in samples)
    common = len({sample for sample, _ in samples})
    return _alarm(
        Fault.CONSTANT,
        "replies",
        [(record, common > 1 and spread[text] > common * MOST) for record, text in texts],
    )


def _alarm(fault: Fault, of: str, shown: Sequence[tuple[Record, bool]]) -> Alarm | None:
    guilty = [record for record, seen in shown if seen]
    return Alarm(fault, len(guilty) / len(shown), of, guilty[0].id) if guilty else None


def _unread(turn: Turn, record: Record) -> bool | None:
    if turn.spare:
        return None
    return turn.reading.status in (ParseStatus.MISSING, ParseStatus.TRUNCATED)


def _replayed(turn: Turn, record: Record) -> bool | None:
    """Word for word what the same seat said before, to something else."""
    earlier = [_text(other) for other in record.turns if _precedes(other.speaker, turn.speaker, record)]
    if turn.spare or not earlier or turn.speaker.attempt or len(_text(turn)) < LONG:
        return None
    return _text(turn) in earlier


def _precedes(other: Speaker, me: Speaker, record: Record) -> bool:
    """Whether the same seat spoke before. A side of a debate about claims is one seat in all its roles: there a stored
    review may come back as an answer.
    """
    if (other.role, other.seat) == (me.role, me.seat):
        return other.turn < me.turn
    side = record.outcome is not None and Ledger.of(record.outcome.ledger) is not None
    return side and other.seat == me.seat and other.round < me.round


def _text(turn: Turn) -> str:
    return " ".join(turn.completion.text.split())
