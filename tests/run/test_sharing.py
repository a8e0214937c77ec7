"""Common random numbers: the votes and a debate's first round are the same completions, shared or not."""

import asyncio
from dataclasses import replace

import pytest
from jobs import DEBATE, finish, job_at, run

from madbench.agents import Cast
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.journal import Journal
from madbench.run.job import run_job
from madbench.run.journaled import JournaledEngine, writable
from madbench.types import Completion, ContextError, EngineError, Message, Request, Sampling

MODEL = SimulatedModel(0.6, 0.5)
VOTES = SelfConsistency(votes=3, pool=3)


def first_round(rows):
    return [[turn.completion for turn in row.turns if turn.speaker.round == 0] for row in rows]


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("concurrency", [1, 50])
def test_three_votes_are_the_debates_round_0(tmp_path, share, concurrency):
    debate, votes = job_at(tmp_path / "debate"), job_at(tmp_path / "votes", protocol=VOTES)
    single = job_at(tmp_path / "cot", protocol=ChainOfThought())
    journal = tmp_path / "journal" if share else None
    options = {"journal": journal, "concurrency": concurrency}
    run(debate, **options)
    counts = run(votes, **options)[1]
    run(single, **options)
    assert first_round(finish(debate)) == first_round(finish(votes))
    assert [first[:1] for first in first_round(finish(votes))] == first_round(finish(single))
    if share:
        assert (counts.calls, counts.shared) == (0, 36)


def test_arms_at_the_same_time_share_what_is_in_flight(tmp_path):
    async def both():
        async with replace(MODEL, seconds_per_call=0.01).open() as engine:
            with Journal(tmp_path / "journal") as journal:
                shared = JournaledEngine(engine, journal)
                cast = Cast({"default": [shared]})
                jobs = [job_at(tmp_path / "debate"), job_at(tmp_path / "votes", protocol=VOTES)]
                await asyncio.gather(*(run_job(job, cast) for job in jobs))
                return shared.counts

    counts = asyncio.run(both())
    assert (counts.calls, counts.shared) == (12 * 9, 12 * 3)


def test_sharing_off_runs_everything(tmp_path):
    job = job_at(tmp_path / "one", protocol=VOTES)
    assert run(job, journal=tmp_path / "journal", share=False)[1].calls == 36
    again = job_at(tmp_path / "two", protocol=VOTES)
    counts = run(again, journal=tmp_path / "journal", share=False)[1]
    assert (counts.calls, counts.shared) == (36, 0)
    assert finish(again) == finish(job)


REQUEST = Request((Message("user", "Q"),), Sampling(), 1)


class Slow:
    """Fails so many times, then answers; counts its calls."""

    def __init__(self, failures=()):
        self.calls, self.failures = 0, list(failures)

    async def generate(self, request):
        self.calls += 1
        await asyncio.sleep(0.01)
        if self.failures:
            raise self.failures.pop(0)
        return Completion("yes", "stop", 1, 1)

    def excess(self, request):
        return 0

    def identity(self, request):
        return "same"


def together(engine, tmp_path, cancel=()):
    async def main():
        with Journal(tmp_path) as journal:
            shared = JournaledEngine(engine, journal)
            tasks = [asyncio.create_task(shared.generate(REQUEST)) for _ in range(4)]
            await asyncio.sleep(0.005)
            for number in cancel:
                tasks[number].cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(main())


def test_equal_requests_in_flight_are_one_call(tmp_path):
    engine = Slow()
    assert [found.text for found in together(engine, tmp_path)] == ["yes"] * 4
    assert engine.calls == 1


def test_a_failure_is_one_callers_own(tmp_path):
    engine = Slow([EngineError("lost"), ContextError("long")])
    found = together(engine, tmp_path)
    assert sorted(type(each).__name__ for each in found) == [
        "Completion",
        "Completion",
        "ContextError",
        "EngineError",
    ]
    assert engine.calls == 3


@pytest.mark.parametrize("cancelled", [0, 2])
def test_a_cancelled_caller_takes_no_other_with_it(tmp_path, cancelled):
    found = together(Slow(), tmp_path, cancel=[cancelled])
    assert [type(each).__name__ for each in found].count("Completion") == 3
    assert isinstance(found[cancelled], asyncio.CancelledError)


def test_on_disk_before_anybody_sees_it(tmp_path):
    async def main():
        with Journal(tmp_path) as journal:
            completion = await JournaledEngine(Slow(), journal).generate(REQUEST)
            return completion, next(tmp_path.glob("*.jsonl")).read_text()

    completion, written = asyncio.run(main())
    assert completion.text in written


def test_half_a_surrogate_pair_never_reaches_a_file():
    broken = Completion("so \ud83d\nAnswer: B", "stop", 3, 2, (("so", -0.1), ("\ud83d", -2.0)))
    whole = writable(broken)
    assert whole.text == "so \ufffd\nAnswer: B"
    assert whole.pieces == (("so", -0.1), ("\ufffd", -2.0))
    assert writable(whole) is whole


def test_the_debate_itself_is_unchanged_by_the_journal(tmp_path):
    plain, kept = job_at(tmp_path / "plain", protocol=DEBATE), job_at(tmp_path / "kept", protocol=DEBATE)
    run(plain)
    run(kept, journal=tmp_path / "journal")
    assert finish(plain) == finish(kept)
