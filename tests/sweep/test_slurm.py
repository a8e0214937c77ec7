"""Sweeps on a real SLURM cluster: jobs raise, die, lose their place, run out of time; drivers die; nothing is lost."""

import json
import re
import signal
import subprocess
import sys

import pytest
import yaml
from sweep.command import HERE, home, importable, madbench, rows, run_of, summary
from sweep.slurm_site import QUICK, SCRIPT, Site, ended, missing, wait_for

from madbench.sweep.slurm import queue

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=f"no SLURM here: {missing()} not found"),
    pytest.mark.xdist_group("slurm"),
]
ONE_EACH = "hydra.launcher.runs_per_job=1"
SMOKE = SCRIPT.with_name("smoke")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    found = Site(tmp_path_factory.mktemp("site"))
    found.script("up", "6", EXTRA="MaxArraySize=7")
    yield found
    found.script("down")


def log(folder, arm):
    found = list((home(folder) / "runs").glob(f"synthetic-{arm}-*/run.log"))
    return found[0].read_text() if found else ""


def starts(folder, arm):
    return log(folder, arm).count("SLURM job")


def batches(folder):
    return sorted((home(folder) / "slurm").glob("*/batch.json"))


def go(folder, name):
    (folder / "kills_waits").mkdir(exist_ok=True)
    (folder / "kills_waits" / name).touch()


def task_of(folder, arm):
    """The last job that a run was given to."""
    return log(folder, arm).rpartition("SLURM job ")[2].split()[0]


def shown(site, job):
    text = site.slurm("scontrol", "-o", "show", "job", job)
    return dict(word.partition("=")[::2] for word in text.split())


def node_of(site, job):
    """Where a job runs; none while it waits for a node, as one does that was warned of its end and goes on later."""
    told = shown(site, job)
    return told["JobState"] == "RUNNING" and told["NodeList"]


def held(folder, arm):
    """Whether a waiting protocol has played what it may and holds the rest."""
    runs = list((home(folder) / "runs").glob(f"synthetic-{arm}-*"))
    return runs and len(rows(runs[0])) >= 4


SIX = "protocol=cot,cot_sampled,raising,killing,preempted,timed"


def test_six_jobs_of_which_one_raises_one_is_killed_one_preempted_and_one_out_of_time(site, tmp_path):
    local = tmp_path / "local"
    local.mkdir()
    go(local, "go_preempted")
    go(local, "go_timed")
    pooled = madbench(local, "-m", SIX)
    assert pooled.returncode == 1, pooled.err

    with site.releasing():
        short = ("hydra.launcher.job.timeout_min=2", "hydra.launcher.job.signal_delay_s=100")
        driver = site.start(tmp_path, "-m", SIX, ONE_EACH, *short)
        wait_for(lambda: held(tmp_path, "preempted") and held(tmp_path, "timed"))
        before = starts(tmp_path, "preempted")
        node = wait_for(lambda: node_of(site, task_of(tmp_path, "preempted")))
        site.slurm("sbatch", "-p", "high", "-w", node, "-c", "2", "-o", "/dev/null", "--wrap", "sleep 2")
        wait_for(lambda: starts(tmp_path, "preempted") > before)
        go(tmp_path, "go_preempted")
        wait_for(lambda: starts(tmp_path, "timed") > 1)
        go(tmp_path, "go_timed")
        first = ended(driver)
    assert first.returncode == 1, first.err
    assert "failed: raising: ZeroDivisionError: wrong on purpose" in first.err
    assert "exit code 0:9" in first.out
    assert "submitted again" in first.out
    assert "warned of the end" in (run_of(tmp_path, "timed") / "job.log").read_text()
    raising = json.loads((run_of(tmp_path, "raising") / "status.json").read_text())
    assert raising["state"] == "failed"
    assert "Traceback" in raising["traceback"]
    for arm in ("cot", "cot_sampled", "killing", "preempted", "timed"):
        assert rows(run_of(tmp_path, arm)) == rows(run_of(local, arm)), arm
        (run_of(tmp_path, arm) / "records.parquet").stat()
    shown_by = {
        where: {arm["arm"]: arm["metrics"]["accuracy"] for arm in summary(where)["arms"]}
        for where in (local, tmp_path)
    }
    assert shown_by[local] == shown_by[tmp_path]
    assert len(shown_by[local]) == 6

    again = site.madbench(tmp_path, "-m", SIX, ONE_EACH)
    assert again.returncode == 1
    assert "5 of them finished before" in again.out
    assert "1 jobs, submitted" in again.out
    assert rows(run_of(tmp_path, "killing")) == rows(run_of(local, "killing"))


def test_a_dead_job_ends_its_driver_and_is_told_in_its_folder(site, tmp_path):
    ended_ = site.madbench(tmp_path, "-m", "protocol=deadly,cot", ONE_EACH, "hydra.launcher.resubmits=0")
    assert ended_.returncode == 1
    assert "failed: deadly: SLURM job" in ended_.err
    status = json.loads((run_of(tmp_path, "deadly") / "status.json").read_text())
    assert status["state"] == "failed"
    assert "exit code 0:9, on n" in status["error"]
    assert "exit code 0:9, on n" in log(tmp_path, "deadly")
    assert [arm["arm"] for arm in summary(tmp_path)["arms"]] == ["cot"]
    assert len(batches(tmp_path)) == 1


def test_drivers_come_and_go_while_jobs_run(site, tmp_path):
    sweep = ("-m", "protocol=waiting")
    two = [site.start(tmp_path, *sweep) for _ in range(2)]
    wait_for(lambda: held(tmp_path, "waiting"))
    assert len(batches(tmp_path)) == 1
    two[0].kill()
    two[0].communicate()
    two[1].send_signal(signal.SIGINT)
    left = ended(two[1])
    job = task_of(tmp_path, "waiting")
    array = job.partition("_")[0]
    assert left.returncode == 75
    assert f"1 RUNNING ({array}_[0])" in left.out
    assert f"To end them: scancel {array}_[0]" in left.out
    assert site.queue()[job] == "RUNNING"

    third = site.start(tmp_path, *sweep, "hydra.launcher.on_interrupt=cancel")
    wait_for(lambda: "followed from here" in third.stdout.readline())
    third.send_signal(signal.SIGINT)
    cancelled = ended(third)
    assert cancelled.returncode == 75
    assert f"cancelled {array}_[0]" in cancelled.out
    wait_for(lambda: job not in site.queue())
    run = run_of(tmp_path, "waiting")
    assert json.loads((run / "status.json").read_text())["state"] == "interrupted"
    before = rows(run)
    assert before

    go(tmp_path, "go")
    last = site.madbench(tmp_path, *sweep)
    assert last.returncode == 0, last.err
    assert len(batches(tmp_path)) == 2
    after = rows(run)
    assert len(after) == len({str(row["id"]) for row in after}) == 12
    assert all(row in after for row in before)


def test_arrays_are_chunked_and_jobs_get_what_they_ask_for(site, tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_CONF", site.variables["SLURM_CONF"])
    assert queue.max_array() == 7
    done = site.madbench(
        tmp_path, "-m", "protocol=cot", "seed=0,1,2", ONE_EACH, "hydra.launcher.max_array=2",
        "hydra.launcher.job.gpus_per_node=1", "hydra.launcher.job.setup=['export MADBENCH_SITE=here']",
    )  # fmt: skip
    assert done.returncode == 0, done.err
    assert sorted(len(json.loads(file.read_text())["tasks"]) for file in batches(tmp_path)) == [1, 2]
    for run in (home(tmp_path) / "runs").iterdir():
        manifest = json.loads((run / "manifest.json").read_text())
        assert manifest["environment"]["MADBENCH_SITE"] == "here"
        assert manifest["environment"]["CUDA_VISIBLE_DEVICES"] in ("0", "1")
        assert manifest["environment"]["SLURM_JOB_PARTITION"] == "main"


def test_a_rejected_submission_says_what_was_submitted_before_it(site, tmp_path):
    sweep = ("-m", "protocol=waiting", "model@cast.default=simulated,slow")
    refused = site.madbench(
        tmp_path, *sweep, "+hydra.launcher.casts.slow.partition=zzz", "hydra.launcher.job.partition=main"
    )
    assert refused.returncode == 2
    assert "invalid partition specified: zzz" in refused.err
    (job,) = site.queue()
    array = job.partition("_")[0]
    assert f"submitted before it: array {array} (1 jobs)" in refused.err
    assert f"`scancel {array}`" in refused.err
    go(tmp_path, "go")
    done = site.madbench(tmp_path, *sweep)
    assert done.returncode == 0, done.err
    assert len(yaml.safe_load((run_of(tmp_path, "waiting-simulated") / "config.yaml").read_text())) > 1
    assert sum(len(json.loads(file.read_text())["array"]) > 0 for file in batches(tmp_path)) == 2


@pytest.fixture
def cancelling(tmp_path):
    """A site that ends what it preempts, with nothing but SIGTERM."""
    found = Site(tmp_path / "site")
    found.folder.mkdir()
    found.script("up", "1", EXTRA="PreemptMode=CANCEL\nSlurmctldParameters=idle_on_node_suspend")
    yield found
    found.script("down")


def test_what_a_site_cancels_for_others_is_submitted_again(cancelling, tmp_path):
    driver = cancelling.start(tmp_path, "protocol=preempted")
    wait_for(lambda: held(tmp_path, "preempted"))
    first = task_of(tmp_path, "preempted")
    cancelling.slurm("sbatch", "-p", "high", "-c", "2", "-o", "/dev/null", "--wrap", "sleep 2")
    wait_for(lambda: task_of(tmp_path, "preempted") != first)
    assert shown(cancelling, first)["JobState"] == "PREEMPTED"
    go(tmp_path, "go_preempted")
    done = ended(driver)
    assert done.returncode == 0, done.err
    assert f"SLURM job {first} lost its place, and was not requeued (PREEMPTED" in done.out
    assert len(rows(run_of(tmp_path, "preempted"))) == 12


def test_a_sweeper_hears_its_objective_of_every_job(site, tmp_path):
    batches = ["hydra/sweeper=listening", 'hydra.sweeper.batches=[["seed=0","seed=1"],["seed=0"]]']
    driver = site.start(
        tmp_path,
        "-m",
        "protocol=cot",
        "objective=accuracy",
        *batches,
        PYTHONPATH=importable(HERE, HERE / "plugins"),
    )
    done = ended(driver)
    assert done.returncode == 0, done.err
    told = {one["seed"]: one["metrics"]["accuracy"]["value"] for one in summary(tmp_path)["arms"]}
    heard = [json.loads(words[6:]) for words in done.out.splitlines() if words.startswith("HEARD ")]
    assert heard == [[told[0], told[1]], [told[0]]]


def test_the_smoke_script_tells_which_nodes_played(site, tmp_path):
    env = {**site.environment(), "PYTHON": sys.executable}
    done = subprocess.run(
        [SMOKE, *QUICK], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"smoke: 6 runs done on \d nodes \((n\d(, )?)+\)", done.stdout.splitlines()[-1])
