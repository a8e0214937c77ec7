"""One run's trouble stays its own: it is named, told in its folder, and taken up again by the same command."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from sweep.command import home, madbench, rows, run_of, start, summary

ARMS = ["cot", "self_consistency"]


def status(run):
    return json.loads((run / "status.json").read_text())


def workers_of(folder):
    """Worker processes whose supervisor was started in `folder`."""
    asked = subprocess.run(
        ["pgrep", "-f", "madbench.sweep.worker"], check=False, capture_output=True, text=True
    )
    here = []
    for pid in asked.stdout.split():
        try:
            if Path(f"/proc/{pid}/cwd").readlink() == folder:
                here.append(int(pid))
        except OSError:
            continue
    return here


def wait_for(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight")
    ended = madbench(folder, "-m", "protocol=cot,self_consistency")
    assert ended.returncode == 0, ended.err
    return folder


def test_the_same_command_again_does_nothing_twice(straight):
    tmp_path = straight
    assert [arm["arm"] for arm in summary(tmp_path)["arms"]] == ARMS
    assert summary(tmp_path)["spent"]["calls"] == 12 + 12 * 16
    again = madbench(tmp_path, "-m", "protocol=cot,self_consistency")
    assert again.returncode == 0
    assert "2 of them finished before" in again.out
    assert summary(tmp_path)["spent"]["calls"] == 0
    assert (run_of(tmp_path, "cot") / "run.log").read_text().count("running") == 1  # no worker was started
    assert len(list((home(tmp_path) / "summaries").iterdir())) == 2
    view = madbench(tmp_path, "protocol=cot", "limit=5")
    assert view.returncode == 0
    assert summary(tmp_path)["arms"][0]["metrics"]["accuracy"]["n"] == 5
    assert len(rows(run_of(tmp_path, "cot"))) == 12


def test_a_raising_run_takes_no_other_with_it(tmp_path):
    ended = madbench(tmp_path, "-m", "protocol=cot,raising,self_consistency")
    assert ended.returncode == 1
    assert "failed: raising: ZeroDivisionError: wrong on purpose" in ended.err
    run = run_of(tmp_path, "raising")
    assert status(run)["state"] == "failed"
    assert "Traceback" in status(run)["traceback"]
    assert "wrong on purpose" in (run / "run.log").read_text()
    accuracy = {arm["arm"]: arm["metrics"]["accuracy"]["value"] for arm in summary(tmp_path)["arms"]}
    assert accuracy["cot"] > 0.2
    assert accuracy["raising"] == 0
    before = rows(run_of(tmp_path, "cot"))
    assert madbench(tmp_path, "protocol=raising").returncode == 1
    assert rows(run_of(tmp_path, "cot")) == before
    assert len(rows(run)) == 24  # tried again


def test_a_killed_worker_is_started_again(tmp_path, straight):
    ended = madbench(tmp_path, "-m", "protocol=cot,killing,self_consistency")
    assert ended.returncode == 0, ended.err
    assert len(list((tmp_path / "kills").iterdir())) == 1
    assert "The worker process died (SIGKILL, often out of memory). Starting another" in ended.out
    for arm in ARMS:
        assert rows(run_of(tmp_path, arm)) == rows(run_of(straight, arm))


def test_a_run_that_kills_every_worker_ends_alone(tmp_path):
    ended = madbench(tmp_path, "-m", "protocol=cot,deadly,self_consistency")
    assert ended.returncode == 1
    assert "failed: deadly: The worker process died (SIGKILL" in ended.err
    run = run_of(tmp_path, "deadly")
    assert status(run)["state"] == "failed"
    assert "SIGKILL" in (run / "run.log").read_text()
    assert [arm["arm"] for arm in summary(tmp_path)["arms"]] == ARMS
    assert any("deadly" in note for note in summary(tmp_path)["notes"])
    assert len(list((tmp_path / "kills").iterdir())) == 3


def test_on_failure_stop_ends_the_sweep(tmp_path):
    ended = madbench(
        tmp_path,
        "-m",
        "protocol=raising,cot",
        "hydra.launcher.on_failure=stop",
        "model@cast.default=slow",
        "task.n=60",
    )
    assert ended.returncode == 1
    assert status(run_of(tmp_path, "cot"))["state"] == "interrupted"


def slow_start(folder):
    """A sweep that has rows on disk and is far from its end, and its arguments."""
    arguments = (
        "-m",
        "protocol=cot,self_consistency",
        "model@cast.default=slow",
        "hydra.launcher.concurrency=2",
    )
    process = start(folder, *arguments)
    wait_for(
        lambda: any((home(folder) / "runs").glob("*-cot-*/shards/*-0.jsonl")) and rows(run_of(folder, "cot"))
    )
    return process, arguments


def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path):
    process, arguments = slow_start(tmp_path)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 75, err
    assert "the same command resumes" in out
    assert workers_of(tmp_path) == []
    assert status(run_of(tmp_path, "self_consistency"))["state"] == "interrupted"
    before = rows(run_of(tmp_path, "cot"))
    assert before
    assert madbench(tmp_path, *arguments).returncode == 0
    after = rows(run_of(tmp_path, "cot"))
    assert len(after) == 12
    assert all(row in after for row in before)
    assert summary(tmp_path)["spent"]["calls"] < 12 + 12 * 16


def test_ctrl_c_is_an_interrupt_too(tmp_path):
    process, _ = slow_start(tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 75
    assert workers_of(tmp_path) == []


@pytest.mark.parametrize("verb", [(), ("dry_run=true",)], ids=["sweep", "dry run"])
def test_a_reader_who_turns_away_stops_nothing(tmp_path, verb):
    """As `head` does, and `tee` when it is killed."""
    process = start(tmp_path, "protocol=cot", *verb)
    process.stdout.close()
    said = process.stderr.read()
    assert (process.wait(120), said) == (0, "")
    assert bool(verb) or summary(tmp_path)["arms"]


def test_a_terminal_that_lacks_a_character_is_shown_its_number(tmp_path):
    process = start(tmp_path, "protocol=cot", PYTHONIOENCODING="ascii")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "\\u2013" in out
    assert summary(tmp_path)["arms"]


def test_workers_end_with_a_killed_supervisor(tmp_path):
    process = start(tmp_path, "-m", "protocol=self_consistency", "model@cast.default=slow", "task.n=400")
    wait_for(lambda: workers_of(tmp_path))
    process.kill()
    process.communicate()
    wait_for(lambda: not workers_of(tmp_path))


def test_four_starts_at_once(tmp_path):
    different = [start(tmp_path, "protocol=cot", f"seed={seed}") for seed in range(3)]
    same = start(tmp_path, "protocol=cot", "seed=0")
    ends = [process.communicate(timeout=120) for process in (*different, same)]
    assert [process.returncode for process in (*different, same)] == [0, 0, 0, 0], ends
    runs = sorted((home(tmp_path) / "runs").iterdir())
    assert len(runs) == 3
    assert all(len(rows(run)) == 12 for run in runs)
    assert all(json.loads((run / "status.json").read_text())["state"] == "done" for run in runs)


def test_other_launchers_keep_working(tmp_path):
    ended = madbench(tmp_path, "-m", "protocol=cot,raising,cot_sampled", "hydra/launcher=basic")
    assert ended.returncode == 1
    for arm in ("cot", "cot_sampled"):
        assert status(run_of(tmp_path, arm))["state"] == "done"
    assert sorted(arm["arm"] for arm in summary(tmp_path)["arms"]) == ["cot", "cot_sampled", "raising"]
    assert (
        len(rows(run_of(tmp_path, "raising"))) == 12
    )  # the last job's summary does not run the others again


def test_a_sweep_in_batches_is_summed_up_whole(tmp_path):
    ended = madbench(
        tmp_path, "-m", "protocol=cot,cot_sampled,self_consistency", "hydra.sweeper.max_batch_size=2"
    )
    assert ended.returncode == 0, ended.err
    assert len(summary(tmp_path)["arms"]) == 3
    assert "3 runs, 2 of them finished before" in ended.out


def test_a_second_start_names_the_first(tmp_path):
    arguments = (
        "protocol=self_consistency",
        "model@cast.default=slow",
        "hydra.launcher.concurrency=1",
        "task.n=120",
    )
    first = start(tmp_path, *arguments)
    wait_for(lambda: any((home(tmp_path) / "runs").glob("*/shards/*-0.jsonl")))
    second = madbench(tmp_path, *arguments)
    (worker,) = workers_of(tmp_path)
    assert second.returncode == 2
    assert f"process {worker} on host" in second.err
    assert status(run_of(tmp_path, "self_consistency"))["state"] == "running"
    first.terminate()
    first.communicate(timeout=60)
    assert first.returncode == 75


def test_an_interrupt_while_a_class_is_made_has_the_same_exit_code(tmp_path):
    """Dataclasses are made by exec of a text; Python would die of the signal at its end, whatever the code."""
    ended = madbench(tmp_path, "protocol=cot", "tracking._target_=trouble.Interrupted")
    assert (ended.returncode, ended.err) == (75, "")
    assert "the same command resumes" in ended.out
