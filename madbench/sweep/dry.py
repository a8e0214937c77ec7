"""A dry run: what would be asked and what it would cost, with nothing generated."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import JsonValue

from madbench.agents import Cast
from madbench.records.layout import RunFolder
from madbench.run.job import run_job, samples_of
from madbench.sweep.building import Built
from madbench.sweep.display import duration
from madbench.sweep.kept import Rates, rates_of
from madbench.sweep.planning import Planned
from madbench.sweep.pretending import REPLY, Pretender
from madbench.types import Record, Turn

LETTERS = 4
"""Letters taken for a token where a model's own tokenizer cannot be had without its weights."""
ASSUMED = Rates(prompt=2000.0, output=200.0)
"""Tokens a second, assumed where this cast has not run yet."""


@dataclass(frozen=True, slots=True)
class Cost:
    """An upper bound for all episodes of one run: every reply as long as its `max_tokens` allows."""

    calls: int
    prompt_tokens: int
    output_tokens: int


def dry_run(runs: Sequence[Planned]) -> str:
    """Play one episode of every run with made-up replies; the text tells prompts, counts and time."""
    records = [asyncio.run(rehearse(run)) for run in runs]
    costs = [cost(run, record) for run, record in zip(runs, records, strict=True)]
    parts = [_prompts(run, record) for run, record in zip(runs, records, strict=True)]
    return "\n\n".join([*parts, _table(runs, costs), _time(runs, costs)])


async def rehearse(run: Planned) -> Record:
    """The first episode of a run, played by nobody: forms are filled with their smallest values."""
    records: list[Record] = []
    with TemporaryDirectory() as folder:
        protocol = replace(run.built.protocol, roles=_forms(run.built))
        job = replace(run.job, folder=RunFolder(Path(folder)), protocol=protocol, epochs=1, limit=1)
        cast = Cast({"default": [Pretender(samples_of(job.task)[0].problem)]})
        await run_job(job, cast, on_episode=records.append, concurrency=1)
    return records[0]


def cost(run: Planned, record: Record) -> Cost:
    """One rehearsed episode, times the episodes of the run."""
    charged = [turn for turn in record.turns if not turn.spare]
    prompts = sum(_prompt_tokens(turn) for turn in charged)
    outputs = sum(turn.request.sampling.max_tokens for turn in charged)
    return Cost(len(charged) * run.episodes, prompts * run.episodes, outputs * run.episodes)


def _prompt_tokens(turn: Turn) -> int:
    """Tokens of a prompt in which every earlier reply is as long as it may be."""
    text = "\n".join(message.text for message in turn.request.messages)
    return len(text) // LETTERS + text.count(REPLY) * turn.request.sampling.max_tokens


def _forms(built: Built) -> dict[str, dict[str, JsonValue]]:
    """The protocol's role settings with every form sent along, so that it can be filled in."""
    forms = {}
    for role in built.protocol.plays:
        settings = dict(built.protocol.roles.get(role, {}))
        contract = settings.get("contract")
        settings["contract"] = {**(contract if isinstance(contract, dict) else {}), "enforcement": "grammar"}
        forms[role] = settings
    return forms


def _prompts(run: Planned, record: Record) -> str:
    """The first prompt of every role."""
    first: dict[str, Turn] = {}
    for turn in record.turns:
        first.setdefault(f"{turn.speaker.role}, {turn.seen}", turn)
    shown = [f"=== {run.name.arm}: {run.name.protocol} on {run.name.task}, played by {run.name.cast}"]
    for name, turn in first.items():
        shown.append(f"--- first prompt of {name}")
        shown += [f"[{message.role}] {message.text}" for message in turn.request.messages]
    return "\n".join(shown)


def _table(runs: Sequence[Planned], costs: Sequence[Cost]) -> str:
    rows: list[tuple[str, ...]] = [("arm", "episodes", "calls", "prompt tokens", "output tokens")]
    for run, price in zip(runs, costs, strict=True):
        counts = (run.episodes, price.calls, price.prompt_tokens, price.output_tokens)
        rows.append((run.name.arm, *(str(count) for count in counts)))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    note = f"At most: every reply as long as allowed, {LETTERS} letters a token, nothing shared, no repairs."
    return "\n".join([*lines, note])


def _time(runs: Sequence[Planned], costs: Sequence[Cost]) -> str:
    seconds, known = 0.0, True
    for run, price in zip(runs, costs, strict=True):
        rates = rates_of(run.config.home, run.name.cast)
        known, rates = known and rates is not None, rates or ASSUMED
        seconds += price.prompt_tokens / rates.prompt + price.output_tokens / rates.output
    if known:
        return f"Time: at most {duration(seconds)}, at the rates of an earlier run."
    assumed = f"{ASSUMED.prompt:.0f} prompt and {ASSUMED.output:.0f} output tokens a second"
    return f"Time: at most {duration(seconds)}, assuming {assumed}, since no run has measured this cast."
