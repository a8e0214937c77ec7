"""A run of reviews, from episodes to numbers: findings that go missing on the way stop it with their ids."""

import json

import pytest
from jobs import job_at, run

from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.protocols.debate import Debate
from madbench.run.job import finish_job
from madbench.run.scoring import score
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import SeamError


@pytest.fixture
def job(tmp_path):
    job = job_at(tmp_path / "run", task=SyntheticReviews(8), protocol=Debate(agents=2, debate_rounds=1))
    run(job, model=SimulatedReviewer())
    return job


def spoil(job, change):
    """Change the scores of the first row on disk that has findings; returns its sample's id."""
    shard = job.folder.shard()
    rows = [json.loads(line) for line in shard.read_text().splitlines()]
    row = next(row for row in rows if any(name.startswith("finding:") for name in row["scores"]))
    change(row["scores"])
    shard.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return row["id"][0]


def lose(scores):
    del scores[next(name for name in scores if name.startswith("finding:"))]


def recount(scores):
    scores["view:union:unmatched"] += 1


def test_whole_runs_pass(job):
    measured = finish_job(job)
    assert len(measured.rows) == 8


@pytest.mark.parametrize(("change", "said"), [(lose, "1 missing"), (recount, "1 unplanned or doubled")])
def test_lost_and_invented_findings_stop_the_run(job, change, said):
    sample = spoil(job, change)
    with pytest.raises(SeamError, match=f"findings to matches: .*{said}.*{sample}"):
        finish_job(job)
    score(job.folder, job.task, job.protocol)
    finish = json.loads(job.folder.metrics.read_text())
    assert finish["planned"] == 8
