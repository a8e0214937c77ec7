"""What a driver of SLURM jobs does when others drive too, when SLURM is out of reach, and when jobs die."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from madbench.sweep.configs import read_config
from madbench.sweep.messages import News, write
from madbench.sweep.planning import plan
from madbench.sweep.progress import Progress, Row
from madbench.sweep.slurm import queue
from madbench.sweep.slurm.batches import BusyError
from madbench.sweep.slurm.following import Driver
from madbench.sweep.slurm.settings import SlurmSettings
from madbench.sweep.slurm.submitting import RejectedError
from madbench.types import InputError

pytest.importorskip("submitit")
CONF = Path(__file__).parents[2] / "conf"
SETTINGS = SlurmSettings.model_validate({"max_array": 5, "watch": {"every": 0.01, "settle": 0}})
DIED = "JobId=41 JobState=FAILED ExitCode=0:9 NodeList=n1"


class Commands:
    """SLURM's commands, which answer what was written down for them."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        for command in ("srun", "sacct", "scancel"):
            self.says(command, "")
        self.says("scontrol", DIED)
        self.says("sbatch", "Submitted batch job 41")

    def says(self, command, text, code=0):
        file = self.folder / command
        stream = ">&2" if code else ""
        file.write_text(
            f"#!/bin/sh\necho $* >>{file}.calls\ncat {stream} <<'END'\n{text}\nEND\nexit {code}\n"
        )
        file.chmod(0o755)

    def jobs(self, *lines):
        self.says("squeue", "\n".join(lines))

    def calls(self, command):
        calls = self.folder / f"{command}.calls"
        return calls.read_text().splitlines() if calls.exists() else []

    @property
    def submissions(self):
        return len(self.calls("sbatch"))


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return Commands(tmp_path / "bin")


def planned(folder, limit, *protocols):
    def config(protocol):
        given = (
            "task=synthetic",
            "task.n=12",
            "model@cast.default=simulated",
            f"limit={limit}",
            "tracking=none",
        )
        with initialize_config_dir(str(CONF), version_base=None):
            composed = compose(
                "config", [f"protocol={protocol}", *given, f"output_root={folder}", "name=trial"]
            )
        return read_config(composed, {"protocol": protocol, "task": "synthetic"}, (f"protocol={protocol}",))

    return plan([config(protocol) for protocol in protocols])


def driver(runs, **changes):
    settings = SETTINGS.model_copy(update=changes)
    return Driver(runs, Progress([Row(run.name.arm, run.id, run.episodes, 0) for run in runs]), settings)


def round_of(driving):
    asyncio.run(driving._round())


def test_two_drivers_that_see_a_job_die_submit_what_it_left_once(slurm, tmp_path):
    first, second = (driver(planned(tmp_path, 4, "cot")) for _ in range(2))
    first.begin()
    (old,) = first.batches.open()
    slurm.jobs(f"{old.name}|41_0|RUNNING|None")
    second.begin()
    slurm.jobs(f"{old.name}|41_0|FAILED|None")
    round_of(first)
    (new,) = [batch for batch in first.batches.open() if batch.name != old.name]
    assert slurm.submissions == 2
    slurm.jobs(f"{old.name}|41_0|FAILED|None", f"{new.name}|42_0|PENDING|Priority")
    second._seen = {(old.name, 0): queue.Seen("41_0", "FAILED", "None")}
    asyncio.run(second._bury(second._watched.pop()))
    assert slurm.submissions == 2
    assert [watched.id for watched in second._watched] == ["42_0"]


def test_a_job_that_was_asked_for_less_and_dies_leaves_that_to_be_played_too(slurm, tmp_path):
    few, many = (driver(planned(tmp_path, limit, "cot", "cot_sampled")) for limit in (4, 8))
    few.begin()
    (old,) = few.batches.open()
    (task,) = few.batches.tasks(old)
    slurm.jobs(f"{old.name}|41_0|RUNNING|None")
    many.begin()
    with task.says(0).open("w") as say:
        for run, state in zip(task.runs, ("done", "running"), strict=True):
            write(say, News(folder=run, state=state, done=4))
    slurm.jobs(f"{old.name}|41_0|FAILED|None")
    round_of(many)
    assert {run for watched in many._watched for run in watched.runs} == set(task.runs)


def test_what_is_not_submitted_since_nobody_answers_is_submitted_later(slurm, tmp_path):
    driving, answers = driver(planned(tmp_path, 4, "cot")), [queue.QueueError("no"), BusyError("wait"), None]

    def call():
        if answer := answers.pop(0):
            raise answer

    asyncio.run(driving._answered(call))
    assert answers == []


def test_what_cannot_be_submitted_again_has_failed_and_the_driver_goes_on(slurm, tmp_path):
    driving = driver(planned(tmp_path, 4, "cot"))
    driving.begin()
    (batch,) = driving.batches.open()
    slurm.jobs(f"{batch.name}|41_0|FAILED|None")
    (driving.batches.folder / batch.name / "batch.json").write_text("{")
    round_of(driving)
    (run,) = driving._runs
    assert driving._progress.state(run) == "failed"
    assert "died (FAILED, exit code 0:9, on n1)" in driving._progress.note(run)


def test_a_job_that_sbatch_refused_and_has_all_the_same_is_followed(slurm, tmp_path):
    slurm.says("sbatch", "sbatch: error: Socket timed out on send/recv operation", 1)
    with pytest.raises(RejectedError, match="Socket timed out"):
        driver(planned(tmp_path, 4, "cot")).begin()
    later = driver(planned(tmp_path, 4, "cot"))
    (batch,) = later.batches.open()
    slurm.jobs(f"{batch.name}|43_0|PENDING|Priority")
    later.begin()
    assert slurm.submissions == 1
    assert [watched.id for watched in later._watched] == ["43_0"]


def test_only_the_last_start_of_a_job_says_that_it_was_stopped(slurm, tmp_path):
    driving = driver(planned(tmp_path, 4, "cot"))
    driving.begin()
    (watched,) = driving._watched
    (run,) = watched.runs
    for start, state in ((2, "running"), (10, "interrupted")):
        with watched.task.says(start).open("w") as say:
            write(say, News(folder=run, state=state))
    replace(watched).listen(driving._progress)
    assert watched.stopped(run, driving._progress)
    watched.task.says(11).touch()
    assert not watched.stopped(run, driving._progress)


def started(task):
    """The exit code of a start of a job, as its node would make it."""
    place = {"SLURM_ARRAY_JOB_ID": "41", "SLURM_ARRAY_TASK_ID": str(task.number), "SLURM_RESTART_COUNT": "0"}
    command = [sys.executable, "-m", "madbench.sweep.slurm.job", str(task.folder)]
    return subprocess.run(command, env={**os.environ, **place}, check=False, timeout=120).returncode


def test_a_later_start_has_a_file_of_its_own_and_asks_again_where_its_run_is_held(slurm, tmp_path):
    """However often, and with one turn of its own: what counts is that the one which holds it still says something."""
    runs = planned(tmp_path, 4, "cot")
    driving = driver(runs, requeues=1)
    driving.begin()
    (watched,) = driving._watched
    with runs[0].folder.locked():
        assert started(watched.task) == 1
        assert slurm.calls("scontrol") == []
        for asked in (1, 2):
            told(watched, "running", 1)
            assert started(watched.task) == 75
            assert slurm.calls("scontrol") == ["requeue 41_0"] * asked
    assert started(watched.task) == 0
    assert watched.task.said() == [watched.task.says(start) for start in range(4)]


def told(watched, state, done):
    """The first start of a job, of one run, says something more."""
    (run,) = watched.runs
    with watched.task.says(0).open("a") as say:
        write(say, News(folder=run, state=state, done=done))


@pytest.mark.parametrize("state", ["running", "done"])
def test_a_job_that_the_queue_calls_ended_is_not_taken_for_dead_while_it_speaks(slurm, tmp_path, state):
    driving = driver(planned(tmp_path, 4, "cot"), watch=SETTINGS.watch.model_copy(update={"settle": 0.3}))
    driving.begin()
    (watched,) = driving._watched
    slurm.jobs(f"{watched.place[0]}|41_0|FAILED|None")
    for done in range(4):
        told(watched, "running", done)
        round_of(driving)
        time.sleep(0.2)
    assert driving._watched == [watched]
    told(watched, state, 4)
    for _ in range(3):
        round_of(driving)
        time.sleep(0.2)
    assert slurm.submissions == 1 + (state == "running")
    assert [one.id for one in driving._watched] == ["41_0"] * (state == "running")


def displaced(slurm, driving):
    """Take the place of a driver's only job, which its worker leaves in order."""
    (watched,) = driving._watched
    with watched.task.says(0).open("w") as say:
        for run in watched.runs:
            write(say, News(folder=run, state="interrupted"))
    slurm.says("scontrol", "JobId=41 JobState=PREEMPTED ExitCode=0:15 NodeList=n1")
    slurm.says("sbatch", f"Submitted batch job {int(watched.id.partition('_')[0]) + 1}")
    slurm.jobs(f"{watched.place[0]}|{watched.id}|PREEMPTED|None")
    round_of(driving)


def test_what_a_job_left_whose_place_was_taken_for_good_is_submitted_again_together(slurm, tmp_path):
    """However often, up to the turns that a job would have asked for itself; no run is called dead for it."""
    driving = driver(planned(tmp_path, 4, "cot", "cot_sampled"), requeues=3)
    driving.begin()
    for id in ("42_0", "43_0", "44_0"):
        displaced(slurm, driving)
        assert [(one.id, len(one.runs)) for one in driving._watched] == [(id, 2)]
        assert {driving._progress.state(run) for run in driving._runs} == {"waiting"}
    displaced(slurm, driving)
    assert driving._watched == []
    assert slurm.submissions == 4
    assert {driving._progress.state(run) for run in driving._runs} == {"interrupted"}
    assert "job 44_0 lost its place, and was not requeued (PREEMPTED" in driving._progress.note(
        next(iter(driving._runs))
    )


def test_a_site_without_arrays_is_refused_before_anything_is_submitted(slurm, tmp_path):
    slurm.says("scontrol", "MaxArraySize = 0")
    with pytest.raises(InputError, match="MaxArraySize=0"):
        driver(planned(tmp_path, 4, "cot"), max_array=None).begin()
    assert slurm.submissions == 0
