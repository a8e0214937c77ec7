"""What the SLURM launcher says and reads, without a cluster."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from madbench.sweep.messages import News, Order, WorkerSettings, launcher_settings, write
from madbench.sweep.progress import Progress, Row
from madbench.sweep.slurm import queue
from madbench.sweep.slurm.batches import Batches, Task
from madbench.sweep.slurm.job import begun, give_way, turns
from madbench.sweep.slurm.listening import Watched
from madbench.sweep.slurm.queue import Seen
from madbench.sweep.slurm.settings import SlurmSettings
from madbench.sweep.slurm.standing import Standing, attached
from madbench.sweep.slurm.submitting import RejectedError, executor, parts, settled
from madbench.types import InputError

pytest.importorskip("submitit")


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A machine whose SLURM commands answer what a test writes down for them."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def says(command, text, code=0):
        file = folder / command
        (folder / f"{command}.txt").write_text(text)
        stream = ">&2" if code else ""
        file.write_text(
            f'#!/bin/sh\necho "$@" >>{folder}/{command}.asked\ncat {folder}/{command}.txt {stream}\nexit {code}\n'
        )
        file.chmod(0o755)

    def asked(command):
        file = folder / f"{command}.asked"
        return file.read_text().splitlines() if file.exists() else []

    for command in ("squeue", "scontrol", "sacct", "scancel", "sbatch", "srun"):
        says(command, f"{command}: nothing was expected here", 1)
    says.asked = asked
    return says


def test_starts_at_the_same_time_never_share_a_file(tmp_path):
    gate = Barrier(16)

    def start(_):
        gate.wait()
        number, say = begun(Task(tmp_path, 1, ()))
        say.close()
        return number

    with ThreadPoolExecutor(16) as threads:
        assert sorted(threads.map(start, range(16))) == list(range(16))
    assert len(list(tmp_path.iterdir())) == 16


def test_giving_way_is_no_turn_as_long_as_the_other_says_something(tmp_path):
    task = Task(tmp_path, 1, ())
    had = []
    for start in range(5):
        begun(task)[1].close()
        if start in (1, 2, 3):
            with task.says(0).open("a") as say:
                say.write("a word\n" * (start < 3))
            give_way(task, start)
        had.append(turns(task, start))
    assert had == [0, 0, 0, 1, 2]
    assert turns(Task(tmp_path, 0, ()), 5) == 5


def test_ids_are_told_in_the_short_form():
    assert queue.together(["7_3", "5_0", "5_2", "5_1", "5_9"]) == ["5_[0-2,9]", "7_[3]"]
    assert queue.together([]) == []


def test_the_queue_is_read_by_the_names_of_arrays(site):
    site(
        "squeue",
        "a-1|12_0|RUNNING|None\na-1|12_10|PENDING|launch failed requeued held\nb-2|13_0|COMPLETED|None\n",
    )
    seen = queue.look(["a-1", "b-2"])
    assert seen["a-1", 0] == Seen("12_0", "RUNNING", "None")
    assert seen["a-1", 10].hopeless
    assert not seen["a-1", 0].hopeless
    assert seen["b-2", 0].over
    assert "--name=a-1,b-2" in site.asked("squeue")[0]
    assert all(Seen("1_0", "PENDING", why).hopeless for why in ("JobHoldMaxRequeue", "BadConstraints"))
    assert not Seen("1_0", "PENDING", "JobHeldUser").hopeless


def test_a_users_own_filters_hide_no_job(site, tmp_path, monkeypatch):
    squeue = tmp_path / "bin" / "squeue"
    squeue.write_text('#!/bin/sh\n[ -n "$SQUEUE_PARTITION$SLURM_CLUSTERS" ] || echo "a|1_0|RUNNING|None"\n')
    for name in ("SQUEUE_PARTITION", "SLURM_CLUSTERS"):
        monkeypatch.setenv(name, "other")
        assert ("a", 0) in queue.look(["a"])


def test_a_queue_that_does_not_answer_is_an_error_and_not_an_empty_one(site, tmp_path):
    site("squeue", "Unable to contact slurm controller", 1)
    with pytest.raises(queue.QueueError, match="squeue: Unable to contact slurm controller"):
        queue.look(["a"])
    batches = Batches(tmp_path / "home")
    with batches.locked():
        batches.new([order("r")], 1, 1.0)
    with pytest.raises(queue.QueueError, match="squeue: Unable to contact"):
        attached(batches, frozenset(["r"]))
    assert "jobs may be left" in Standing(batches, frozenset(["r"])).left(cancel=False)


@pytest.mark.parametrize(
    ("scontrol", "sacct", "told"),
    [
        ("JobId=9 JobState=FAILED ExitCode=0:9 NodeList=n1 BatchHost=n1", None, "FAILED, exit code 0:9, on n1"),
        ("JobId=9 JobState=CANCELLED ExitCode=0:0 NodeList=(null)", None, "CANCELLED, exit code 0:0"),
        (None, "OUT_OF_MEMORY|0:125|n7\n", "OUT_OF_MEMORY, exit code 0:125, on n7"),
        (None, "", "the queue no longer knows it, and sacct does not know it"),
        (None, None, "the queue no longer knows it, and there is no sacct to ask"),
    ],
)  # fmt: skip
def test_what_ended_a_job_is_asked_of_whoever_knows(site, scontrol, sacct, told):
    if scontrol is not None:
        site("scontrol", scontrol)
    if sacct is not None:
        site("sacct", sacct)
    assert queue.cause("9_0") == told


def test_the_limit_of_arrays_is_the_sites(site):
    site("scontrol", "MaxArraySize            = 1001\nMaxJobCount = 5\n")
    assert queue.max_array() == 1001
    site("scontrol", "MaxJobCount = 5\n")
    with pytest.raises(queue.QueueError, match="MaxArraySize"):
        queue.max_array()
    site("scontrol", "MaxArraySize            = 0\n")
    with pytest.raises(InputError, match="MaxArraySize=0"):
        queue.max_array()
    assert [list(part) for part in parts(range(5), 2)] == [[0, 1], [2, 3], [4]]


def order(*folders):
    return Order.model_construct(runs=(), settings=WorkerSettings()).model_copy(
        update={"runs": tuple(_assignment(folder) for folder in folders)}
    )


def _assignment(folder):
    from madbench.sweep.messages import Assignment

    return Assignment.model_construct(config=None, folder=folder, arm="a", task="t", protocol="p", cast="c")


def test_arrays_without_a_job_left_are_closed_and_live_ones_taken_over(site, tmp_path, capsys):
    batches = Batches(tmp_path / "home")
    with batches.locked():
        first, second = (batches.new([order("x"), order("y", "z")], 1, 1.0) for _ in range(2))
    site(
        "squeue",
        f"{second.name}|8_0|COMPLETED|None\n{second.name}|8_1|PENDING|Priority\n{first.name}|7_1|FAILED|None\n",
    )
    (found,) = attached(batches, frozenset(["x", "z"]))
    assert (found.id, found.runs, found.attached) == ("8_1", frozenset(["z"]), True)
    assert [batch.name for batch in batches.open()] == [second.name]
    assert "8_[1] of another command" in capsys.readouterr().out
    site("scancel", "")
    standing = Standing(batches, frozenset(["x", "z"]))
    assert "1 PENDING (8_[1])" in standing.left(cancel=False)
    assert "scancel 8_[1]" in standing.left(cancel=False)
    assert site.asked("scancel") == []
    assert "cancelled 8_[1]" in standing.left(cancel=True)
    assert site.asked("scancel") == ["8_[1]"]
    assert Standing(batches, frozenset(["x"])).left(cancel=True) == "SLURM: none of this sweep's jobs is left"


def news(done, state="running"):
    return News(folder="r", state=state, done=done, prompt_tokens=10 * done, output_tokens=done)


def test_a_job_is_heard_line_by_line_over_all_its_starts(tmp_path):
    progress = Progress([Row("arm", "r", 10, 0)])
    task = Task(tmp_path, 3, ("r",))
    watched = Watched(task, frozenset("r"), "5_3")
    with task.says(0).open("w") as say:
        write(say, news(2))
        say.write('{"folder": "r", "sta')
        say.flush()
        watched.listen(progress)
        assert progress.done(progress.rows[0]) == 2
        say.write('te": "interrupted", "done": 4}\n')
    watched.listen(progress)
    assert progress.done(progress.rows[0]) == 4
    assert watched.left(progress) == ["r"]
    with task.says(1).open("w") as say:
        say.write('\0\0{"folder": "r", "sta\n')
        write(say, news(6, "done"))
    watched.listen(progress)
    watched.listen(progress)
    assert progress.done(progress.rows[0]) == 10
    assert watched.left(progress) == []


def test_of_a_job_found_running_only_what_follows_counts(tmp_path):
    progress = Progress([Row("arm", "r", 10, 4)])
    task = Task(tmp_path, 0, ("r",))
    with task.says(0).open("w") as say:
        write(say, news(4))
    watched = Watched(task, frozenset("r"), "5_0", attached=True)
    watched.listen(progress)
    assert progress.done(progress.rows[0]) == 4
    with task.says(0).open("a") as say:
        write(say, news(7))
    watched.listen(progress)
    assert progress.done(progress.rows[0]) == 7


def test_what_a_job_is_belongs_to_the_launcher(tmp_path):
    for given, named in (
        ({"nodes": 2}, "nodes"),
        ({"additional_parameters": {"signal": "TERM"}}, "signal"),
        ({"additional_parameters": {"open_mode": "truncate"}}, "open_mode"),
        ({"additional_parameters": {"clusters": "b"}}, "clusters"),
        ({"additional_parameters": "x"}, "additional_parameters"),
        ({"setup": "module load"}, "setup"),
    ):
        with pytest.raises(InputError, match=named):
            settled("n", tmp_path, given, SlurmSettings())
    made = settled(
        "n", tmp_path, {"setup": ["module load x"], "signal_delay_s": 60}, SlurmSettings(requeues=0)
    )
    assert made["setup"][-1] == "module load x"
    assert made["additional_parameters"]["signal"] == "B:USR2@60"
    assert made["additional_parameters"]["no-requeue"] is True


def test_an_array_is_asked_for_in_submitits_words(site, tmp_path, monkeypatch):
    site("sbatch", "Submitted batch job 42\n")
    monkeypatch.setenv("SLURM_RESTART_COUNT", "3")
    asking = executor(
        tmp_path, {"partition": "gpu", "timeout_min": 90, "mem_gb": 2, "qos": None, "use_srun": False}
    )
    assert asking.array(3, ["python", "-m", "a b"]) == "42"
    script = (tmp_path / "42_submission.sh").read_text()
    for line in ("--partition=gpu", "--time=90", "--mem=2GB", "--array=0-2%3"):
        assert f"#SBATCH {line}\n" in script
    assert "qos" not in script
    assert "exec python -m 'a b'\n" in script
    for name in ("SBATCH_JOB_NAME", "SBATCH_NO_REQUEUE", "SBATCH_ACCOUNT"):
        monkeypatch.setenv(name, "x")
    asked = asking._make_submission_command(tmp_path)
    assert asked[:3] == ["env", "-u", "SLURM_RESTART_COUNT"]
    assert asked[3:7] == ["-u", "SBATCH_JOB_NAME", "-u", "SBATCH_NO_REQUEUE"]
    assert "SBATCH_ACCOUNT" not in asked
    with pytest.raises(InputError, match=r"(?s)partitoin.*Valid parameters.*- partition"):
        executor(tmp_path, {"partitoin": "gpu"})
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(InputError, match="no srun and sbatch on this machine"):
        executor(tmp_path, {})


def test_a_rejection_names_sbatchs_words(site, tmp_path):
    site("sbatch", "sbatch: error: invalid partition specified: nope", 1)
    with pytest.raises(Exception, match="invalid partition specified: nope"):
        executor(tmp_path, {}).array(1, ["true"])
    site("sbatch", "Submitted nothing of the kind")
    with pytest.raises(Exception, match="Submitted nothing of the kind"):
        executor(tmp_path, {}).array(1, ["true"])
    assert "nothing was submitted" in str(RejectedError("no", []))


def test_settings_are_checked_by_name():
    shipped = {
        "_target_": "x",
        "_convert_": "all",
        "watch": {"every": 1, "follow": False},
        "casts": {"a": {"mem_gb": 2}},
    }
    found = launcher_settings(SlurmSettings, shipped)
    assert (found.watch.every, found.watch.follow, found.watch.settle) == (1.0, False, 30.0)
    for wrong, named in (
        ({"runs_per_job": 0}, "runs_per_job"),
        ({"workers": 2}, "workers"),
        ({"watch": {"evry": 1}}, "watch.evry"),
    ):
        with pytest.raises(InputError, match=f"hydra.launcher.{named}"):
            launcher_settings(SlurmSettings, wrong)


def test_an_order_is_written_down_before_anything_is_submitted(tmp_path):
    batches = Batches(tmp_path / "an odd name")
    with batches.locked():
        batch = batches.new([order("x")], 7, 2.0)
    folder = batches.folder / batch.name
    assert json.loads((folder / "batch.json").read_text())["array"] == ""
    assert json.loads((folder / "0.order.json").read_text())["runs"][0]["folder"] == "x"
    assert "," not in batch.name
    assert " " not in batch.name
