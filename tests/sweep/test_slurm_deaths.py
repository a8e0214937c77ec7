"""Sweeps on a real SLURM cluster whose daemons and nodes die: nothing is lost, nothing there twice, no driver hangs."""

import json

import pytest
from long import LONG
from sweep.command import home, madbench, run_of
from sweep.slurm_site import Site, ended, missing, wait_for
from sweep.test_kills import kept, paid_twice, rows_twice
from tracking import wandb_file

pytestmark = [
    LONG,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(missing()), reason=f"no SLURM here: {missing()} not found"),
    pytest.mark.xdist_group("slurm"),
]
EPISODES = 300
SWEEP = ("-m", "protocol=debate", "seed=0,1", f"task.n={EPISODES}", "model@cast.default=slow")
LASTING = ("hydra.launcher.concurrency=8", "hydra.launcher.runs_per_job=1")
"""A job a run, of a quarter of a minute: none is over when something dies."""
WAITING = ("-m", "protocol=waiting")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    found = Site(tmp_path_factory.mktemp("site"))
    found.script("up", "3", EXTRA="SlurmdTimeout=10")
    yield found
    found.script("up")  # a daemon that was killed ends its jobs when it is back
    found.script("down")


@pytest.fixture(autouse=True)
def whole(site):
    """All daemons are there when a test begins."""
    site.script("up")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The sweep in one process of this machine."""
    folder = tmp_path_factory.mktemp("undisturbed")
    done = madbench(folder, *SWEEP)
    assert done.returncode == 0, done.err
    return kept(folder)


def starts(folder, run="*"):
    """Where each start of a job played a run: `1_0 on n2`, …"""
    logs = [file.read_text() for file in (home(folder) / "runs").glob(f"{run}/run.log")]
    lines = [line for log in logs for line in log.splitlines() if "SLURM job" in line]
    return [line.partition("SLURM job ")[2].partition(",")[0] for line in lines]


def printed(folder):
    return "\n".join(file.read_text() for file in (home(folder) / "slurm").glob("*/*.log"))


def playing(folder, share=0.2):
    """Whether so much of every run is there, and not yet all."""
    shards = [file.read_text().count("\n") for file in home(folder).glob("runs/*/shards/*.jsonl")]
    assert all(count < EPISODES for count in shards), "too late"
    return len(shards) == 2 and min(shards) >= share * EPISODES


def began(site, folder):
    """A driver, two of whose jobs play; the node of one of them."""
    driver = site.start(folder, *SWEEP, *LASTING)
    wait_for(lambda: playing(folder))
    return driver, starts(folder)[0].split()[-1]


def same(folder, undisturbed):
    """Every row once, and equal in all but time, host and attempt; no completion generated twice."""
    assert kept(folder) == undisturbed
    assert set(undisturbed[0].values()) == {1}
    assert len(undisturbed[0]) == 2 * EPISODES
    assert rows_twice(folder) == paid_twice(folder) == 0
    spent = json.loads((home(folder) / "summary.json").read_text())
    assert spent["arms"][0]["metrics"]["accuracy"]["n"] == EPISODES


def test_a_nodes_daemon_dies_and_its_job_goes_on(site, tmp_path, undisturbed):
    driver, node = began(site, tmp_path)
    site.kill(f"slurmd-{node}")
    wait_for(lambda: playing(tmp_path, 0.4))
    site.script("up")
    done = ended(driver)
    assert done.returncode == 0, done.err
    assert len(starts(tmp_path)) == 2
    same(tmp_path, undisturbed)


def test_a_node_dies_and_comes_back(site, tmp_path, undisturbed):
    driver, node = began(site, tmp_path)
    site.kill_node(node)
    with site.releasing():
        site.script("up")
        done = ended(driver)
    assert done.returncode == 0, done.err
    assert len(starts(tmp_path)) == 3
    same(tmp_path, undisturbed)


def test_a_node_dies_for_good(site, tmp_path, undisturbed):
    driver, node = began(site, tmp_path)
    site.kill_node(node)
    with site.releasing():
        done = ended(driver)
    assert done.returncode == 0, done.err
    assert len(starts(tmp_path)) == 3
    assert sum(start.endswith(node) for start in starts(tmp_path)) == 1
    same(tmp_path, undisturbed)


def test_a_node_is_out_of_reach_while_its_job_goes_on(site, tmp_path):
    """The job's further starts ask for more turns than it has: those are for warnings."""
    driver = site.start(tmp_path, *WAITING, "hydra.launcher.requeues=1")
    wait_for(lambda: starts(tmp_path))
    site.kill(f"slurmd-{starts(tmp_path)[0].split()[-1]}")
    asked = "is running this config; wait for it\nasking for another turn"
    with site.releasing():
        wait_for(lambda: printed(tmp_path).count(asked) > 1)
        assert driver.poll() is None
        (tmp_path / "kills_waits" / "go").touch()
        done = ended(driver)
    assert done.returncode == 0, done.err
    found, _ = kept(tmp_path)
    assert (len(found), set(found.values())) == (12, {1})
    assert rows_twice(tmp_path) == paid_twice(tmp_path) == 0


def test_the_controller_dies_and_comes_back(site, tmp_path, undisturbed):
    driver, _ = began(site, tmp_path)
    site.kill("slurmctld")
    late = site.madbench(tmp_path, *SWEEP, *LASTING)
    assert late.returncode == 2
    assert "cannot ask for what is there" in late.err
    site.script("up")
    done = ended(driver)
    assert "SLURM does not answer" in done.out
    assert done.returncode == 0, done.err
    same(tmp_path, undisturbed)


def test_a_requeued_run_keeps_its_wandb_id(site, tmp_path):
    def tracked(*given):
        return site.start(tmp_path, *WAITING, "tracking=wandb", *given, WANDB_MODE="offline")

    few = ended(tracked("limit=4"))
    assert few.returncode == 0, few.err
    (before,) = wandb_runs(tmp_path)
    driver = tracked()
    wait_for(lambda: len(starts(tmp_path)) == 2)
    with site.releasing():
        site.slurm("scontrol", "requeue", starts(tmp_path)[-1].split()[0])
        wait_for(lambda: len(starts(tmp_path)) == 3)
        (tmp_path / "kills_waits" / "go").touch()
        done = ended(driver)
    assert done.returncode == 0, done.err
    (after,) = wandb_runs(tmp_path)
    id = json.loads((run_of(tmp_path, "waiting") / "tracking.json").read_text())["id"]
    assert (before, after) == ((id, 4), (id, 12))


def wandb_runs(folder):
    """Id and number of rows of every offline run."""
    return [(id, run.summary["rows_total"]) for id, run in wandb_file.offline_runs(home(folder)).items()]
