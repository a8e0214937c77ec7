"""A sweep that is killed again and again, in every phase, and started again by the same command: nothing is lost,
nothing is there twice, and what is kept is what an undisturbed sweep keeps.

`MADBENCH_KILLS` says how often (20; each adds a hundred episodes), `MADBENCH_KILL_SEED` which kills.
"""

import json
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sweep.command import home, start
from tracking import wandb_file

from madbench.records.layout import RunFolder
from madbench.records.shards import heads_of
from madbench.records.tables import read_records
from madbench.types import Effort

KILLS, SEED = int(os.environ.get("MADBENCH_KILLS", "20")), int(os.environ.get("MADBENCH_KILL_SEED", "0"))
ARMS = ("cot", "cot_sampled", "self_refine", "debate")
EPISODES = 100 * KILLS // len(ARMS)
SWEEP = ("-m", f"protocol={','.join(ARMS)}", f"task.n={EPISODES}")
TRACKED = ("tracking=wandb", f"tracking.max_rows={EPISODES}")
PHASES = {"merge": 0.2, "report": 0.1, "wandb": 0.2}
"""What share of the kills each gets; the others fall while episodes are played."""
WHO = {
    "playing": ("driver", "worker", "both"),
    "merge": ("driver",),
    "report": ("driver",),
    "wandb": ("driver", "sender", "both"),
}
LONGEST = {"merge": 0.6, "report": 0.6, "wandb": 3.0}
"""Seconds after a phase began within which its kill comes, drawn evenly."""


@dataclass(frozen=True)
class Kill:
    """`point` is where in its phase it falls: a share of all rows' bytes while playing, else of that phase's time."""

    phase: str
    who: str
    point: float


def drawn(count, seed):
    """So many kills, those of playing in order of time, the others in any."""
    draws = random.Random(seed)
    later = [phase for phase, share in PHASES.items() for _ in range(round(share * count))]
    kills = [Kill(phase, draws.choice(WHO[phase]), draws.random()) for phase in later]
    draws.shuffle(kills)
    who = [draws.choice(WHO["playing"]) for _ in range(count - len(kills))]
    return [
        Kill("playing", one, point)
        for one, point in zip(who, sorted(draws.random() for _ in who), strict=True)
    ] + kills


class Sweep:
    """One command, started as often as it takes; what of it is alive now."""

    def __init__(self, folder, size):
        self.folder, self.size, self.process, self.summaries = folder, size, None, 0

    def up(self):
        """Running now, started again if need be."""
        if self.process is None or self.process.poll() is not None:
            self.ended()
            self.summaries = len(list((home(self.folder) / "summaries").glob("*")))
            self.process = start(self.folder, *SWEEP, *TRACKED, WANDB_MODE="offline")
        return self.process

    def ended(self):
        if self.process is not None:
            self.process.communicate()
            assert self.process.returncode in (0, 1, -signal.SIGKILL), self.process.returncode

    def children(self, module):
        """Processes of the driver that run a module."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split() if module in words_of(child)]
            except OSError:
                continue
        return found

    def reached(self, kill):
        """Whether the point has come at which this kill's phase begins, or at which it strikes while playing."""
        runs = home(self.folder) / "runs"
        if kill.phase == "playing":
            return written(self.folder) >= kill.point * 0.95 * self.size and self.children("sweep.worker")
        if kill.phase == "merge":
            return any(runs.glob("*/.records.parquet.*"))
        if kill.phase == "report":
            return len(list((home(self.folder) / "summaries").glob("*"))) > self.summaries
        return self.children("wandb_send")

    def strike(self, kill):
        """Kill without a warning; the phase in which that happened, None where all was over before."""
        self.up()
        while not self.reached(kill):
            if self.process.poll() is not None:
                return None
            time.sleep(0.005)
        time.sleep(kill.point * LONGEST.get(kill.phase, 0.0))
        child = {"playing": "sweep.worker", "wandb": "wandb_send"}.get(kill.phase, "nothing")
        victims = self.children(child) if kill.who in ("worker", "sender", "both") else []
        if kill.who in ("driver", "both"):
            victims.append(self.process.pid)
        alive = self.process.poll() is None
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if kill.who in ("driver", "both"):
            self.process.wait()
        return kill.phase if alive and victims else None


def words_of(process):
    return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def written(folder):
    return sum(shard.stat().st_size for shard in home(folder).glob("runs/*/shards/*.jsonl"))


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
@pytest.mark.timeout(3600)
def test_killed_at_random_in_every_phase(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    began, struck, missed = time.monotonic(), Counter(), 0
    undisturbed = start(whole, *SWEEP)
    assert undisturbed.wait() == 0, undisturbed.stderr.read()
    sweep = Sweep(cut, written(whole))
    for kill in drawn(KILLS, SEED):
        while (phase := sweep.strike(kill)) is None:
            missed += 1
            assert missed <= KILLS, f"{kill} is never reached; {dict(struck)}"
        struck[phase, kill.who] += 1
        print(
            f"{time.monotonic() - began:.0f} s: kill {struck.total()}, {phase} of the {kill.who}", flush=True
        )
    while (process := sweep.up()).wait() != 0:
        assert time.monotonic() - began < 3000, process.stderr.read()
    (found, rows), (wanted, undisturbed_rows) = kept(cut), kept(whole)
    lost, doubled = wanted - found, found - wanted
    print(f"\n{KILLS} kills of a sweep of {len(wanted)} episodes: {told(struck)}")
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


def told(struck):
    phases = Counter()
    for (phase, _), count in struck.items():
        phases[phase] += count
    by_whom = ", ".join(f"{phase} of the {who} {count}" for (phase, who), count in sorted(struck.items()))
    return f"{dict(phases)} ({by_whom})"
