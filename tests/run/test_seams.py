"""Rows that go missing between any two stages are noticed there, with their names."""

import multiprocessing
import os
import random
import signal
import time

import pytest
from jobs import bare, job_at, run

from madbench.records.index import Index
from madbench.records.seams import check_seam
from madbench.records.tables import read_records, write_tables
from madbench.run.job import extend_plan, finish_job
from madbench.run.merging import Found, Written, merge, merged, write_numbers
from madbench.tasks.synthetic import Synthetic
from madbench.types import SeamError

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def job(tmp_path):
    job = job_at(tmp_path / "run")
    run(job)
    finish_job(job)
    return job


def indexed(job):
    index = Index(extend_plan(job))
    index.read(job.folder.shards())
    return index


def test_shards_to_merge(job):
    index, plan = indexed(job), job.folder.read_plan()
    first, second = list(plan)[:2]
    where = index._place
    where[0], where[1] = where[1], where[0]
    with pytest.raises(SeamError, match=f"shards to merge: wanted .*{first[0]}.*found .*{second[0]}"):
        list(merged(index, plan))


@pytest.mark.parametrize("spoilt", [lambda rows: rows[1:], lambda rows: [*rows, rows[0]]])
def test_merge_to_parquet_and_parquet_to_metrics(job, spoilt):
    rows = list(read_records(job.folder))
    write_tables(job.folder, spoilt(rows))
    with pytest.raises(
        SeamError, match=rf"merge to parquet: planned 12 rows, found 1[13].*{rows[0].id.sample}"
    ):
        check_seam("merge to parquet", Found(indexed(job), job.folder.read_plan()), Written(job.folder))
    with pytest.raises(
        SeamError, match=rf"parquet to metrics: planned 12 rows, found 1[13].*{rows[0].id.sample}"
    ):
        write_numbers(job.folder)


def test_killed_while_merging_then_merged_again(tmp_path):
    job = job_at(tmp_path, task=Synthetic(400))
    run(job)
    finish_job(job)
    whole, draws = bare(read_records(job.folder)), random.Random(0)
    for _ in range(6):
        child = FORK.Process(target=merge, args=(job.folder,))
        child.start()
        time.sleep(draws.uniform(0.01, 0.3))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
    finish_job(job)
    assert bare(read_records(job.folder)) == whole
    assert not list(job.folder.path.glob(".*"))


def test_more_workers_than_rows_and_no_rows_at_all(tmp_path):
    job = job_at(tmp_path, task=Synthetic(3))
    run(job, concurrency=500)
    assert len(finish_job(job).rows) == 3
    empty = job_at(tmp_path / "empty", limit=0)
    assert run(empty)[0].state == "done"
    assert len(finish_job(empty).rows) == 0
