"""How episodes end: every failure is a row that keeps its turns, and takes no other episode with it."""

import asyncio
import json
from dataclasses import dataclass

import pytest
from jobs import Failing, Once, ask, finish, job_at, run

from madbench.agents import together
from madbench.engines.simulated import SimulatedEngine, SimulatedModel
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.tasks.synthetic import Synthetic
from madbench.types import (
    BudgetError,
    ContextError,
    Ending,
    EngineError,
    FormatError,
    InputError,
    LeakError,
    Outcome,
    StopReason,
)


def failing(error):
    """A protocol that asks once, then fails."""

    async def step(problem, episode):
        await ask(problem, episode)
        raise error

    return Once(step=step)


@pytest.mark.parametrize(
    ("error", "ending", "state"),
    [
        (FormatError("no verdict"), Ending.UNPARSED, "done"),
        (ContextError("too long"), Ending.CONTEXT, "done"),
        (BudgetError("spent"), Ending.BUDGET, "done"),
        (EngineError("node"), Ending.RETRY, "incomplete"),
        (OSError("disk"), Ending.RETRY, "incomplete"),
        (LeakError("shown"), Ending.RETRY, "failed"),
        (ZeroDivisionError("ours"), Ending.RETRY, "failed"),
        (ExceptionGroup("two", [FormatError("no verdict"), OSError()]), Ending.UNPARSED, "done"),
    ],
)
def test_each_failure_has_its_ending(tmp_path, error, ending, state):
    job = job_at(tmp_path, protocol=failing(error), limit=3)
    status, _ = run(job)
    rows = finish(job)
    assert [row.ending for row in rows] == [ending] * 3
    assert all(len(row.turns) == 1 and row.outcome is None and row.error for row in rows)
    assert status.state == state
    assert ("Traceback" in rows[0].error) == (state == "failed") == ("Traceback" in status.traceback)


def test_bad_input_stops_the_job(tmp_path):
    job = job_at(tmp_path, protocol=failing(InputError("task: no such thing")))
    with pytest.raises(InputError, match="no such thing"):
        run(job)
    assert json.loads(job.folder.status.read_text())["state"] == "failed"


def test_a_fault_of_one_episode_takes_no_other_with_it(tmp_path):
    async def step(problem, episode):
        if problem.question.startswith("Question 2:"):
            raise KeyError("ours")
        return await ask(problem, episode)

    job = job_at(tmp_path, protocol=Once(step=step))
    status, _ = run(job)
    assert (status.state, status.done) == ("failed", 11)
    assert [row.ending for row in finish(job)].count(Ending.DONE) == 11


def test_rounds_before_a_failure_are_kept(tmp_path):
    async def step(problem, episode):
        seats = episode.agents("solver", 3, sees=Asked, says=Statement)
        for number in range(3):
            await together(
                *(seat.ask(Asked(prompt=f"{problem.prompt} {number}"), round=number) for seat in seats)
            )
        return Outcome(None, (), StopReason.MAX_ROUNDS)

    def fault(request):
        if request.messages[-1].text.endswith(" 2") and request.seed % 2:
            raise EngineError("lost")

    job = job_at(tmp_path, protocol=Once(step=step), limit=4)
    run(job, engine=Failing(SimulatedEngine(SimulatedModel(1.0)), fault))
    for row in finish(job):
        before = [turn for turn in row.turns if turn.speaker.round < 2]
        assert len(before) == 6
        assert (row.ending is Ending.DONE) == (len(row.turns) == 9)


@dataclass(frozen=True)
class BadScorer(Synthetic):
    fault: str = "raises"

    def score(self, outcome, target):
        if self.fault == "raises":
            raise ZeroDivisionError("side metric")
        return {"correct": 1.0, "side": float("nan")}


def test_a_failing_scorer_costs_its_scores_alone(tmp_path):
    job = job_at(tmp_path, task=BadScorer(4))
    status, _ = run(job)
    assert status.state == "done"
    for row in finish(job):
        assert (row.ending, len(row.turns)) == (Ending.DONE, 9)
        assert row.scores == {"channel_leaks": 0.0, "quoted": 0.0, "audited": 3.0}
        assert row.error == "task.score: ZeroDivisionError: side metric"


def test_a_score_that_is_no_number_is_left_out_and_said(tmp_path):
    job = job_at(tmp_path, task=BadScorer(2, fault="nan"))
    run(job)
    for row in finish(job):
        assert row.scores["correct"] == 1.0
        assert "side" not in row.scores
        assert row.error == "task.score: no number for side"


def test_bounded_concurrency(tmp_path):
    flying, most = 0, 0

    async def step(problem, episode):
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.001)
        outcome = await ask(problem, episode)
        flying -= 1
        return outcome

    run(job_at(tmp_path, task=Synthetic(50), protocol=Once(step=step)), concurrency=7)
    assert most == 7


def test_other_questions_wrap_around(tmp_path):
    heard = {}

    async def step(problem, episode):
        heard[problem.id] = episode.elsewhere[0].id
        return await ask(problem, episode)

    task = Synthetic(5)
    run(job_at(tmp_path, task=task, protocol=Once(step=step), limit=2))
    ids = [sample.problem.id for sample in task.samples()]
    assert heard == {ids[0]: ids[1], ids[1]: ids[2]}
    run(job_at(tmp_path, task=task, protocol=Once(step=step)))
    assert heard[ids[4]] == ids[0]


def test_one_question_alone_has_no_other(tmp_path):
    async def step(problem, episode):
        return episode.elsewhere

    with pytest.raises(InputError, match="only one"):
        run(job_at(tmp_path, task=Synthetic(1), protocol=Once(step=step)))
