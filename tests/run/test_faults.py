"""Records under fire: each fault has one outcome, loses nothing that was written, and is over when it is over."""

import json
import os
import signal
import time
from dataclasses import replace

import pytest
from faults import LOCAL_LOCKS, NO_LOCKS, disk, failing, full, python, read_only, remount
from jobs import bare, finish, job_at, run

from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.layout import RunFolder, own_name, tidy, write_json
from madbench.records.shards import heads_of
from madbench.records.status import Status, read_status
from madbench.records.tables import read_records
from madbench.run.job import finish_job
from madbench.run.merging import write_numbers
from madbench.tasks.synthetic import Synthetic
from madbench.types import Ending, InputError, SeamError, StorageError

TASK = Synthetic(60)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    job = job_at(tmp_path_factory.mktemp("undisturbed"), task=TASK)
    run(job)
    return finish(job)


@pytest.fixture
def small(tmp_path):
    with disk(tmp_path / "disk") as folder:
        yield folder


def heads(job):
    return [(id, ending) for shard in job.folder.shards() for _, id, ending in heads_of(shard)]


def nothing_half(folder):
    return [path.name for path in folder.path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("size", ["40k", "120k", "240k", "400k"])
def test_a_disk_that_fills_while_playing(tmp_path, undisturbed, size):
    with disk(tmp_path / "disk", size) as folder:
        job = job_at(folder / "run", task=TASK)
        with pytest.raises(StorageError, match=r"No space left on device; what was written before is kept"):
            run(job, journal=folder / "journal")
        before = heads(job)
        assert len(before) < 60
        assert {ending for _, ending in before} <= {Ending.DONE}
        remount(folder, "size=10m")
        assert run(job, journal=folder / "journal")[0].state == "done"
        assert heads(job)[: len(before)] == before
        assert finish(job) == undisturbed


def test_a_disk_that_fills_only_for_the_journal_stops_the_run_before_more_is_paid_for(tmp_path, undisturbed):
    with disk(tmp_path / "disk", "60k") as folder:
        job = job_at(tmp_path / "run", task=TASK)
        with pytest.raises(StorageError, match=r"journal/.*No space left on device"):
            run(job, journal=folder / "journal", concurrency=4)
        kept = sum(file.read_bytes().count(b"\n") for file in (folder / "journal").glob("*.jsonl"))
        assert {ending for _, ending in heads(job)} == {Ending.DONE}
        assert read_status(job.folder).state == "failed"
        remount(folder, "size=10m")
        _, counts = run(job, journal=folder / "journal")
        assert counts.calls == 60 * 9 - kept
        assert finish(job) == undisturbed


@pytest.mark.parametrize("left", [0, 4096, 20_000])
def test_a_disk_that_fills_while_merging(small, undisturbed, left):
    job = job_at(small / "run", task=TASK)
    run(replace(job, limit=20))
    before = finish(replace(job, limit=20))
    run(job)
    with full(small, left):
        with pytest.raises(StorageError, match="No space left on device"):
            finish_job(job)
        assert bare(read_records(job.folder)) == before
        assert nothing_half(job.folder)
    assert finish(job) == undisturbed


@pytest.mark.parametrize("name", ["status", "plan", "metrics", "manifest"])
def test_small_files_keep_their_old_content_on_a_full_disk(small, name):
    job = job_at(small / "run", task=Synthetic(4))
    run(job)
    finish_job(job)
    path = getattr(job.folder, name)
    writers = {
        "status": lambda: Status("failed", 0, 4, error="x" * 5000).write(job.folder),
        "plan": lambda: job.folder.write_plan(job.folder.read_plan(), job.folder.read_asked()),
        "metrics": lambda: write_numbers(job.folder),
        "manifest": lambda: write_json(path, {"more": "x" * 5000}),
    }
    write_json(job.folder.manifest, {"config": {}})
    before = path.read_bytes()
    with full(small):
        with pytest.raises(StorageError, match=rf"{path.name}: No space left on device"):
            writers[name]()
        assert path.read_bytes() == before
        assert nothing_half(job.folder)
    writers[name]()


def test_a_folder_that_became_read_only(small, undisturbed):
    job = job_at(small / "run", task=TASK)
    run(replace(job, limit=30))
    before = heads(job)
    with read_only(small):
        for act in (run, finish_job):
            with pytest.raises(StorageError, match="Read-only file system"):
                act(job)
        assert heads(job) == before
    run(job)
    assert finish(job) == undisturbed


def spoil(shard, kind):
    """A shard that cannot be read; returns how it is mended."""
    good = shard.read_bytes()
    lines = good.splitlines(keepends=True)

    def mend(content=good):
        shard.rmdir() if shard.is_dir() else shard.unlink()
        shard.write_bytes(content)

    without_third = b"".join([*lines[:2], *lines[3:]])
    spoilt = {
        "torn in the middle": [*lines[:2], lines[2][:40], *lines[3:]],
        "zeros in the middle": [*lines[:2], b"\0" * 100 + b"\n", *lines[3:]],
        "binary": [b"\x89PNG\r\n\x1a\n" + bytes(range(256)), *lines],
        "another program's": [*lines[:2], b'{"an":"other"}\n', *lines[3:]],
        "a newer version's": [
            *lines[:2],
            json.dumps({**json.loads(lines[2]), "ending": "parked"}).encode() + b"\n",
        ],
    }
    shard.unlink()
    if kind in spoilt:
        shard.write_bytes(b"".join(spoilt[kind]))
    elif kind == "a folder":
        shard.mkdir()
    else:
        failing(shard)
    return lambda: mend(without_third if "middle" in kind else good)


KINDS = {
    "torn in the middle": (InputError, r"\.jsonl:3: unreadable line .* Remove that line"),
    "zeros in the middle": (InputError, r"\.jsonl:3: unreadable line"),
    "binary": (InputError, r"\.jsonl:1: unreadable line"),
    "another program's": (InputError, r"byte \d+: no row that this version can read"),
    "a newer version's": (InputError, r"byte \d+: no row that this version can read .*newer madbench"),
    "a folder": (StorageError, r"\.jsonl: Is a directory"),
    "a failing disk": (StorageError, r"\.jsonl: Input/output error"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_shard_that_cannot_be_read_is_named_and_left_alone(tmp_path, undisturbed, kind):
    job = job_at(tmp_path / "run", task=TASK)
    run(job, journal=tmp_path / "journal")
    (shard,) = job.folder.shards()
    mend = spoil(shard, kind)
    found = shard.read_bytes() if kind not in ("a folder", "a failing disk") else None
    error, words = KINDS[kind]
    for act in (lambda: run(job, journal=tmp_path / "journal"), lambda: finish_job(job)):
        with pytest.raises(error, match=words):
            act()
    assert found is None or shard.read_bytes() == found
    mend()
    run(job, journal=tmp_path / "journal")
    assert finish(job) == undisturbed


def test_a_row_cut_in_its_middle_is_named_at_merging(tmp_path):
    job = job_at(tmp_path, task=Synthetic(4))
    run(job)
    (shard,) = job.folder.shards()
    lines = [json.loads(line) for line in shard.open()]
    lines[1]["turns"][0].popitem()
    shard.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match=r"byte \d+: no row that this version can read"):
        finish_job(job)


def test_a_merge_cut_between_two_renames_is_noticed_and_made_again(tmp_path, undisturbed):
    job = job_at(tmp_path / "run", task=TASK)
    run(job)
    assert finish(job) == undisturbed
    other = job_at(tmp_path / "other", task=TASK, seed=1)
    run(other)
    finish_job(other)
    job.folder.turns.write_bytes(other.folder.turns.read_bytes())
    with pytest.raises(SeamError, match="its tables are of two merges"):
        list(read_records(job.folder))
    assert finish(job) == undisturbed


def test_tables_of_equal_rows_are_equal_files(tmp_path):
    job = job_at(tmp_path, task=TASK)
    run(job)
    made = []
    for _ in range(2):
        finish_job(job)
        made.append([path.read_bytes() for path in (job.folder.records, job.folder.turns, job.folder.events)])
    assert made[0] == made[1]


def test_what_killed_processes_left_is_tidied_and_what_living_ones_write_is_not(tmp_path):
    dead = python("pass")
    dead.wait()
    left = [tmp_path / f".plan.json.{own_name(number)}" for number in (dead.pid, os.getpid())]
    left += [tmp_path / ".plan.json.elsewhere-1", tmp_path / "plan.json"]
    for path in left:
        path.touch()
    tidy(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(left[1:])


def test_a_clock_that_goes_back_changes_nothing(tmp_path, undisturbed):
    """Later shards and journal files look older than earlier ones, and the status seems to come from the future."""
    job, now = job_at(tmp_path / "run", task=TASK), time.time()
    for step, limit in enumerate((20, 40, 60)):
        run(replace(job, limit=limit), journal=tmp_path / "journal")
        for file in [*job.folder.shards(), *(tmp_path / "journal").iterdir(), job.folder.plan]:
            os.utime(file, (now - step * 1e6, now - step * 1e6))
        held = json.loads(job.folder.status.read_text())
        write_json(job.folder.status, held | {"updated": now + 1e9})
    assert finish(job) == undisturbed
    for table in (job.folder.records, job.folder.turns):
        os.utime(table, (now + 1e6, now + 1e6))
    assert finish(job) == undisturbed


def test_the_lock_of_a_dead_process_is_none(tmp_path):
    code = f"""
import os, sys
from pathlib import Path
from madbench.records.layout import RunFolder
with RunFolder(Path({str(tmp_path)!r})).locked():
    os.kill(os.getpid(), 9)
"""
    for head in ("", NO_LOCKS):
        assert python(head + code).wait() == -signal.SIGKILL
        after = python(head + code.replace("os.kill(os.getpid(), 9)", "print('mine')"))
        assert after.communicate() == ("mine\n", "")


HELD = """
import sys, time
from pathlib import Path
from madbench.records.layout import RunFolder
with RunFolder(Path(sys.argv[1])).locked():
    print("held", flush=True)
    time.sleep(11)
"""


def test_who_puts_the_same_run_together_is_waited_for(tmp_path):
    job, heard = job_at(tmp_path), []
    run(job)
    holder = python(HELD, tmp_path)
    assert holder.stdout.readline() == "held\n"
    finish_job(job, lambda: heard.append("waiting"))
    assert heard == ["waiting"]
    assert holder.wait() == 0


PLAY = """
import sys, time
from pathlib import Path
from jobs import job_at, run, Synthetic
from madbench.engines.simulated import SimulatedModel
path = Path(sys.argv[1])
print("playing", flush=True)
model = SimulatedModel(0.6, 0.5, seconds_per_call=0.005)
run(job_at(path / "run", task=Synthetic(60)), model=model, journal=path / "journal", concurrency=4)
"""


SHARE = """
import sys
from pathlib import Path
from jobs import job_at, run, Synthetic
from madbench.engines.simulated import SimulatedModel
from madbench.protocols.self_consistency import SelfConsistency
path, arm, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
protocol = {"protocol": SelfConsistency(votes=5, pool=5)} if arm == "votes" else {}
model = SimulatedModel(0.6, 0.5, seconds_per_call=0.004)
job = job_at(path / f"{arm}-{seed}", task=Synthetic(40), seed=seed, **protocol)
print(run(job, model=model, journal=path / "journal", concurrency=4)[1])
"""


def calls_in(journal):
    return [
        json.loads(line)[0] for file in journal.glob("*.jsonl") for line in file.read_bytes().splitlines()
    ]


def test_two_sweeps_at_once_share_a_models_journal(tmp_path):
    """Other seeds ask for other completions: each is there once. Equal ones are paid for by whoever came first, also
    while both are at it (those that both ask for at one moment, by both).
    """
    journal = tmp_path / "journal"
    others = [python(SHARE, tmp_path, "debate", seed) for seed in (0, 1)]
    assert [one.communicate()[1] for one in others] == ["", ""]
    calls = calls_in(journal)
    assert len(calls) == len(set(calls)) == 2 * 40 * 9
    late = python(SHARE, tmp_path, "votes", 0)
    late.communicate()
    assert len(calls_in(journal)) == len(set(calls_in(journal))) == 2 * 40 * 9 + 40 * 2
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    both = [python(SHARE, fresh, arm, 0) for arm in ("debate", "votes")]
    assert [one.communicate()[1] for one in both] == ["", ""]
    assert len(set(calls_in(fresh / "journal"))) == 40 * 9 + 40 * 2
    assert set(calls_in(fresh / "journal")) < set(calls_in(journal))
    for name, arm in (("debate-0", {}), ("votes-0", {"protocol": SelfConsistency(votes=5, pool=5)})):
        there, here = (job_at(path / name, task=Synthetic(40), **arm) for path in (tmp_path, fresh))
        assert finish(there) == finish(here)


def test_a_second_process_without_locks_is_refused_too(tmp_path, undisturbed):
    first = python(NO_LOCKS + PLAY, tmp_path)
    while not (tmp_path / "run" / "status.json").exists():
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.01)
    second = python(NO_LOCKS + PLAY, tmp_path)
    assert first.pid == json.loads((tmp_path / "run" / "status.json").read_text())["pid"]
    _, err = second.communicate()
    if first.poll() is None:
        assert f"process {first.pid} on host" in err
    first.communicate()
    assert first.returncode == 0
    assert finish(job_at(tmp_path / "run", task=TASK)) == undisturbed


def test_two_hosts_whose_locks_do_not_meet_write_files_of_their_own(tmp_path, undisturbed):
    """Both play everything: no line is torn, the seam names what is there twice, and one file set aside mends it."""
    both = [python(LOCAL_LOCKS + PLAY, tmp_path, host=host) for host in ("left", "right")]
    for one in both:
        _, err = one.communicate()
        assert one.returncode == 0, err
    folder = RunFolder(tmp_path / "run")
    assert [shard.name for shard in folder.shards()] == ["left-0.jsonl", "right-0.jsonl"]
    counts = [len(list(heads_of(shard))) for shard in folder.shards()]
    assert max(counts) == 60
    assert sorted(file.name for file in (tmp_path / "journal").glob("*.jsonl")) == [
        "left-0.jsonl",
        "right-0.jsonl",
    ]
    job = job_at(folder.path, task=TASK)
    if sum(counts) > 60:
        with pytest.raises(SeamError, match=r"left-0\.jsonl, right-0\.jsonl.* unplanned or doubled"):
            finish_job(job)
    fewer = folder.shards()[counts.index(min(counts))]
    fewer.rename(tmp_path / "set aside.jsonl")
    run(job, journal=tmp_path / "journal")
    assert finish(job) == undisturbed
