"""A sweep that is killed while a pool plays it on this machine, or SLURM jobs do, all in the same folder."""

import json
import os
import random
import signal
import time
from contextlib import nullcontext, suppress
from pathlib import Path

from sweep.command import home, start
from sweep.kills import LONGEST
from sweep.slurm_site import node_of, words_of

JOBS = "hydra.launcher.runs_per_job=3"
"""The first three arms draw the same first answers: jobs side by side may both pay for what they ask at once."""
PATIENCE = 90.0
"""Seconds after which a sweep of jobs whose moment does not come is begun anew."""
AWAY = 0.5
"""Seconds that jobs go on without a daemon, unless they wrote something before."""
CHILD = {"playing": "sweep.worker", "wandb": "wandb_send"}


class Sweep:
    """One command, started as often as it takes, by `site` also as jobs; what of it is alive now."""

    def __init__(self, folder, size, command, site=None):
        self.folder, self.size, self.command, self.site = folder, size, command, site
        self.process, self.summaries, self.jobs = None, 0, False

    def up(self, jobs=False):
        """Running now, as jobs or not, started again if need be."""
        if jobs != self.jobs:
            self.down()
        if self.process is None or self.process.poll() is not None:
            self.ended()
            self.forget()
            self.jobs, self.summaries = jobs, len(list((home(self.folder) / "summaries").glob("*")))
            self.process = self.submitted() if jobs else self.started(start)
        return self.process

    def started(self, start, *arguments):
        return start(self.folder, *self.command, *arguments, WANDB_MODE="offline")

    def submitted(self):
        """A driver whose jobs are submitted, or those of one before it found."""
        driver = self.started(self.site.start, JOBS)
        while (line := driver.stdout.readline()) and not line.startswith("SLURM: "):
            pass
        return driver

    def down(self):
        """Nothing of it runs any more."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.jobs:
            self.site.clear()

    def ended(self):
        if self.process is not None:
            _, told = self.process.communicate()
            assert self.process.returncode in (0, 1, -signal.SIGKILL), told

    def forget(self):
        """Where all runs were sent to W&B, they will be sent again: a phase that is over could not be struck."""
        notes = {
            file: json.loads(file.read_text()) for file in home(self.folder).glob("runs/*/tracking.json")
        }
        if all("sent" in known for known in notes.values()):
            for file, known in notes.items():
                file.write_text(json.dumps({"id": known["id"]}))

    def children(self, module):
        """Processes of the driver that run a module."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):
                found += [int(child) for child in task.read_text().split() if module in words_of(child)]
        return found

    def reached(self, kill):
        """Whether the point has come at which this kill's phase begins, or at which it strikes while playing."""
        if kill.phase in ("playing", "slurm"):
            enough = written(self.folder) >= kill.point * 0.95 * self.size
            return enough and (self.site.players() if self.jobs else self.children(CHILD["playing"]))
        if kill.phase == "merge":
            return any((home(self.folder) / "runs").glob("*/.records.parquet.*"))
        if kill.phase == "report":
            return len(list((home(self.folder) / "summaries").glob("*"))) > self.summaries
        return self.children(CHILD["wandb"])

    def strike(self, kill):
        """Kill without a warning; the phase in which that happened, None where all was over before."""
        self.up(jobs=kill.phase == "slurm")
        with self.site.playing() if self.jobs else nullcontext():
            if not self.came(kill):
                return None
        struck = self.strike_jobs(kill) if self.jobs else self.strike_here(kill)
        return kill.phase if struck else None

    def came(self, kill):
        """Wait for a kill's moment; whether it came."""
        end = time.monotonic() + PATIENCE
        while not self.reached(kill):
            if self.process.poll() is not None:
                return False
            if self.jobs and time.monotonic() > end:
                self.down()
                return False
            time.sleep(0.02 if self.jobs else 0.005)
        time.sleep(kill.point * LONGEST.get(kill.phase, 0.0))
        return True

    def strike_here(self, kill):
        """Whether anything was there to be killed."""
        victims = self.children(CHILD[kill.phase]) if kill.who in ("worker", "sender", "both") else []
        if kill.who in ("driver", "both"):
            victims.append(self.process.pid)
        alive = self.process.poll() is None
        for victim in victims:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        if kill.who in ("driver", "both"):
            self.process.wait()
        return alive and victims

    def strike_jobs(self, kill):
        """Likewise. A daemon is away for a moment, in which jobs go on, and is there again when this returns."""
        if self.process.poll() is not None or not (players := self.site.players()):
            return False
        player = random.Random(kill.point).choice(players)
        if kill.who == "driver":
            self.process.kill()
            self.process.wait()
        elif kill.who == "job":
            os.kill(int(player), signal.SIGKILL)
        else:
            self.site.kill(f"slurmd-{node_of(player)}" if kill.who == "slurmd" else kill.who)
            self.go_on()
            self.site.script("up")
        return True

    def go_on(self):
        """Jobs play a little, without a daemon."""
        before, end = written(self.folder), time.monotonic() + AWAY
        with self.site.playing():
            while written(self.folder) == before and time.monotonic() < end:
                time.sleep(0.005)


def written(folder):
    return sum(shard.stat().st_size for shard in home(folder).glob("runs/*/shards/*.jsonl"))
