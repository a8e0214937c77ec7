"""A run over a review set of one's own: what is kept of it, and scores made again from it."""

import json

import pytest
from jobs import Once, ask, job_at, run
from stage import Scripted

from madbench.records.tables import read_records
from madbench.run.job import finish_job
from madbench.run.scoring import score
from madbench.tasks.answers import strict
from madbench.tasks.reviews import Reviews
from madbench.types import FindingReader

CODE = (
    "def last(items):\n    if not items:\n        return None\n    return items[len(items)]\n# " + "x" * 100
)
FAULT = {"line_start": 4, "line_end": 4, "kind": "off by one"}
REPLY = 'Here: {"findings": [{"line_start": 4, "line_end": 4, "text": "one too far"}, {"line": 1, "text": "name"}]}'


@pytest.fixture
def job(tmp_path):
    rows = [{"id": f"a{n}", "code": f"{CODE}{n}", "filename": "last.py", "issues": [FAULT]} for n in range(3)]
    rows += [{"id": "clean", "code": CODE.replace("len(items)", "-1"), "filename": "last.py", "clean": True}]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    job = job_at(tmp_path / "run", task=Reviews("ours", path=str(path)), protocol=Once(step=ask))
    run(job, engine=Scripted(lambda request: REPLY))
    return job


def test_records_bring_back_the_artifact_and_its_issues(job):
    finish_job(job)
    samples = {sample.problem.id: sample for sample in job.task.samples()}
    for record in read_records(job.folder):
        assert record.sample == samples[record.id.sample]
        assert isinstance(record.sample.problem.reader, FindingReader)
    assert all(json.dumps(f"{CODE}0") not in line or line.count(json.dumps(f"{CODE}0")) == 1
               for line in job.folder.shard().read_text().splitlines())  # fmt: skip


def test_scores_made_again_are_the_same_bytes(job):
    finish_job(job)
    first = job.folder.metrics.read_bytes()
    records = list(read_records(job.folder))
    assert sum(record.scores["view:final:matched"] for record in records) == 3
    assert sum(record.scores["view:final:unmatched"] for record in records) == 5
    assert score(job.folder, job.task, job.protocol) == 0
    assert job.folder.metrics.read_bytes() == first
    assert list(read_records(job.folder)) == records
    assert score(job.folder, job.task, job.protocol, reread=strict) == 0
    assert job.folder.metrics.read_bytes() == first
