"""The work that every way of running a model is given: the calls of real runs, with the lengths they came to."""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue

from madbench.agents import Cast
from madbench.engines.local.loading import Loaded
from madbench.engines.transformers import TransformersEngine, TransformersModel
from madbench.protocols.debate import Debate
from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.run.job import Job, RunName, run_job
from madbench.run.merging import merge
from madbench.tasks.reasoning_gym import ReasoningGym
from madbench.types import Completion, Message, Request, RoleSettings, Sampling

AGENTS = 3
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Call:
    """One prompt and how long its reply is; a call of a round follows all of the question's earlier rounds."""

    question: int
    round: int
    ids: tuple[int, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Work:
    """What one run of madbench came to: its calls, the seconds it took, how it sampled, the engine's facts."""

    calls: tuple[Call, ...]
    seconds: float
    temperature: float
    facts: Mapping[str, JsonValue]

    @property
    def tokens(self) -> int:
        return sum(call.tokens for call in self.calls)

    @property
    def prompt_tokens(self) -> int:
        return sum(len(call.ids) for call in self.calls)


@dataclass(frozen=True, slots=True)
class Ours:
    """madbench's engine on a loaded model. Every run has a fresh scheduler and an empty cache of prefixes."""

    settings: TransformersModel
    loaded: Loaded

    def debate(self, questions: int, seed: int) -> Work:
        """A whole run of Du's debate on one-digit sums; harness, parsing and rows included, the merge not."""
        sampling, engine = Sampling(temperature=0.7, max_tokens=64), self.engine()
        with tempfile.TemporaryDirectory() as folder:
            name = RunName("throughput", "one_digit_sums", "debate", "default")
            settings = RoleSettings(sampling=sampling)
            protocol = Debate(agents=AGENTS)
            job = Job(RunFolder(Path(folder)), sums(questions), protocol, settings, seed, 1, None, name)
            seconds, _ = _timed(engine, run_job(job, Cast({"default": [engine]})))
            merge(job.folder)
            turns = [(i, turn) for i, record in enumerate(read_records(job.folder)) for turn in record.turns]
        calls = (
            Call(i, turn.speaker.round, self.ids(turn.request), turn.completion.output_tokens)
            for i, turn in turns
        )
        return Work(tuple(calls), seconds, sampling.temperature, engine.facts())

    def single(self, questions: Sequence[str], tokens: Sequence[int]) -> Work:
        """Greedy answers to questions, all asked at once, each of at most so many tokens."""
        engine = self.engine()
        requests = [
            Request((Message("user", text),), Sampling(temperature=0.0, max_tokens=limit), i)
            for i, (text, limit) in enumerate(zip(questions, tokens, strict=True))
        ]
        seconds, completions = _timed(engine, _all(engine, requests))
        calls = (
            Call(i, 0, self.ids(request), completion.output_tokens)
            for i, (request, completion) in enumerate(zip(requests, completions, strict=True))
        )
        return Work(tuple(calls), seconds, 0.0, engine.facts())

    def engine(self) -> TransformersEngine:
        return TransformersEngine(self.settings, self.loaded)

    def ids(self, request: Request) -> tuple[int, ...]:
        return tuple(self.loaded.chat.ids(request.messages))


def sums(questions: int) -> ReasoningGym:
    """One-digit sums, as the quickstart asks them."""
    config = {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}
    return ReasoningGym(
        name="one_digit_sums", dataset="chain_sum", config=config, size=questions, shots=4, seed=0
    )


def texts(count: int) -> tuple[list[str], str]:
    """Grade-school questions from the folder MADBENCH_DATA, or generated ones of like length; and which."""
    folder = Path(os.environ.get("MADBENCH_DATA", "")) / "gsm8k" / "data.jsonl"
    if os.environ.get("MADBENCH_DATA") and folder.exists():
        lines = folder.read_text(encoding="utf-8").splitlines()[:count]
        return [_asked(json.loads(line)["question"]) for line in lines], "gsm8k"
    return [_asked(_sum(random.Random(seed))) for seed in range(count)], "generated"


def lengths(count: int, longest: int, *, drawn: bool) -> list[int]:
    """Limits of replies: the longest for all, or drawn evenly from a quarter of it on, for weights that never end."""
    dice = random.Random(0)
    return [dice.randint(longest // 4, longest) if drawn else longest for _ in range(count)]


def _asked(question: str) -> str:
    return f"Question: {question}\nThink step by step, then write the answer after '####'."


def _sum(dice: random.Random) -> str:
    people = dice.sample(["Anna", "Ben", "Chen", "Dora", "Emil", "Fay"], 3)
    goods = dice.sample(["apples", "pencils", "marbles", "stamps", "cards"], 2)
    steps = [
        f"{dice.choice(people)} buys {dice.randint(2, 60)} {dice.choice(goods)} on day {day} and gives "
        f"{dice.randint(1, 9)} of them to {dice.choice(people)}."
        for day in range(1, dice.randint(3, 5))
    ]
    return " ".join([*steps, f"How many {goods[0]} does {people[0]} have at the end?"])


def _timed(engine: TransformersEngine, run: Coroutine[object, object, Result]) -> tuple[float, Result]:
    async def inside() -> Result:
        async with engine.scheduler.running():
            return await run

    start = time.perf_counter()
    result = asyncio.run(inside())
    return time.perf_counter() - start, result


async def _all(engine: TransformersEngine, requests: Sequence[Request]) -> list[Completion]:
    return await asyncio.gather(*(engine.generate(request) for request in requests))
