"""The scheduler alone: nothing lost, doubled or reordered, whatever fails underneath."""

import asyncio
import gc
import weakref
from collections import Counter

import pytest
from engines.faults import Echo, out_of_memory_above, out_of_memory_at_step, poison

from madbench.engines.batching import Scheduler
from madbench.engines.jobs import Job, OutOfMemory
from madbench.engines.lanes import LANE, shares
from madbench.types import Completion, EngineError, Request, Sampling


def job(i, tokens=3):
    return Job(Request((), Sampling(max_tokens=tokens), i), (i,) * (1 + i % 5))


def play(decoder, jobs, limit):
    async def run():
        scheduler = Scheduler(decoder, limit)
        async with scheduler.running():
            results = await asyncio.gather(*(scheduler.complete(one) for one in jobs), return_exceptions=True)
        return results, scheduler.load

    return asyncio.run(asyncio.wait_for(run(), 30))


@pytest.mark.parametrize("limit", [1, 7, 64])
def test_each_caller_gets_its_own_completion(limit):
    jobs = [job(i, 1 + i % 4) for i in range(100)]
    echo = Echo()
    results, load = play(echo, jobs, limit)
    assert [result.text for result in results] == [str(one.ids) for one in jobs]
    assert load.widest == min(limit, 100)
    assert Counter(echo.finished) == Counter(jobs)


def test_waiting_rows_join_while_others_still_run():
    long, short = job(0, 50), [job(i, 1) for i in range(1, 9)]
    echo = Echo()
    play(echo, [long, *short], limit=4)
    assert echo.finished[-1] is long


@pytest.mark.parametrize(
    "fault", [out_of_memory_above(3), out_of_memory_at_step(2), out_of_memory_at_step(9)]
)
def test_running_out_of_memory_halves_and_loses_doubles_reorders_nothing(fault):
    jobs = [job(i) for i in range(40)]
    echo = Echo(fault)
    results, load = play(echo, jobs, limit=16)
    assert [result.text for result in results] == [str(one.ids) for one in jobs]
    assert Counter(echo.finished) == Counter(jobs)
    assert load.halvings >= 1
    assert load.limit < 16


def test_out_of_memory_with_one_row_is_that_rows_error_alone():
    def fault(rows):
        if any(one.ids == (7, 7, 7) for one in rows):
            out_of_memory_above(0)(rows)

    results, _ = play(Echo(fault), [job(i) for i in range(10)], limit=4)
    failed = [i for i, result in enumerate(results) if isinstance(result, EngineError)]
    assert failed == [7]
    assert sum(isinstance(result, Completion) for result in results) == 9


class Storing(Echo):
    """Runs out of memory as long as it stores what earlier rows left."""

    def __init__(self):
        super().__init__(self._check)
        self.stored = True

    def _check(self, rows):
        if self.stored:
            raise OutOfMemory("prefixes")

    def clear(self):
        super().clear()
        self.stored = False


def test_a_row_alone_runs_again_without_what_was_stored():
    results, load = play(Storing(), [job(1)], limit=4)
    assert results[0].text == "(1, 1)"
    assert (load.limit, load.halvings) == (4, 0)


def test_rows_that_each_run_out_of_memory_alone_fail_one_by_one():
    def fault(rows):
        raise ValueError("together") if len(rows) > 1 else OutOfMemory("alone")

    results, _ = play(Echo(fault), [job(i) for i in range(4)], limit=4)
    assert [str(result) for result in results] == ["OutOfMemory: alone"] * 4


class Heavy:
    """Stands for what a step allocates."""


@pytest.mark.parametrize("error", [OutOfMemory, ValueError])
def test_what_a_failed_step_held_is_freed_before_the_next(error):
    held = list[weakref.ref[Heavy]]()

    def fault(rows):
        assert [one() for one in held] == [None] * len(held)
        step = Heavy()
        held.append(weakref.ref(step))
        try:
            int("inside")
        except ValueError as inner:
            if len(held) == 2:
                raise error("step") from inner

    jobs = [job(i) for i in range(8)]
    gc.disable()
    try:
        results, _ = play(Echo(fault), jobs, limit=4)
    finally:
        gc.enable()
    assert [result.text for result in results] == [str(one.ids) for one in jobs]
    assert len(held) > 2


def test_a_failure_that_names_itself_as_its_cause_is_a_failure_like_any():
    def fault(rows):
        try:
            int("inside")
        except ValueError as error:
            raise error from error

    results, _ = play(Echo(fault), [job(1)], limit=4)
    assert "inside" in str(results[0])


def test_a_row_that_breaks_its_batch_fails_alone():
    results, load = play(Echo(poison((4, 4, 4, 4, 4))), [job(i) for i in range(20)], limit=8)
    assert [i for i, result in enumerate(results) if isinstance(result, EngineError)] == [4]
    assert "poison" in str(results[4])
    assert load.limit == 8


def test_what_is_open_when_the_engine_closes_gets_an_error():
    async def run():
        scheduler = Scheduler(Echo(), 4)
        async with scheduler.running():
            open_one = asyncio.create_task(scheduler.complete(job(1, 10**9)))
            await asyncio.sleep(0.05)
        with pytest.raises(EngineError, match="closed"):
            await open_one
        with pytest.raises(EngineError, match="closed"):
            await scheduler.complete(job(2))

    asyncio.run(asyncio.wait_for(run(), 30))


def test_callers_that_gave_up_are_not_run():
    async def run():
        echo = Echo()
        scheduler = Scheduler(echo, 4)
        async with scheduler.running():
            gone = asyncio.create_task(scheduler.complete(job(1)))
            await asyncio.sleep(0)
            gone.cancel()
            await scheduler.complete(job(2))
        return echo.finished

    assert [one.ids for one in asyncio.run(run())] == [(2, 2, 2)]


def test_callers_that_gave_up_are_not_run_again_one_by_one():
    async def run():
        asked, jobs = [], [job(i) for i in range(3)]

        def fault(rows):
            if len(rows) > 1:
                loop.call_soon_threadsafe(asked[1].cancel)
                raise ValueError("together")

        loop, echo = asyncio.get_running_loop(), Echo(fault)
        scheduler = Scheduler(echo, 4)
        async with scheduler.running():
            asked += [asyncio.create_task(scheduler.complete(one)) for one in jobs]
            await asyncio.gather(*asked, return_exceptions=True)
        return [one.request.seed for one in echo.finished]

    assert asyncio.run(asyncio.wait_for(run(), 30)) == [0, 2]


def test_callers_that_gave_up_leave_nothing_behind():
    async def run():
        scheduler = Scheduler(Echo(), 1)
        async with scheduler.running():
            asked = [asyncio.create_task(scheduler.complete(job(i, 50))) for i in range(20)]
            await asyncio.sleep(0)
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            await scheduler.complete(job(2))
            return len(scheduler._owners)

    assert asyncio.run(run()) == 0


@pytest.mark.parametrize(
    ("crowds", "limit"), [(1, 8), (2, 2), (8, 4)], ids=["rows for all", "two rows", "four rows"]
)
def test_a_run_that_asks_one_thing_after_another_does_not_wait_for_those_that_asked_all_at_once(
    crowds, limit
):
    """Even where there are fewer rows than runs."""
    echo, order = Echo(), []

    async def chain(scheduler):
        LANE.set("chain")
        for i in range(5):
            await scheduler.complete(Job(Request((), Sampling(max_tokens=3), i), (i,) * 9))
        order.append("chain")

    async def crowd(scheduler, name):
        LANE.set(name)
        await asyncio.gather(*(scheduler.complete(job(i)) for i in range(200)))
        order.append(name)

    async def run():
        scheduler = Scheduler(echo, limit)
        async with scheduler.running():
            await asyncio.gather(*(crowd(scheduler, i) for i in range(crowds)), chain(scheduler))

    asyncio.run(asyncio.wait_for(run(), 30))
    assert order[0] == "chain"
    assert len(echo.finished) == 200 * crowds + 5


@pytest.mark.parametrize(
    ("waiting", "busy", "room", "given"),
    [
        ("aaaa", "", 3, {"a": 3}),
        ("aaaaabb", "", 4, {"a": 2, "b": 2}),
        ("aaaaab", "", 4, {"a": 3, "b": 1}),
        ("aaaab", "aaa", 2, {"b": 1, "a": 1}),
        ("aaaabbbb", "aaa", 3, {"b": 3}),
        ("ab", "", 9, {"a": 1, "b": 1}),
        ("ba", "", 1, {"b": 1}),
        ("", "a", 4, {}),
    ],
)
def test_free_rows_are_shared_fairly_between_lanes(waiting, busy, room, given):
    assert shares(waiting, busy, room) == given
