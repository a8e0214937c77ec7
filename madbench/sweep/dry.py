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
from madbench.sweep.pretending import Pretender
from madbench.sweep.tokens import LETTERS, Ask, Languages, asks_of
from madbench.types import Record

ASSUMED = 1000.0
"""Tokens a second, prompts and replies together, assumed where this cast has not run yet."""
MOST = 4
"""So many different answers are tried: with 2 to 4, some number leaves up to 12 seats without a single majority."""

NOTE = """\
At most, but for repairs: every reply as long as allowed, answers that differ where that costs more. {counted}
What arms share is generated once; votes that only serve comparison are generated and charged to no arm."""
COUNTED = "Tokens of\nprompts are the models' own, by their tokenizers and chat templates."
GUESSED = f"""Tokens of
prompts are guessed from their letters, {LETTERS} to a token; the model's own tokenizer is not loaded{{whose}}."""


@dataclass(frozen=True, slots=True)
class Cost:
    """An upper bound: every reply as long as its `max_tokens` allows."""

    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.output_tokens

    def plus(self, ask: Ask, episodes: int, epochs: int) -> Cost:
        """With that ask in so many episodes."""
        prompts = ask.tokens * episodes + ask.more * epochs
        return Cost(
            self.calls + episodes, self.prompt_tokens + prompts, self.output_tokens + ask.room * episodes
        )


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A run with the asks of its first episode."""

    run: Planned
    asks: tuple[Ask, ...]

    def cost(self, asks: Sequence[Ask]) -> Cost:
        """What some of its asks come to in all its episodes."""
        cost = Cost()
        for ask in asks:
            cost = cost.plus(ask, self.run.episodes, self.run.config.extent.epochs)
        return cost

    @property
    def attributed(self) -> Cost:
        """What the run consumes."""
        return self.cost([ask for ask in self.asks if not ask.turn.spare])

    @property
    def first(self) -> dict[str, Ask]:
        """The first ask of every role and kind of observation, by their names."""
        first: dict[str, Ask] = {}
        for ask in self.asks:
            first.setdefault(f"{ask.turn.speaker.role}, {ask.turn.seen}", ask)
        return first

    @property
    def tight(self) -> list[Ask]:
        """Of every role whose prompts may outgrow its model's context, the longest ask."""
        longest: dict[tuple[str, str], Ask] = {}
        for ask in self.asks:
            held = longest.setdefault((ask.turn.speaker.role, ask.model), ask)
            if ask.excess > held.excess:
                longest[ask.turn.speaker.role, ask.model] = ask
        return [ask for ask in longest.values() if ask.excess]


def dry_run(runs: Sequence[Planned]) -> str:
    """Play an episode of every run with made-up replies; the text tells prompts, counts and time."""
    languages = Languages()
    together = [dearest(run, languages) for run in runs]
    return "\n\n".join([*map(_prompts, together), _table(together), _time(together)])


def dearest(run: Planned, languages: Languages) -> Rehearsed:
    """The first episode of a run as it costs most: with seats that agree, and with up to MOST different answers.

    Its prompts are counted by the tokenizers that are on this machine; no weights are loaded, nothing is fetched.
    Raises InputError for a tokenizer that cannot serve.
    """
    records = [asyncio.run(rehearse(run, choices)) for choices in range(1, MOST + 1)]
    tries = [Rehearsed(run, asks_of(run, record, languages)) for record in records]
    return max(tries, key=lambda one: one.attributed.tokens)


async def rehearse(run: Planned, choices: int) -> Record:
    """The first episode of a run, played by nobody: answers go round, forms are filled with their smallest values."""
    records: list[Record] = []
    with TemporaryDirectory() as folder:
        protocol = replace(run.built.protocol, roles=_forms(run.built))
        job = replace(run.job, folder=RunFolder(Path(folder)), protocol=protocol, epochs=1, limit=1)
        cast = Cast({"default": [Pretender(samples_of(job.task)[0].problem, choices)]})
        await run_job(job, cast, on_episode=records.append, concurrency=1)
    return records[0]


def generated(runs: Sequence[Rehearsed]) -> Cost:
    """What a sweep has to generate: spare votes too, and asks that several runs share once."""
    cost, seen = Cost(), set[tuple[object, ...]]()
    for one in runs:
        for ask in one.asks:
            request = ask.turn.request
            seed = request.seed if request.sampling.temperature else 0
            key = (one.run.group, request.messages, request.sampling, request.schema, seed)
            if key not in seen:
                cost = cost.plus(ask, one.run.episodes, one.run.config.extent.epochs)
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


def _prompts(one: Rehearsed) -> str:
    """The first prompt of every role, and whose prompts may grow too long."""
    name = one.run.name
    shown = [f"=== {name.arm}: {name.protocol} on {name.task}, played by {name.cast}"]
    for title, ask in one.first.items():
        shown.append(f"--- first prompt of {title}{_length(ask)}")
        shown += [f"[{message.role}] {message.text}" for message in ask.turn.request.messages]
    shown += [_warning(ask) for ask in one.tight]
    return "\n".join(shown)


def _length(ask: Ask) -> str:
    """Where the model's own tokenizer counted."""
    return f": {ask.tokens} tokens, {ask.room} more for the reply, of {ask.context}" if ask.counted else ""


def _warning(ask: Ask) -> str:
    return (
        f"!!! {ask.turn.speaker.role}: prompts may grow to {ask.tokens} tokens, and a reply to {ask.room} more; "
        f"{ask.model} holds {ask.context}, which is {ask.excess} fewer (`context` says what is done then)"
    )


def _table(runs: Sequence[Rehearsed]) -> str:
    rows: list[tuple[str, ...]] = [("arm", "episodes", "calls", "prompt tokens", "output tokens")]
    for one in runs:
        rows.append(_row(one.run.name.arm, one.run.episodes, one.attributed))
    rows.append(_row("to generate", sum(one.run.episodes for one in runs), generated(runs)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return "\n".join([*lines, _note([ask for one in runs for ask in one.asks])])


def _note(asks: Sequence[Ask]) -> str:
    """How the counts were come by."""
    guessed = {ask.model for ask in asks if not ask.counted}
    counted = len({ask.model for ask in asks}) - len(guessed)
    whose = f" ({', '.join(sorted(guessed))})" if counted else ""
    return NOTE.format(counted=GUESSED.format(whose=whose) if guessed else COUNTED)


def _row(name: str, episodes: int, cost: Cost) -> tuple[str, ...]:
    return (name, *(str(n) for n in (episodes, cost.calls, cost.prompt_tokens, cost.output_tokens)))


def _time(runs: Sequence[Rehearsed]) -> str:
    """By the slowest cast's measured rate, if all were measured."""
    rates = [rates_of(one.run.config.home, one.run.name.cast) for one in runs]
    known = [rate for rate in rates if rate is not None]
    rate, cost = (min(known) if len(known) == len(rates) else ASSUMED), generated(runs)
    seconds = cost.tokens / rate
    all_known = len(known) == len(rates)
    source = "measured by an earlier run" if all_known else "assumed: no run has measured this cast"
    return f"Time: at most {duration(seconds)}, at {rate:.0f} tokens a second ({source})."
