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
from madbench.sweep.kept import rates_of
from madbench.sweep.planning import Planned
from madbench.sweep.pretending import REPLY, Pretender
from madbench.types import Record, Turn

LETTERS = 4
"""Letters taken for a token: a model's own tokenizer comes with its weights, which a dry run leaves alone."""
ASSUMED = 1000.0
"""Tokens a second, prompts and replies together, assumed where this cast has not run yet."""
MOST = 4
"""So many different answers are tried: with 2 to 4, some number leaves up to 12 seats without a single majority."""

NOTE = f"""\
At most, but for repairs: every reply as long as allowed, answers that differ where that costs more. Tokens of
prompts are guessed from their letters, {LETTERS} to a token; the model's own tokenizer is not loaded. What arms share
is generated once; votes that only serve comparison are generated and charged to no arm."""


@dataclass(frozen=True, slots=True)
class Cost:
    """An upper bound: every reply as long as its `max_tokens` allows."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.output_tokens

    def plus(self, turn: Turn, times: int) -> Cost:
        """With so many asks like this one."""
        text = "\n".join(message.text for message in turn.request.messages)
        reply = turn.request.sampling.max_tokens
        prompt = len(text) // LETTERS + text.count(REPLY) * reply
        return Cost(
            self.calls + times, self.prompt_tokens + prompt * times, self.output_tokens + reply * times
        )


def dry_run(runs: Sequence[Planned]) -> str:
    """Play an episode of every run with made-up replies; the text tells prompts, counts and time."""
    records = [dearest(run) for run in runs]
    together = list(zip(runs, records, strict=True))
    prompts = [_prompts(run, record) for run, record in together]
    return "\n\n".join([*prompts, _table(together), _time(together)])


def dearest(run: Planned) -> Record:
    """The first episode of a run as it costs most: with seats that agree, and with up to MOST different answers."""
    records = [asyncio.run(rehearse(run, choices)) for choices in range(1, MOST + 1)]
    return max(records, key=lambda record: attributed(run, record).tokens)


async def rehearse(run: Planned, choices: int) -> Record:
    """The first episode of a run, played by nobody: answers go round, forms are filled with their smallest values."""
    records: list[Record] = []
    with TemporaryDirectory() as folder:
        protocol = replace(run.built.protocol, roles=_forms(run.built))
        job = replace(run.job, folder=RunFolder(Path(folder)), protocol=protocol, epochs=1, limit=1)
        cast = Cast({"default": [Pretender(samples_of(job.task)[0].problem, choices)]})
        await run_job(job, cast, on_episode=records.append, concurrency=1)
    return records[0]


def attributed(run: Planned, record: Record) -> Cost:
    """What a run consumes: one rehearsed episode, times its episodes."""
    cost = Cost()
    for turn in record.turns:
        cost = cost if turn.spare else cost.plus(turn, run.episodes)
    return cost


def generated(runs: Sequence[tuple[Planned, Record]]) -> Cost:
    """What a sweep has to generate: spare votes too, and asks that several runs share once."""
    cost, seen = Cost(), set[tuple[object, ...]]()
    for run, record in runs:
        for turn in record.turns:
            request = turn.request
            seed = request.seed if request.sampling.temperature else 0
            key = (run.group, request.messages, request.sampling, request.schema, seed)
            cost = cost if key in seen else cost.plus(turn, run.episodes)
            seen.add(key)
    return cost


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


def _table(runs: Sequence[tuple[Planned, Record]]) -> str:
    rows: list[tuple[str, ...]] = [("arm", "episodes", "calls", "prompt tokens", "output tokens")]
    for run, record in runs:
        rows.append(_row(run.name.arm, run.episodes, attributed(run, record)))
    rows.append(_row("to generate", sum(run.episodes for run, _ in runs), generated(runs)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join([*lines, NOTE])


def _row(name: str, episodes: int, cost: Cost) -> tuple[str, ...]:
    return (name, *(str(n) for n in (episodes, cost.calls, cost.prompt_tokens, cost.output_tokens)))


def _time(runs: Sequence[tuple[Planned, Record]]) -> str:
    """By the slowest cast's measured rate, if all were measured."""
    rates = [rates_of(run.config.home, run.name.cast) for run, _ in runs]
    known = [rate for rate in rates if rate is not None]
    rate, cost = (min(known) if len(known) == len(rates) else ASSUMED), generated(runs)
    seconds = cost.tokens / rate
    all_known = len(known) == len(rates)
    source = "measured by an earlier run" if all_known else "assumed: no run has measured this cast"
    return f"Time: at most {duration(seconds)}, at {rate:.0f} tokens a second ({source})."
