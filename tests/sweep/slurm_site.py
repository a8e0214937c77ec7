"""A real SLURM cluster on this machine, and sweeps on it."""

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from sweep.command import environment, line

SCRIPT = Path(__file__).parents[2] / "slurm" / "dev_cluster.sh"
QUICK = (
    "hydra/launcher=slurm", "hydra.launcher.job.mem_gb=0.2", "hydra.launcher.job.cpus_per_task=2",
    "hydra.launcher.watch.every=0.5", "hydra.launcher.watch.settle=2", "hydra.launcher.watch.report=0.5",
)  # fmt: skip
"""As in production, but for the times."""


def missing():
    """What a machine lacks to be a cluster; nothing where all is there."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    needed = ("slurmctld", "slurmd", "munged", "sbatch", "squeue")
    return ", ".join(name for name in needed if shutil.which(name, path=path) is None)


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    return found


@dataclass(frozen=True)
class Site:
    """A cluster whose files are in `folder`."""

    folder: Path

    @property
    def variables(self):
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def environment(self):
        return {**os.environ, **self.variables}

    def script(self, verb, *arguments, **variables):
        command = [str(SCRIPT), verb, str(self.folder), *arguments]
        subprocess.run(
            command, env={**os.environ, **variables}, check=True, timeout=120, stdout=subprocess.DEVNULL
        )

    def slurm(self, *command):
        asked = subprocess.run(
            command,
            env={**os.environ, **self.variables},
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return asked.stdout

    def queue(self):
        """Jobs that have not ended: state by id."""
        return dict(row.split("|") for row in self.slurm("squeue", "-h", "-r", "-o", "%i|%T").splitlines())

    def start(self, folder, *arguments, **variables):
        return subprocess.Popen(
            line(folder, *QUICK, *arguments), cwd=folder, env=environment(folder) | self.variables | variables,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def madbench(self, folder, *arguments):
        return ended(self.start(folder, *arguments))

    @contextmanager
    def releasing(self):
        """Requeued jobs do not wait for the two minutes that SLURM gives them."""
        done = Event()

        def release():
            while not done.wait(1.0):
                self.script("release")

        thread = Thread(target=release)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def ended(process, seconds=540):
    """Wait for a command; the process with its output."""
    process.out, process.err = process.communicate(timeout=seconds)
    return process
