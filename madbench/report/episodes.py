"""One episode as the plain data that the viewer draws. Nothing here is markup: the page sets it as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise

from pydantic import JsonValue

from madbench.metrics.reviews import is_review
from madbench.report.cells import defined, plain
from madbench.report.reviews import review_data, shown_places
from madbench.report.texts import Texts
from madbench.types import Answers, Event, Outcome, Record, Turn


def episode_data(label: str, record: Record, texts: Texts) -> dict[str, JsonValue]:
    """What the viewer needs of one record; texts are places in `texts`."""
    outcome = record.outcome
    positions = outcome.positions if outcome else ()
    shown = shown_places if is_review(record) else _shown
    return {
        "arm": plain(label),
        "sample": plain(record.id.sample),
        "epoch": record.id.epoch,
        "question": texts.put(record.sample.problem.question if record.sample else ""),
        "target": shown(record.sample.target.answer) if record.sample else None,
        "accepted": [] if is_review(record) else _accepted(record),
        "answer": shown(outcome.answer) if outcome else None,
        "right": None if (correct := record.scores.get("correct")) is None else correct > 0,
        "ending": record.ending.value,
        "error": texts.put(record.error),
        "positions": [[shown(answer) for answer in answers] for answers in positions],
        "flipped": flipped(positions),
        "turns": [_turn(turn, texts, shown) for turn in record.turns],
        "seconds": defined(record.effort.seconds),
        "place": None if record.place is None else [record.place.session, record.place.position],
        **_end(outcome, texts),
        **review_data(record, texts),
    }


def _accepted(record: Record) -> list[JsonValue]:
    """The answers in the record that are right."""
    return [plain(answer) for answer in sorted(_given(record)) if _is_right(record, answer)]


def _given(record: Record) -> set[str]:
    """Every answer that stands anywhere in the record."""
    outcome = record.outcome
    answers = {turn.reading.answer for turn in record.turns}
    if outcome is not None:
        answers |= {outcome.answer, *(answer for answers in outcome.positions for answer in answers)}
    return {answer for answer in answers if answer is not None}


def _is_right(record: Record, answer: str) -> bool:
    """By the task's score where it scored this answer, else by equality with the target as its reader spells it."""
    if (scored := record.scores.get(f"right:{answer}")) is not None:
        return scored > 0
    if record.outcome is not None and answer == record.outcome.answer and "correct" in record.scores:
        return record.scores["correct"] > 0
    if record.sample is None:
        return False
    target = record.sample.target.answer
    return answer == (record.sample.problem.reader.canonical(target) or target)


def flipped(positions: tuple[Answers, ...]) -> bool:
    """Whether any seat gave two different answers in neighbouring rounds (giving none is no answer)."""
    return any(
        None not in (old, new) and old != new
        for earlier, later in pairwise(positions)
        for old, new in zip(earlier, later, strict=False)
    )


def _shown(answer: str | None) -> str | None:
    return None if answer is None else plain(answer)


def _end(outcome: Outcome | None, texts: Texts) -> dict[str, JsonValue]:
    if outcome is None:
        return {"stop": None, "confidence": {}, "ledger": [], "facts": 0}
    return {
        "stop": outcome.stop.value,
        "confidence": {
            source: plain(value) if isinstance(value, str) else defined(value)
            for source, value in outcome.confidence.items()
        },
        "ledger": [_event(event, texts) for event in outcome.ledger],
        "facts": texts.put(_json(outcome.facts)),
    }


def _event(event: Event, texts: Texts) -> JsonValue:
    return [
        plain(event.kind),
        plain(event.by),
        event.round,
        texts.put(event.text),
        texts.put(_json(event.facts)),
    ]


def _turn(turn: Turn, texts: Texts, shown: Callable[[str | None], str | None]) -> JsonValue:
    speaker, reading, completion = turn.speaker, turn.reading, turn.completion
    return {
        "seat": f"{plain(speaker.role)} {speaker.seat}",
        "place": speaker.seat,
        "round": speaker.round,
        "attempt": speaker.attempt,
        "seen": plain(turn.seen),
        "kind": plain(reading.kind),
        "spare": turn.spare,
        "cuts": [plain(cut) for cut in turn.cuts],
        "shown": [[message.role, texts.put(message.text)] for message in turn.request.messages],
        "said": texts.put(completion.text),
        "finish": completion.finish,
        "tokens": [completion.prompt_tokens, completion.output_tokens],
        "status": reading.status.value,
        "rule": plain(reading.rule),
        "answer": shown(reading.answer),
        "probability": defined(reading.probability),
        "note": plain(reading.note),
        "reply": texts.put(_json(reading.reply)),
    }


def _json(data: Mapping[str, JsonValue]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, default=str) if data else ""
