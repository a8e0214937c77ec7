"""The columns of the three tables, and a record as their rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from madbench.records.codec import encode_sample
from madbench.types import Outcome, Record, Turn

Row = dict[str, Any]


def records_schema() -> Any:
    import pyarrow as pa

    texts = "sample ending error cluster question target answer stop problem state confidence facts host"
    numbers = "epoch attempt session position n_turns n_events calls prompt_tokens output_tokens"
    return pa.schema(
        [(name, pa.string()) for name in texts.split()]
        + [(name, pa.int64()) for name in numbers.split()]
        + [
            ("seconds", pa.float64()),
            ("scores", pa.map_(pa.string(), pa.float64())),
            ("positions", pa.list_(pa.list_(pa.string()))),
        ]
    )


def turns_schema() -> Any:
    import pyarrow as pa

    texts = "sample role seen schema text finish status kind rule answer reply note"
    numbers = "epoch attempt step seat round turn repair max_tokens seed prompt_tokens output_tokens"
    message = pa.struct([("role", pa.string()), ("text", pa.string())])
    piece = pa.struct([("text", pa.string()), ("logprob", pa.float64())])
    return pa.schema(
        [(name, pa.string()) for name in texts.split()]
        + [(name, pa.int64()) for name in numbers.split()]
        + [(name, pa.float64()) for name in ("temperature", "top_p", "probability")]
        + [
            ("messages", pa.list_(message)),
            ("pieces", pa.list_(piece)),
            ("cuts", pa.list_(pa.string())),
            ("spare", pa.bool_()),
        ]
    )


def events_schema() -> Any:
    import pyarrow as pa

    texts = [(name, pa.string()) for name in ("sample", "kind", "by", "text", "facts")]
    return pa.schema(texts + [(name, pa.int64()) for name in ("epoch", "attempt", "step", "round")])


_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def as_json(value: Any) -> str:
    return _JSON.encode(value)


def record_row(record: Record) -> Row:
    charged = [turn.completion for turn in record.turns if not turn.spare]
    return {
        **_ids(record),
        "ending": record.ending.value,
        "error": record.error,
        **_sample_columns(record),
        **_outcome_columns(record.outcome),
        "session": record.place and record.place.session,
        "position": record.place and record.place.position,
        "state": record.place and record.place.state,
        "host": record.effort.host,
        "seconds": record.effort.seconds,
        "scores": list(record.scores.items()),
        "n_turns": len(record.turns),
        "n_events": len(record.outcome.ledger) if record.outcome else 0,
        "calls": len(charged),
        "prompt_tokens": sum(completion.prompt_tokens for completion in charged),
        "output_tokens": sum(completion.output_tokens for completion in charged),
    }


def _ids(record: Record) -> Row:
    return {"sample": record.id.sample, "epoch": record.id.epoch, "attempt": record.id.attempt}


def _sample_columns(record: Record) -> Row:
    if record.sample is None:
        return dict.fromkeys(("cluster", "question", "target", "problem"))
    problem = record.sample.problem
    return {
        "cluster": problem.cluster,
        "question": problem.question,
        "target": record.sample.target.answer,
        "problem": as_json(encode_sample(record.sample)),
    }


def _outcome_columns(outcome: Outcome | None) -> Row:
    if outcome is None:
        return dict.fromkeys(("answer", "stop", "confidence", "facts", "positions"))
    return {
        "answer": outcome.answer,
        "stop": outcome.stop.value,
        "confidence": as_json(dict(outcome.confidence)),
        "facts": as_json(dict(outcome.facts)),
        "positions": [list(answers) for answers in outcome.positions],
    }


def turn_rows(record: Record) -> Iterator[Row]:
    for step, turn in enumerate(record.turns):
        yield {**_ids(record), "step": step, **_asked(turn), **_given(turn)}


def _asked(turn: Turn) -> Row:
    speaker, request = turn.speaker, turn.request
    return {
        "role": speaker.role,
        "seat": speaker.seat,
        "round": speaker.round,
        "turn": speaker.turn,
        "repair": speaker.attempt,
        "seen": turn.seen,
        "messages": [{"role": message.role, "text": message.text} for message in request.messages],
        "temperature": request.sampling.temperature,
        "top_p": request.sampling.top_p,
        "max_tokens": request.sampling.max_tokens,
        "seed": request.seed,
        "schema": request.schema,
        "cuts": list(turn.cuts),
        "spare": turn.spare,
    }


def _given(turn: Turn) -> Row:
    completion, reading = turn.completion, turn.reading
    return {
        "text": completion.text,
        "finish": completion.finish,
        "prompt_tokens": completion.prompt_tokens,
        "output_tokens": completion.output_tokens,
        "pieces": [{"text": text, "logprob": value} for text, value in completion.pieces],
        "status": reading.status.value,
        "kind": reading.kind,
        "rule": reading.rule,
        "answer": reading.answer,
        "probability": reading.probability,
        "reply": as_json(dict(reading.reply)),
        "note": reading.note,
    }


def event_rows(record: Record) -> Iterator[Row]:
    for step, event in enumerate(record.outcome.ledger if record.outcome else ()):
        yield {
            **_ids(record),
            "step": step,
            "kind": event.kind,
            "by": event.by,
            "round": event.round,
            "text": event.text,
            "facts": as_json(dict(event.facts)),
        }
