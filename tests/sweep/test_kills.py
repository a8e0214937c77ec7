"""A sweep that is killed again and again, in every phase, and started again by the same command: nothing is lost,
nothing is there twice, and what is kept is what an undisturbed sweep keeps. Where SLURM is installed its episodes are
now and then played by jobs, and drivers, jobs, node daemons and the controller of a cluster are killed as well.

`MADBENCH_KILLS` says how often (20; each adds a hundred episodes), `MADBENCH_KILL_SEED` which kills.
"""

import json
import os
import time
from collections import Counter
from dataclasses import replace

import pytest
from sweep.command import home, start
from sweep.killed import Sweep, written
from sweep.kills import drawn, told
from sweep.slurm_site import Site, missing
from tracking import wandb_file

from madbench.records.layout import RunFolder
from madbench.records.shards import heads_of
from madbench.records.tables import read_records
from madbench.types import Effort

KILLS, SEED = int(os.environ.get("MADBENCH_KILLS", "20")), int(os.environ.get("MADBENCH_KILL_SEED", "0"))
ARMS = ("cot_sampled", "self_refine", "debate", "cot")
EPISODES = 100 * KILLS // len(ARMS)
FEW = "hydra.launcher.concurrency=16"
"""Episodes in flight: they end together, and all of a small sweep's would."""
SWEEP = ("-m", f"protocol={','.join(ARMS)}", f"task.n={EPISODES}", FEW)
TRACKED = ("tracking=wandb", f"tracking.max_rows={EPISODES}")

LEFT = 3
"""Starts within which all is done: the one that saw the last kill may end with 1, for what it could not do."""


@pytest.fixture
def site(tmp_path_factory):
    """A cluster with room for a sweep's jobs beside those of a killed driver, or None where there can be none."""
    if missing():
        yield None
        return
    found = Site(tmp_path_factory.mktemp("site"))
    found.script("up", "4")
    yield found
    found.script("up")  # a daemon that was killed ends its jobs when it is back
    found.script("down")


def kept(folder):
    """Every row of every run by name and id, without time, host and attempt."""
    found = Counter()
    rows = {}
    for run in sorted((home(folder) / "runs").iterdir()):
        for record in read_records(RunFolder(run)):
            key = (run.name, record.id.sample, record.id.epoch)
            found[key] += 1
            rows[key] = replace(record, effort=Effort(0, ""), id=replace(record.id, attempt=0))
    return found, rows


def rows_twice(folder):
    """Rows of one attempt that were written more than once."""
    found = Counter()
    for run in (home(folder) / "runs").iterdir():
        for shard in RunFolder(run).shards():
            found.update((run.name, id) for _, id, _ in heads_of(shard))
    return sum(count - 1 for count in found.values())


def paid_twice(folder):
    lines = [line for file in home(folder).glob("journal/*/*.jsonl") for line in file.open("rb")]
    found = Counter(json.loads(line)[0] for line in lines)
    return sum(count - 1 for count in found.values())


def tracked(folder):
    """Row ids by run, as W&B's own files have them."""
    runs = wandb_file.offline_runs(home(folder)).values()
    tables = [(run, wandb_file.table(home(folder), run)) for run in runs]
    return {
        run.config["arm"]: sorted(row[table["columns"].index("id")] for row in table["data"])
        for run, table in tables
    }


@pytest.mark.slow
@pytest.mark.timeout(5400)
def test_killed_at_random_in_every_phase(tmp_path, site):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    began, struck, missed = time.monotonic(), Counter(), 0
    undisturbed = start(whole, *SWEEP)
    assert undisturbed.wait() == 0, undisturbed.stderr.read()
    sweep = Sweep(cut, written(whole), (*SWEEP, *TRACKED), site)
    for kill in drawn(KILLS, SEED, slurm=site is not None):
        while (phase := sweep.strike(kill)) is None:
            missed += 1
            assert missed <= KILLS, f"{kill} is never reached; {dict(struck)}"
        struck[phase, kill.who] += 1
        print(
            f"{time.monotonic() - began:.0f} s: kill {struck.total()}, {phase} of the {kill.who}", flush=True
        )
    for _ in range(LEFT):
        if (process := sweep.up()).wait() == 0:
            break
    assert process.returncode == 0, process.stderr.read()
    (found, rows), (wanted, undisturbed_rows) = kept(cut), kept(whole)
    lost, doubled = wanted - found, found - wanted
    print(f"\n{KILLS} kills of a sweep of {len(wanted)} episodes: {told(struck)}", end="")
    print(f"; none through SLURM: {missing()} not found" if site is None else "")
    print(f"lost {lost.total()}, doubled {doubled.total()}, written twice {rows_twice(cut)}", end=", ")
    print(f"paid twice {paid_twice(cut)}, misses {missed}, {time.monotonic() - began:.0f} s")
    assert not lost
    assert not doubled
    assert rows_twice(cut) == 0
    assert paid_twice(cut) == 0
    assert rows == undisturbed_rows
    assert sum(struck.values()) == KILLS
    assert not list(home(cut).glob(".*.json.*")) + list(home(cut).glob("runs/*/.*"))
    ids = {
        arm: sorted(f"{sample}/{epoch}" for run, sample, epoch in wanted if f"-{arm}-" in run) for arm in ARMS
    }
    assert tracked(cut) == ids
