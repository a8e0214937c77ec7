"""A record again, from the rows of the three tables."""

from __future__ import annotations

import json

from madbench.records.codec import decode_sample
from madbench.records.columns import Row
from madbench.types import (
    Completion,
    Effort,
    Ending,
    Event,
    Message,
    Outcome,
    ParseStatus,
    Place,
    Reading,
    Record,
    Request,
    RowId,
    Sampling,
    Speaker,
    StopReason,
    Turn,
)


def record_of(row: Row, turns: list[Row], events: list[Row]) -> Record:
    placed = row["session"] is not None
    return Record(
        id=RowId(row["sample"], row["epoch"], row["attempt"]),
        sample=decode_sample(json.loads(row["problem"])) if row["problem"] else None,
        ending=Ending(row["ending"]),
        outcome=_outcome(row, events) if row["stop"] else None,
        turns=tuple(map(_turn, turns)),
        scores=dict(row["scores"]),
        place=Place(row["session"], row["position"], row["state"]) if placed else None,
        effort=Effort(row["seconds"], row["host"]),
        error=row["error"],
    )


def _outcome(row: Row, events: list[Row]) -> Outcome:
    return Outcome(
        row["answer"],
        tuple(tuple(answers) for answers in row["positions"]),
        StopReason(row["stop"]),
        json.loads(row["confidence"]),
        tuple(map(_event, events)),
        json.loads(row["facts"]),
    )


def _event(row: Row) -> Event:
    return Event(row["kind"], row["by"], row["round"], row["text"], json.loads(row["facts"]))


def _turn(row: Row) -> Turn:
    return Turn(
        Speaker(row["role"], row["seat"], row["round"], row["turn"], row["repair"]),
        row["seen"],
        _request(row),
        _completion(row),
        _reading(row),
        tuple(row["cuts"]),
        row["spare"],
    )


def _request(row: Row) -> Request:
    sampling = Sampling(temperature=row["temperature"], top_p=row["top_p"], max_tokens=row["max_tokens"])
    messages = tuple(Message(message["role"], message["text"]) for message in row["messages"])
    return Request(messages, sampling, row["seed"], row["schema"])


def _completion(row: Row) -> Completion:
    pieces = tuple((piece["text"], piece["logprob"]) for piece in row["pieces"])
    return Completion(row["text"], row["finish"], row["prompt_tokens"], row["output_tokens"], pieces)


def _reading(row: Row) -> Reading:
    return Reading(
        ParseStatus(row["status"]),
        row["kind"],
        row["rule"],
        row["answer"],
        row["probability"],
        json.loads(row["reply"]),
        row["note"],
    )
