"""Protocols with memory: blocks of the full order, played in order, resumed from the last row's state."""

import json
from collections import Counter
from dataclasses import replace

from jobs import Failing, Remembers, ask, finish, job_at, run

from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.records.shards import heads_of
from madbench.tasks.synthetic import Synthetic
from madbench.types import Ending, EngineError, FormatError

TASK = Synthetic(10)
IDS = [sample.problem.id for sample in TASK.samples()]


def remembered(row):
    return json.loads(row.place.state)["ids"]


def session_job(path, protocol=None, **changes):
    return job_at(path, task=TASK, protocol=protocol or Remembers(), **changes)


def test_sessions_are_blocks_of_the_full_order_whatever_the_limit(tmp_path):
    job = session_job(tmp_path, limit=6)
    run(job)
    rows = finish(job)
    assert [(row.place.session, row.place.position) for row in rows] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 0),
        (1, 1),
    ]
    assert remembered(rows[3]) == IDS[:4]
    assert remembered(rows[5]) == IDS[4:6]
    whole = replace(job, limit=None)
    run(whole)
    rows = finish(whole)
    assert [remembered(row) for row in rows] == [IDS[n - n % 4 : n + 1] for n in range(10)]


def test_every_epoch_has_sessions_of_its_own(tmp_path):
    job = session_job(tmp_path, epochs=2)
    run(job)
    assert all(len(remembered(row)) == row.place.position + 1 for row in finish(job))


def test_a_cut_session_resumes_with_the_last_rows_state(tmp_path):
    job = session_job(tmp_path)
    run(job)
    whole, lines = finish(job), job.folder.shard().read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        job.folder.shard().write_bytes(b"".join(lines[:kept]) + lines[kept][:40])
        run(job)
        assert finish(job) == whole


def test_a_failed_question_passes_on_the_state_before_it(tmp_path):
    async def step(problem, episode):
        if problem.id == IDS[1]:
            raise FormatError("unreadable")
        return await ask(problem, episode)

    job = session_job(tmp_path, Remembers(step=step))
    status, _ = run(job)
    rows = finish(job)
    assert (status.state, rows[1].ending) == ("done", Ending.UNPARSED)
    assert [remembered(row) for row in rows[:4]] == [IDS[:1], IDS[:1], [IDS[0], IDS[2]], [IDS[0], *IDS[2:4]]]


def test_what_follows_a_lost_node_waits_and_ends_as_if_nothing_had_been(tmp_path):
    down = True

    def fault(request):
        if down and "Question 5:" in request.messages[-1].text:
            raise EngineError("node lost")

    job = session_job(tmp_path)
    status, _ = run(job, engine=Failing(SimulatedEngine(SimulatedModel(0.6, 0.5)), fault))
    rows = finish(job)
    assert (status.state, status.done) == ("incomplete", 7)
    assert [row.ending for row in rows[5:8]] == [Ending.RETRY] * 3
    assert rows[6].error == rows[7].error == f"waits for {IDS[5]}, which comes before it in its session"
    down = False
    status, _ = run(job)
    undisturbed = session_job(tmp_path / "other")
    run(undisturbed)
    assert status.state == "done"
    assert [replace(row, id=replace(row.id, attempt=0)) for row in finish(job)] == finish(undisturbed)


def test_sessions_run_side_by_side_and_their_questions_in_turn(tmp_path):
    order, flying, together = [], Counter(), []

    async def step(problem, episode):
        session = IDS.index(problem.id) // 4
        flying[session] += 1
        assert flying[session] == 1
        outcome = await ask(problem, episode)
        together.append(sum(flying.values()))
        flying[session] -= 1
        order.append(problem.id)
        return outcome

    job = session_job(tmp_path, Remembers(step=step))
    run(job)
    assert max(together) == 3
    rows = [id.sample for _, id, _ in heads_of(job.folder.shard())]
    for block in (IDS[:4], IDS[4:8], IDS[8:]):
        assert [id for id in rows if id in block] == block
