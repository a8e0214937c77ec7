"""Runs that are killed, cut, started twice or asked for less: nothing is lost, doubled or paid for twice."""

import asyncio
import json
import multiprocessing
import os
import random
import signal
import time
from dataclasses import replace

import pytest
from jobs import Failing, Once, ask, bare, finish, job_at, run

from madbench.agents import Cast
from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.metrics import MeasuredRun
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.shards import heads_of
from madbench.records.status import read_status
from madbench.records.tables import read_records
from madbench.run.job import extend_plan, finish_job, run_job
from madbench.tasks.synthetic import Synthetic
from madbench.types import Ending, EngineError, InputError, SeamError

FORK = multiprocessing.get_context("fork")


def identities(journal):
    files = sorted(journal.glob("*.jsonl"))
    return [json.loads(line)[0] for file in files for line in file.read_bytes().splitlines()]


def written(journal):
    return sum(file.stat().st_size for file in journal.glob("*.jsonl"))


def kill_once(job, model, journal, *, after):
    """Start a job in a process of its own, kill it when so many bytes are journaled; returns its rows on disk."""
    options = {"model": model, "journal": journal, "concurrency": 8}
    child = FORK.Process(target=run, args=(job,), kwargs=options)
    child.start()
    while written(journal) < after:
        assert child.is_alive()
        time.sleep(0.0005)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    shard = job.folder.shard()
    return shard.read_bytes().count(b"\n") if shard.exists() else 0


def test_killed_twenty_times_equals_never_killed(tmp_path):
    task, model = Synthetic(150), SimulatedModel(0.6, 0.5, seconds_per_call=0.004)
    whole = job_at(tmp_path / "whole", task=task)
    run(whole, model=model, journal=tmp_path / "undisturbed")
    killed, journal = job_at(tmp_path / "killed", task=task), tmp_path / "journal"
    size, draws = written(tmp_path / "undisturbed"), random.Random(0)
    points = sorted(draws.uniform(0, 0.95) * size for _ in range(20))
    rows = [kill_once(killed, model, journal, after=point) for point in points]
    assert 0 < rows[10] < rows[-1] < 150, rows
    assert rows == sorted(rows)
    status, counts = run(killed, model=model, journal=journal)
    assert (status.state, status.done) == ("done", 150)
    assert counts.shared > 0
    assert finish(killed) == finish(whole)
    calls = identities(journal)
    assert len(calls) == len(set(calls)) == 150 * 9


@pytest.mark.parametrize("lost", [1, 40, 3000])
def test_a_shard_cut_in_its_last_lines_is_completed(tmp_path, lost):
    job = job_at(tmp_path)
    run(job, journal=tmp_path / "journal")
    whole, shard = finish(job), job.folder.shard()
    os.truncate(shard, shard.stat().st_size - lost)
    _, counts = run(job, journal=tmp_path / "journal")
    assert counts.calls == 0
    assert finish(job) == whole


def test_a_finished_run_makes_no_call(tmp_path):
    job = job_at(tmp_path)
    run(job)
    before = job.folder.shard().read_bytes()

    def refuse(_request):
        raise AssertionError("called")

    status, _ = run(job, engine=Failing(None, refuse))
    assert status.state == "done"
    assert job.folder.shard().read_bytes() == before


def test_an_unreadable_row_is_refused_and_nothing_is_changed(tmp_path):
    job = job_at(tmp_path)
    run(job)
    lines = job.folder.shard().read_bytes().splitlines(keepends=True)
    broken = b"".join([*lines[:3], b"{nonsense\n", *lines[4:]])
    job.folder.shard().write_bytes(broken)
    with pytest.raises(InputError, match=r"0\.jsonl:4: unreadable"):
        run(job)
    assert job.folder.shard().read_bytes() == broken


def test_a_doubled_row_is_a_torn_seam(tmp_path):
    job = job_at(tmp_path)
    run(job)
    first = job.folder.shard().read_bytes().split(b"\n")[0]
    with job.folder.shard().open("ab") as shard:
        shard.write(first + b"\n")
    with pytest.raises(SeamError, match=r"planned 12 rows, found 13; .* 1 unplanned or doubled"):
        finish_job(job)


def test_a_missing_row_is_a_torn_seam(tmp_path):
    job = job_at(tmp_path)
    run(job)
    lines = job.folder.shard().read_bytes().splitlines(keepends=True)
    job.folder.shard().write_bytes(b"".join(lines[1:]))
    with pytest.raises(SeamError, match=r"plan to shards: planned 12 rows, found 11; 1 missing"):
        finish_job(job)


def test_infrastructure_failures_are_tried_again_and_the_last_attempt_counts(tmp_path):
    failures = []

    def fails_at_first(request):
        if len(failures) < 5:
            failures.append(request)
            raise EngineError("node lost")

    job = job_at(tmp_path, protocol=Once(step=ask))
    status, _ = run(job, engine=Failing(SimulatedEngine(SimulatedModel(1.0)), fails_at_first))
    assert (status.state, status.done, status.planned) == ("incomplete", 7, 12)
    rows = finish(job)
    assert [row.error for row in rows if row.ending is Ending.RETRY] == ["EngineError: node lost"] * 5
    status, _ = run(job)
    assert (status.state, status.done) == ("done", 12)
    rows = finish(job)
    assert [row.ending for row in rows] == [Ending.DONE] * 12
    assert sorted(row.id.attempt for row in rows) == [0] * 7 + [1] * 5
    assert len(list(heads_of(job.folder.shard()))) == 17


def test_a_larger_limit_and_more_epochs_extend_a_run(tmp_path):
    job = job_at(tmp_path / "grown", limit=3)
    run(job)
    assert len(finish(job)) == 3
    for larger in (replace(job, limit=5), replace(job, limit=5, epochs=2)):
        run(larger)
    at_once = job_at(tmp_path / "once", limit=5, epochs=2)
    run(at_once)
    assert finish(replace(job, limit=5, epochs=2)) == finish(at_once)


def test_a_smaller_limit_is_a_view(tmp_path):
    job = job_at(tmp_path)
    run(job)
    finish_job(job)
    full = json.loads(job.folder.metrics.read_text())
    small = replace(job, limit=4)
    status, _ = run(small)
    assert (status.state, status.done, status.planned) == ("done", 4, 4)
    seen = finish_job(small)
    assert isinstance(seen, MeasuredRun)
    assert (len(seen.rows), seen.planned) == (4, 4)
    assert json.loads(job.folder.metrics.read_text())["metrics"]["accuracy"]["n"] == 4
    assert len(list(read_records(job.folder))) == 12
    finish_job(job)
    assert json.loads(job.folder.metrics.read_text()) == full


def test_a_view_does_not_need_the_rest_of_an_interrupted_plan(tmp_path):
    job = job_at(tmp_path)
    run(replace(job, limit=4))
    extend_plan(job)
    assert len(finish_job(replace(job, limit=4)).rows) == 4


def test_cancelling_keeps_every_row(tmp_path):
    job = job_at(tmp_path, task=Synthetic(200))
    taken = []

    async def interrupted():
        cast = Cast({"default": [SimulatedEngine(SimulatedModel(0.6, 0.5, seconds_per_call=0.001))]})

        def take(record):
            taken.append(record)
            if len(taken) == 20:
                playing.cancel()

        playing = asyncio.create_task(run_job(job, cast, on_episode=take, concurrency=4))
        await playing

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert read_status(job.folder).state == "interrupted"
    kept = {id.sample for _, id, _ in heads_of(job.folder.shard())}
    assert {record.id.sample for record in taken} <= kept
    run(job)
    whole = job_at(tmp_path / "whole", task=Synthetic(200))
    run(whole)
    assert finish(job) == finish(whole)


def test_identical_prompts_stay_separate_samples(tmp_path):
    job = job_at(tmp_path, protocol=SelfConsistency(votes=5, pool=5))
    first = run(job, journal=tmp_path / "journal")[1]
    rows = finish(job)
    assert all(len({turn.completion.text for turn in row.turns}) == 5 for row in rows)
    assert (first.calls, first.shared) == (60, 0)
    again = replace(job, folder=replace(job.folder, path=tmp_path / "again"))
    second = run(again, journal=tmp_path / "journal")[1]
    assert (second.calls, second.shared) == (0, 60)
    assert finish(again) == rows


def test_records_do_not_depend_on_how_many_play_at_once(tmp_path):
    one, many = job_at(tmp_path / "one"), job_at(tmp_path / "many")
    run(one, concurrency=1)
    run(many, concurrency=64)
    assert finish(one) == finish(many)
    assert bare(read_records(one.folder)) == bare(read_records(many.folder))
