"""Can everything be asked? A rehearsal of every arm by nobody: prompts, contexts, grammars, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from madbench.agents import settings_of
from madbench.engines.settings import LocalSettings, SpokenSettings
from madbench.run.job import samples_of
from madbench.sweep.doctor.findings import Finding, Level
from madbench.sweep.doctor.models import Weighed, once
from madbench.sweep.dry import Rehearsed
from madbench.sweep.identity import players
from madbench.sweep.planning import Planned
from madbench.sweep.pretending import repeated
from madbench.sweep.tokens import LETTERS, Ask, Languages
from madbench.types import Model

if TYPE_CHECKING:
    from madbench.engines.local.proof import Body

SHORTER = (
    "shorter samples, a smaller max_tokens, `context: drop_oldest` or cut_peers, or a model that holds more"
)
BITS = {"bitsandbytes_8bit": 8, "bitsandbytes_4bit": 4, "torchao_int8": 8}
"""Bits that a weight takes once it is quantised."""
FLOAT32 = 4
"""Bytes of a weight in the copy that suits a CPU."""


@dataclass(frozen=True, slots=True)
class Span:
    """How long an ask may become, prompt and reply, in tokens: `surely` with the longest question and no word of
    other replies in it, `at_most` with all of them as long as allowed.
    """

    ask: Ask
    surely: int
    at_most: int


def prompts(one: Rehearsed, languages: Languages) -> Iterator[Finding]:
    """Whether what is asked fits the models that are asked."""
    arm, told = one.run.name.arm, f"{len(one.first)} kinds of prompt, {len(one.asks)} asks an episode"
    yield Finding("ok", "prompts", arm, told)
    counted = [span_of(one.run, ask, languages) for ask in one.asks if ask.context is not None]
    for role in dict.fromkeys(span.ask.turn.speaker.role for span in counted):
        spans = [span for span in counted if span.ask.turn.speaker.role == role]
        yield _context(one.run, role, spans)


def span_of(run: Planned, ask: Ask, languages: Languages) -> Span:
    words = languages.reader(run, ask.turn)[1]
    questions = [sample.problem.prompt for sample in samples_of(run.built.task)[: run.config.extent.limit]]
    text = "\n".join(message.text for message in ask.turn.request.messages)
    longest = max(questions, key=len)
    sizes = [len(each) // LETTERS if words is None else words.size(each) for each in (longest, questions[0])]
    most = ask.tokens + ask.room + text.count(questions[0]) * (sizes[0] - sizes[1])
    return Span(ask, most - repeated(text), most)


def _context(run: Planned, role: str, spans: Sequence[Span]) -> Finding:
    """The longest ask of a role against its model's context."""
    span = max(spans, key=lambda span: span.at_most - (span.ask.context or 0))
    context, surely = span.ask.context or 0, max(spans, key=lambda span: span.surely).surely
    refuses = settings_of(role, run.built.protocol, run.built.defaults).context == "refuse"
    level: Level = "ok"
    if span.at_most > context and refuses:
        level = "fail" if surely > context else "warn"
    told = f"{role}: at least {surely:,}, at most {span.at_most:,} of {span.ask.model}'s {context:,} tokens"
    return Finding(level, "context", run.name.arm, told, SHORTER)


def grammars(one: Rehearsed) -> Iterator[Finding]:
    """Whether every form that a grammar is to hold can be compiled for the model that fills it in."""
    from madbench.engines.local.proof import grammars

    run = one.run
    for role in run.built.protocol.plays:
        if settings_of(role, run.built.protocol, run.built.defaults).contract.enforcement != "grammar":
            continue
        turns = [ask.turn for ask in one.asks if ask.turn.speaker.role == role]
        schemas = {turn.request.schema for turn in turns if turn.request.schema is not None}
        for model in once(players(run.built, role)):
            place = model.weights.words() if isinstance(model, SpokenSettings) else None
            if place is None or not isinstance(model, SpokenSettings):
                continue
            compiler = grammars(model, place)
            for schema in sorted(schemas):
                compiler.matcher(schema)
            told = f"{role}: {len(schemas)} forms can be held by {model.name}"
            yield Finding("ok", "grammar", run.name.arm, told)


def fits(
    rehearsed: Sequence[Rehearsed], weighed: Weighed, *, resident: str, elsewhere: bool
) -> Iterator[Finding]:
    """Whether the models of a cast fit into memory together, and how many rows beside them. What does not fit here
    may fit `elsewhere`, where the jobs are sent.
    """
    for group in dict.fromkeys(one.run.group for one in rehearsed):
        together = [one for one in rehearsed if one.run.group == group]
        run = together[0].run
        models = [model for model in once(run.built.models) if weighed.of(model)]
        if not models:
            continue
        bodies = [(model, body) for model in models if (body := weighed.of(model)) is not None]
        device, there = _device(models)
        sizes = [held_by(model, body, packs=device == "main memory") for model, body in bodies]
        longest = max(ask.tokens + ask.room for one in together for ask in one.asks)
        row = longest * max(body.cached for _, body in bodies)
        wanted = max((model.batch.rows for model in models if isinstance(model, LocalSettings)), default=1)
        held = (max if resident == "one" else sum)(sizes)
        found = _memory(run.name.cast, device, (there, held, row), wanted)
        yield replace(found, level="warn") if elsewhere and found.level == "fail" else found


def _device(models: Sequence[Model]) -> tuple[str, int]:
    """Where a cast's weights would lie, on this machine."""
    from madbench.engines.local.proof import memory

    local = [model for model in models if isinstance(model, LocalSettings)]
    others = len(local) < len(models)
    return memory(
        gpu=others or any(model.device != "cpu" for model in local),
        spread=others or any(model.device_map is not None for model in local),
    )


def held_by(model: Model, body: Body, *, packs: bool) -> int:
    """Bytes that a model's weights take: quantised where it is, with the copy that suits a CPU (`packs`) where its
    budget holds it.
    """
    if not isinstance(model, LocalSettings):
        return body.bytes
    if model.quantisation != "none":
        return body.weights * BITS[model.quantisation] // 8
    copy = body.weights * FLOAT32
    return body.bytes + (copy if packs and copy <= model.batch.packed_megabytes << 20 else 0)


def _memory(cast: str, device: str, sizes: tuple[int, int, int], wanted: int) -> Finding:
    there, held, row = sizes
    gigabytes = [size / 1e9 for size in (held, row * wanted, there)]
    told = (
        f"weights {gigabytes[0]:.2f} GB, caches of {wanted} rows at most {gigabytes[1]:.2f} GB, "
        f"{device} {gigabytes[2]:.1f} GB"
    )
    if held + row > there:
        return Finding(
            "fail", "memory", cast, told, "a smaller or quantised model, or hydra.launcher.resident=one"
        )
    if held + row * wanted > there:
        remedy = f"batches will be halved until they fit; batch.rows={max(1, (there - held) // row)} says so at once"
        return Finding("warn", "memory", cast, told, remedy)
    return Finding("ok", "memory", cast, told)
