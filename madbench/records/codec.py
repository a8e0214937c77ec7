"""Records as plain data and back, losslessly. A text that recurs within a record is stored once."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from madbench.records.repeats import folded, unfolded
from madbench.types import (
    AnswerReader,
    Completion,
    Effort,
    Ending,
    Event,
    InputError,
    Message,
    Outcome,
    ParseStatus,
    Place,
    Problem,
    Reading,
    Record,
    Request,
    RowId,
    Sample,
    Sampling,
    Shot,
    Speaker,
    StopReason,
    Target,
    Turn,
)

OWN = ("madbench.tasks.", "madbench.types.", "madbench.protocols.")
"""Where classes are defined that a record may name, whether or not they are loaded."""


class Table:
    """Values in order of first appearance, each once; a value's index stands for it."""

    def __init__(self) -> None:
        self.index: dict[Any, int] = {}

    def __call__(self, value: Any) -> int:
        return self.index.setdefault(value, len(self.index))


def encode(record: Record) -> dict[str, Any]:
    """Plain data that JSON can hold; ids come first, the tables that the rest points into last."""
    texts, samplings = Table(), Table()
    return {
        "id": [record.id.sample, record.id.epoch, record.id.attempt],
        "ending": record.ending.value,
        "error": record.error,
        "scores": dict(record.scores),
        "place": record.place and [record.place.session, record.place.position, record.place.state],
        "effort": [record.effort.seconds, record.effort.host],
        "sample": record.sample and encode_sample(record.sample),
        "outcome": record.outcome and encode_outcome(record.outcome),
        "turns": [_encode_turn(turn, texts, samplings) for turn in record.turns],
        "samplings": [sampling.model_dump() for sampling in samplings.index],
        "texts": list(texts.index),
    }


def decode(row: Mapping[str, Any]) -> Record:
    """The record again. Raises InputError where its answer reader's class is gone."""
    texts, samplings = row["texts"], [Sampling.model_validate(sampling) for sampling in row["samplings"]]
    return Record(
        id=RowId(*row["id"]),
        sample=row["sample"] and decode_sample(row["sample"]),
        ending=Ending(row["ending"]),
        outcome=row["outcome"] and decode_outcome(row["outcome"]),
        turns=tuple(_decode_turn(turn, texts, samplings) for turn in row["turns"]),
        scores=row["scores"],
        place=row["place"] and Place(*row["place"]),
        effort=Effort(*row["effort"]),
        error=row["error"],
    )


def encode_sample(sample: Sample) -> dict[str, Any]:
    problem, target = sample.problem, sample.target
    (reader, facts), texts = folded([pack(problem.reader), dict(target.facts)])
    row = {
        "id": problem.id,
        "cluster": problem.cluster,
        "question": problem.question,
        "reader": reader,
        "shots": [[shot.prompt, shot.reply] for shot in problem.shots],
        "target": [target.answer, facts],
    }
    return {**row, "texts": texts} if texts else row


def decode_sample(row: Mapping[str, Any]) -> Sample:
    answer, facts = row["target"]
    packed, facts = unfolded([row["reader"], facts], row.get("texts", []))
    reader: AnswerReader = unpack(packed)
    shots = tuple(Shot(*shot) for shot in row["shots"])
    return Sample(Problem(row["id"], row["cluster"], row["question"], reader, shots), Target(answer, facts))


def encode_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "answer": outcome.answer,
        "positions": [list(answers) for answers in outcome.positions],
        "stop": outcome.stop.value,
        "confidence": dict(outcome.confidence),
        "ledger": [encode_event(event) for event in outcome.ledger],
        "facts": dict(outcome.facts),
    }


def decode_outcome(row: Mapping[str, Any]) -> Outcome:
    return Outcome(
        row["answer"],
        tuple(tuple(answers) for answers in row["positions"]),
        StopReason(row["stop"]),
        row["confidence"],
        tuple(Event(*event) for event in row["ledger"]),
        row["facts"],
    )


def encode_event(event: Event) -> list[Any]:
    return [event.kind, event.by, event.round, event.text, dict(event.facts)]


def encode_completion(done: Completion) -> list[Any]:
    """Text first; a log-probability of minus infinity is stored as null, since JSON has none."""
    pieces = [[text, value if math.isfinite(value) else None] for text, value in done.pieces]
    return [done.text, done.finish, done.prompt_tokens, done.output_tokens, pieces]


def decode_completion(row: list[Any]) -> Completion:
    pieces = tuple((text, -math.inf if value is None else value) for text, value in row[4])
    return Completion(row[0], row[1], row[2], row[3], pieces)


def _encode_turn(turn: Turn, texts: Table, samplings: Table) -> dict[str, Any]:
    who, request, reading = turn.speaker, turn.request, turn.reading
    text, *completion = encode_completion(turn.completion)
    schema = None if request.schema is None else texts(request.schema)
    return {
        "who": [who.role, who.seat, who.round, who.turn, who.attempt],
        "seen": turn.seen,
        "messages": [[message.role, texts(message.text)] for message in request.messages],
        "request": [samplings(request.sampling), request.seed, schema],
        "completion": [texts(text), *completion],
        "reading": [
            reading.status.value,
            reading.kind,
            reading.rule,
            reading.answer,
            reading.probability,
            dict(reading.reply),
            reading.note,
        ],
        "cuts": list(turn.cuts),
        "spare": turn.spare,
    }


def _decode_turn(row: Mapping[str, Any], texts: list[str], samplings: list[Sampling]) -> Turn:
    sampling, seed, schema = row["request"]
    messages = tuple(Message(role, texts[text]) for role, text in row["messages"])
    text, *completion = row["completion"]
    status, *reading = row["reading"]
    return Turn(
        Speaker(*row["who"]),
        row["seen"],
        Request(messages, samplings[sampling], seed, None if schema is None else texts[schema]),
        decode_completion([texts[text], *completion]),
        Reading(ParseStatus(status), *reading),
        tuple(row["cuts"]),
        row["spare"],
    )


def pack(value: Any) -> Any:
    """A frozen dataclass of plain values (an answer reader, say) as plain data that names its class."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        held = {field.name: pack(getattr(value, field.name)) for field in fields(value) if field.init}
        return {"class": f"{kind.__module__}:{kind.__qualname__}", "fields": held}
    if isinstance(value, list | tuple):
        return [pack(item) for item in value]
    return value


def unpack(value: Any) -> Any:
    """What `pack` was given; frozen dataclasses hold tuples, so that lists come back as such."""
    if isinstance(value, list):
        return tuple(unpack(item) for item in value)
    if not isinstance(value, dict):
        return value
    held = {name: unpack(item) for name, item in value["fields"].items()}
    return _class(value["class"])(**held)


@lru_cache(maxsize=256)
def _class(name: str) -> Any:
    """A frozen dataclass of ours, or of a module that the task brought: what a record names is never imported."""
    module, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module) if module.startswith(OWN) else sys.modules[module]
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, KeyError) as error:
        raise InputError(f"records: no class {name}; it was there when the record was written") from error
    if not (is_dataclass(found) and isinstance(found, type) and found.__dataclass_params__.frozen):  # type: ignore[attr-defined]
        raise InputError(f"records: {name} is no frozen dataclass")
    return found
