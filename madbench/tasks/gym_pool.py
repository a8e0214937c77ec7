"""The distinct questions of a reasoning-gym data set, in one fixed order."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import count

from pydantic import JsonValue

from madbench.types import InputError

STREAM_SEED = 0
"""Item i of reasoning-gym's seed s is item 0 of seed s + i: all of ours come from one stream, and seeds of a
task are places in it, so that two of them never share an item.
"""
PATIENCE = 20
"""Draws without a new question, as a multiple of the questions known, after which the pool counts as whole."""
FIRST_LENGTH = 256
"""Items asked of reasoning-gym at first, then four times as many: some data sets make them all at once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One generated question; `index` is its place in the stream, `working` a step to it where known."""

    question: str
    answer: str
    index: int
    working: str = ""


def distinct(dataset: str, config: Mapping[str, JsonValue], wanted: int) -> list[Entry]:
    """The first `wanted` different questions; fewer where the data set has no more.

    Items whose right answer is nothing (an empty string) are left out: no reply could state it.
    """
    entries: dict[str, Entry] = {}
    dry = 0
    for entry in stream(dataset, config):
        dry = dry + 1 if entry.question in entries else 0
        if entry.answer.strip():
            entries.setdefault(entry.question, entry)
        if len(entries) >= wanted or dry > PATIENCE * max(len(entries), 50):
            break
    return list(entries.values())


def stream_settings(config: Mapping[str, JsonValue], length: int) -> dict[str, JsonValue]:
    """What reasoning-gym opens the first `length` items of our stream with."""
    return {"seed": STREAM_SEED, "size": length, **config}


def stream(dataset: str, config: Mapping[str, JsonValue]) -> Iterator[Entry]:
    """All items of a data set, repeated ones too, from the stream's beginning.

    Raises InputError for an unknown data set, an unknown or impossible setting, an item without an answer.
    """
    from reasoning_gym.factory import DATASETS

    if dataset not in DATASETS:
        near = get_close_matches(dataset, DATASETS, n=3) or sorted(DATASETS)[:5]
        raise InputError(f"task.dataset: reasoning-gym has no {dataset!r}; near: {', '.join(near)}")
    length = FIRST_LENGTH
    items = _opened(dataset, config, length)
    for index in count():
        if index == length:
            length *= 4
            items = _opened(dataset, config, length)
        yield _entry(dataset, index, items[index])


def _opened(dataset: str, config: Mapping[str, JsonValue], length: int) -> Sequence[Mapping[str, JsonValue]]:
    import reasoning_gym

    try:
        with contextlib.redirect_stdout(io.StringIO()):
            items: Sequence[Mapping[str, JsonValue]] = reasoning_gym.create_dataset(
                dataset, **stream_settings(config, length)
            )
    except (TypeError, AssertionError, ValueError) as error:
        raise InputError(f"task.config: reasoning-gym's {dataset} refuses {dict(config)}: {error}") from error
    return items


def _entry(dataset: str, index: int, item: Mapping[str, JsonValue]) -> Entry:
    if item["answer"] is None:
        raise InputError(f"task.dataset: item {index} of reasoning-gym's {dataset} has no right answer")
    known = item["metadata"]
    working = str(known.get("expression", "")) if dataset == "chain_sum" and isinstance(known, dict) else ""
    return Entry(str(item["question"]), str(item["answer"]), index, working)
