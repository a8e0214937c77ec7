"""Sweeps under fire: one run's trouble stops no other, is said in a line, and is mended by the same command."""

import json
import shutil

import pytest
from faults import disk, full, remount
from sweep.command import home, madbench, rows, run_of, summary

from madbench.sweep.app import run

SWEEP = ("-m", "protocol=cot,self_consistency")
ARMS = ["cot", "self_consistency"]


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight")
    ended = madbench(folder, *SWEEP)
    assert ended.returncode == 0, ended.err
    return folder


@pytest.fixture
def swept(straight, tmp_path):
    shutil.copytree(straight / "out", tmp_path / "out")
    return tmp_path


def shard_of(folder, arm):
    (shard,) = (run_of(folder, arm) / "shards").glob("*.jsonl")
    return shard


def status(folder, arm):
    return json.loads((run_of(folder, arm) / "status.json").read_text())


def shown(folder):
    return [arm["arm"] for arm in summary(folder)["arms"]]


def test_a_disk_that_fills_is_said_in_a_line_and_the_same_command_goes_on(tmp_path, straight):
    with disk(tmp_path / "small", "300k") as folder:
        ended = madbench(folder, *SWEEP)
        assert ended.returncode == 1
        assert "Traceback" not in ended.err
        assert "No space left on device; what was written before is kept" in ended.err
        before = {arm: rows(run_of(folder, arm)) for arm in ARMS}
        remount(folder, "size=50m")
        again = madbench(folder, *SWEEP)
        assert again.returncode == 0, again.err
        for arm in ARMS:
            after = rows(run_of(folder, arm))
            assert after == rows(run_of(straight, arm))
            assert all(row in after for row in before[arm])
        with full(folder):
            refused = madbench(folder, *SWEEP)
        assert refused.returncode in (1, 2)
        assert "Traceback" not in refused.err
        assert "No space left on device" in refused.err
        assert shown(folder) == ARMS


def test_a_run_that_cannot_be_read_stops_no_other(swept, straight):
    shard = shard_of(swept, "cot")
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([*lines[:3], lines[3][:50] + b"\n", *lines[4:]]))
    ended = madbench(swept, "-m", "protocol=cot,self_consistency,cot_sampled")
    assert ended.returncode == 2
    assert f"refused: cot: {shard}:4: unreadable line" in ended.err
    assert shown(swept) == ["self_consistency", "cot_sampled"]
    assert status(swept, "cot_sampled")["state"] == "done"
    shard.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    again = madbench(swept, *SWEEP)
    assert again.returncode == 0, again.err
    assert summary(swept)["spent"]["calls"] == 0  # the journal had it
    assert rows(run_of(swept, "cot")) == rows(run_of(straight, "cot"))


def test_a_run_that_cannot_be_merged_is_named_and_stops_no_other(swept):
    shard = shard_of(swept, "cot")
    good = shard.read_bytes()
    shard.write_bytes(good + good.splitlines(keepends=True)[0])
    ended = madbench(swept, *SWEEP)
    assert ended.returncode == 1
    assert (
        f"failed: cot: {run_of(swept, 'cot').name} ({shard.name}): plan to shards: planned 12 rows"
        in ended.err
    )
    assert "1 unplanned or doubled" in status(swept, "cot")["error"]
    assert (shown(swept), status(swept, "cot")["state"]) == (["self_consistency"], "failed")
    assert run(["score", str(home(swept))]) == 1  # what is there twice is no matter of scores
    assert shown(swept) == ["self_consistency"]
    shard.write_bytes(good)
    assert madbench(swept, *SWEEP).returncode == 0
    assert (shown(swept), status(swept, "cot")["state"]) == (ARMS, "done")


def test_score_reaches_a_run_that_lost_findings(tmp_path, capsys):
    sweep = ("-m", "protocol=debate,self_consistency", "task=synthetic_reviews", "task.n=8")
    sweep = (*sweep, "model@cast.default=simulated_reviewer")
    folder, arms = tmp_path, ["debate", "self_consistency"]
    assert madbench(folder, *sweep).returncode == 0
    (shard,) = home(folder).glob("runs/*-debate-*/shards/*.jsonl")
    lines = [json.loads(line) for line in shard.open()]
    row = next(row for row in lines if any(name.startswith("finding:") for name in row["scores"]))
    del row["scores"][next(name for name in row["scores"] if name.startswith("finding:"))]
    shard.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ended = madbench(folder, *sweep)
    assert ended.returncode == 1
    assert "failed: debate:" in ended.err
    assert "findings to matches" in ended.err
    assert run(["report", str(home(folder))]) == 0
    assert shown(folder) == ["self_consistency"]
    assert any("debate (seed 0) is not in this summary" in note for note in summary(folder)["notes"])
    assert run(["score", str(home(folder))]) == 0
    assert shown(folder) == ["self_consistency", "debate"]
    assert not any("not in this summary" in note for note in summary(folder)["notes"])
    assert set(arms) == set(shown(folder))
