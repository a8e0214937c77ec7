"""Jobs on the simulated engine, for tests of what is kept of them."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from madbench.agents import Cast, Episode
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.debate import Debate
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.records.journal import Journal
from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.run.job import Job, RunName, finish_job, run_job
from madbench.run.journaled import JournaledEngine
from madbench.tasks.synthetic import Synthetic
from madbench.types import Effort, Outcome, Problem, ProtocolSettings, RoleSettings, StopReason, Strict

NAME = RunName("arm", "synthetic", "debate", "simulated")
DEBATE = Debate(agents=3, debate_rounds=2)


def job_at(path, *, task=None, protocol=DEBATE, **changes):
    job = Job(RunFolder(path), task or Synthetic(12), protocol, RoleSettings(), 0, 1, None, NAME)
    return replace(job, **changes)


def run(job, *, model=None, engine=None, journal=None, share=True, **options):
    """Run a job to its status, with or without a journal; returns the status and the engine's counts."""

    async def main():
        async with (model or SimulatedModel(0.6, 0.5)).open() as opened:
            player = engine or opened
            if journal is None:
                return await run_job(job, Cast({"default": [player]}), **options), None
            with Journal(journal) as kept:
                player = JournaledEngine(player, kept, share=share)
                return await run_job(job, Cast({"default": [player]}), **options), player.counts

    return asyncio.run(main())


def finish(job):
    """Merge a job; returns its records without what may differ from run to run."""
    finish_job(job)
    return bare(read_records(job.folder))


def bare(records):
    return [replace(record, effort=Effort(0, "")) for record in records]


@dataclass(frozen=True)
class Failing:
    """An engine that fails for some requests, by what `fault` raises or returns."""

    engine: object
    fault: Callable[[object], None]

    async def generate(self, request):
        self.fault(request)
        return await self.engine.generate(request)

    def excess(self, request):
        return self.engine.excess(request)

    def identity(self, request):
        return self.engine.identity(request)


Step = Callable[[Problem, Episode], Awaitable[Outcome]]


@dataclass(frozen=True, kw_only=True)
class Once(ProtocolSettings):
    """A protocol that plays one function."""

    step: Step
    plays = ("solver",)

    async def __call__(self, problem: Problem, episode: Episode) -> Outcome:
        return await self.step(problem, episode)


async def ask(problem, episode):
    solver = episode.agent("solver", sees=Asked, says=Statement)
    said = await solver.ask(Asked(prompt=problem.prompt))
    return Outcome(said.answer, ((said.answer,),), StopReason.MAX_ROUNDS)


class Seen(Strict):
    """All questions of a session so far."""

    ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Remembers(ProtocolSettings):
    """Remembers every question of its session; `step` may fail before it does."""

    session: int = 4
    step: Step = ask
    plays = ("solver",)

    def begin(self) -> Seen:
        return Seen()

    async def __call__(self, problem: Problem, episode: Episode, state: Seen) -> tuple[Outcome, Seen]:
        outcome = await self.step(problem, episode)
        return outcome, Seen(ids=(*state.ids, problem.id))
