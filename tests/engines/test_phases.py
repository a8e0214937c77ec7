"""Models that take turns: never two at once, as few loads as the talk has turns, and every record as ever."""

import asyncio
import gc
import weakref
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import pytest
from engines import tiny
from engines.conformance import Conformance, request
from jobs import finish, job_at

from madbench.agents import Cast
from madbench.engines.phases import Beside, Phases
from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder
from madbench.protocols.debate import Debate
from madbench.run.job import run_job
from madbench.tasks.synthetic import Synthetic
from madbench.types import Completion, EngineError, InputError, RoleSettings, Sampling


@dataclass
class Card:
    """Where only one model fits."""

    loads: list[str] = field(default_factory=list)
    held: str = ""


@dataclass(frozen=True)
class Heavy:
    """A simulated model with weights; `fails` is raised when they are loaded."""

    model: SimulatedModel
    card: Card
    fails: Exception | None = None

    name = property(lambda self: self.model.name)
    capabilities = property(lambda self: self.model.capabilities)

    def fingerprint(self):
        return self.model.fingerprint()

    def check(self):
        self.model.check()

    def language(self):
        return SimulatedEngine(self.model)

    @asynccontextmanager
    async def open(self):
        assert not self.card.held, f"{self.card.held} is loaded still"
        if self.fails:
            raise self.fails
        self.card.held = self.name
        self.card.loads.append(self.name)
        await asyncio.sleep(0.01)
        try:
            async with self.model.open() as engine:
                yield engine
        finally:
            self.card.held = ""


A, B, C = (SimulatedModel(accuracy, 0.5, name) for accuracy, name in ((0.3, "a"), (0.6, "b"), (0.9, "c")))


def play(path, seats, *, task, protocol, defaults=None):
    """A finished job's records; `seats` makes the cast of solvers inside an open context."""
    job = job_at(path, task=task, protocol=protocol, defaults=defaults or RoleSettings())

    async def main():
        async with seats() as engines:
            return await run_job(job, Cast({"default": engines}), concurrency=10**9)

    assert asyncio.run(main()).state == "done"
    return finish(job)


def resident(*models):
    """All models open at once."""

    @asynccontextmanager
    async def opened():
        async with AsyncExitStack() as stack:
            yield [await stack.enter_async_context(model.open()) for model in models]

    return opened


def in_turn(*models):
    """One model open at a time."""

    @asynccontextmanager
    async def opened():
        async with Phases().running() as phases:
            yield [await phases.engine(model) for model in models]

    return opened


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_loads_grow_with_rounds_and_not_with_questions(tmp_path, rounds):
    protocol, loads = Debate(agents=3, debate_rounds=rounds), []
    for n in (4, 40):
        task, card = Synthetic(n), Card()
        heavy = [Heavy(model, card) for model in (A, B, C)]
        apart = play(tmp_path / f"one{n}", in_turn(*heavy), task=task, protocol=protocol)
        assert apart == play(tmp_path / f"all{n}", resident(A, B, C), task=task, protocol=protocol)
        loads.append(len(card.loads))
    assert loads[0] == loads[1] == 3 + 2 * rounds


def test_who_is_always_there_is_waited_for(tmp_path):
    """A slow server beside two models: its replies come one by one, and cause no load each."""
    card, task, protocol = Card(), Synthetic(20), Debate(agents=3, debate_rounds=2)
    slow = SimulatedModel(0.5, 0.5, "slow", seconds_per_call=0.01)

    @asynccontextmanager
    async def seats():
        async with Phases().running() as phases, slow.open() as engine:
            yield [
                await phases.engine(Heavy(A, card)),
                await phases.engine(Heavy(B, card)),
                Beside(phases, engine),
            ]

    apart = play(tmp_path / "one", seats, task=task, protocol=protocol)
    assert apart == play(tmp_path / "all", resident(A, B, slow), task=task, protocol=protocol)
    assert len(card.loads) <= 2 * 3


async def ask(engines, asked, **options):
    return await asyncio.gather(*(engines[at].generate(request(i)) for at, i in asked), **options)


def test_a_model_that_cannot_be_loaded_fails_its_own_calls():
    card = Card()

    async def main():
        async with Phases().running() as phases:
            good = await phases.engine(Heavy(A, card))
            bad = await phases.engine(Heavy(B, card, InputError("no such weights")))
            return await ask([good, bad], [(0, 1), (1, 1), (1, 2), (0, 2)], return_exceptions=True)

    ends = asyncio.run(asyncio.wait_for(main(), 30))
    assert [type(end) for end in ends] == [Completion, InputError, InputError, Completion]


def test_calls_that_are_given_up_hold_nobody_up():
    """At every stage: before its model is loaded, just admitted, and under way."""
    card = Card()
    slow = SimulatedModel(0.5, name="slow", seconds_per_call=0.05)

    async def main():
        async with Phases().running() as phases:
            engines = [await phases.engine(Heavy(model, card)) for model in (slow, B)]
            for ticks in range(0, 120, 3):
                left = asyncio.create_task(engines[ticks % 2].generate(request(1)))
                for _ in range(ticks):
                    await asyncio.sleep(0)
                left.cancel()
                await asyncio.gather(left, return_exceptions=True)
            return await ask(engines, [(0, 1), (1, 1), (0, 2)])

    assert len(asyncio.run(asyncio.wait_for(main(), 60))) == 3


def test_who_waits_when_it_is_closed_is_told():
    async def main():
        async with Phases().running() as phases:
            engine = await phases.engine(Heavy(A, Card()))
            waiting = asyncio.create_task(engine.generate(request(1)))
            await asyncio.sleep(0)
        return await asyncio.gather(waiting, return_exceptions=True)

    [end] = asyncio.run(asyncio.wait_for(main(), 30))
    assert isinstance(end, EngineError)


def test_an_engine_says_how_often_it_was_loaded():
    card = Card()

    async def main():
        async with Phases().running() as phases:
            engines = [await phases.engine(Heavy(model, card)) for model in (A, B)]
            for at in (0, 1, 0):
                await engines[at].generate(request(at))
            return [engine.facts()["loads"] for engine in engines]

    assert asyncio.run(main()) == [2, 1]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two models of one family, other weights each."""
    made = []
    for seed in (0, 1):
        folder = tiny.save(tmp_path_factory.mktemp(f"tiny{seed}"), context=4096)
        tiny.model(len(tiny.tokenizer()), context=4096, seed=seed).save_pretrained(folder)
        made.append(folder)
    return made


def local(folder, name):
    return TransformersModel(name=name, weights=Folder(path=str(folder)), dtype="float32")


def test_local_models_in_turn_say_what_they_say_together(tmp_path, folders):
    models = [local(folder, name) for folder, name in zip(folders, "ab", strict=True)]
    defaults = RoleSettings(sampling=Sampling(max_tokens=12))
    given = {"task": Synthetic(5), "protocol": Debate(agents=2, debate_rounds=1), "defaults": defaults}
    apart = play(tmp_path / "one", in_turn(*models), **given)
    together = play(tmp_path / "all", resident(*models), **given)
    assert [[turn.completion.text for turn in one.turns] for one in apart] == [
        [turn.completion.text for turn in one.turns] for one in together
    ]
    said = {turn.speaker.seat: turn.completion.text for turn in apart[0].turns}
    assert said[0] != said[1]


def test_a_model_s_language_is_what_it_says_when_it_is_open(folders):
    model, asked = local(folders[0], "a"), [request(i, temperature=i % 2, seed=i) for i in range(6)]

    async def opened():
        async with model.open() as engine:
            return [(engine.excess(one), engine.identity(one)) for one in asked]

    language = model.language()
    assert asyncio.run(opened()) == [(language.excess(one), language.identity(one)) for one in asked]


def test_a_closed_model_s_memory_is_free(folders):
    async def opened():
        async with local(folders[0], "a").open() as engine:
            await engine.generate(request(1))
            return weakref.ref(engine._loaded.model)

    gone = asyncio.run(opened())
    gc.collect()
    assert gone() is None


class Alone:
    """A model that is loaded in turns, as a model."""

    def __init__(self, model):
        self.model, self.name, self.capabilities = model, model.name, model.capabilities

    @asynccontextmanager
    async def open(self):
        async with Phases().running() as phases:
            yield await phases.engine(self.model)


class TestPhased(Conformance):
    @pytest.fixture
    def model(self):
        return Alone(Heavy(SimulatedModel(accuracy=0.5, context=512), Card()))
