"""A real SLURM cluster on this machine, and sweeps on it."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
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
        env = {**environment(folder), **self.variables, **variables}
        return subprocess.Popen(
            line(folder, *QUICK, *arguments), cwd=folder, env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def madbench(self, folder, *arguments):
        return ended(self.start(folder, *arguments))

    def kill(self, daemon):
        """Without a warning. `daemon` is slurmctld, or slurmd-n1 and its like; its jobs go on."""
        pid = (self.folder / "pids" / daemon).read_text().strip()
        os.kill(int(pid), signal.SIGKILL)
        wait_for(lambda: not variables_of(pid))

    def kill_node(self, node):
        """Its daemon, so that it tells nobody, then its jobs, each with the daemon that watches over it."""
        self.kill(f"slurmd-{node}")
        jobs = self.processes(node)
        assert jobs
        for pid in jobs:
            for victim in (parent(pid), pid):
                os.kill(int(victim), signal.SIGKILL)
        wait_for(lambda: not self.processes(node))

    def processes(self, node=""):
        """What runs on a node, or on any, that its own step daemon started."""
        ours = f"SLURM_CONF={self.folder / 'slurm.conf'}"
        pids = [entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        there = [pid for pid in pids if ours in variables_of(pid) and "slurmstepd" in name_of(parent(pid))]
        return [pid for pid in there if node in ("", node_of(pid))]

    def players(self):
        """Processes on any node that play runs."""
        return [pid for pid in self.processes() if "madbench.sweep.slurm.job" in words_of(pid)]

    def tell(self, number):
        for player in self.players():
            with suppress(ProcessLookupError):
                os.kill(int(player), number)

    @contextmanager
    def playing(self):
        """Jobs stand still but for this: a small sweep would be over before a driver or a daemon is there again."""
        self.tell(signal.SIGCONT)
        try:
            yield
        finally:
            self.tell(signal.SIGSTOP)

    def clear(self):
        """End all jobs, without a warning."""
        self.tell(signal.SIGKILL)
        if jobs := self.queue():
            self.slurm("scancel", *jobs)
        wait_for(lambda: not self.queue() and not self.processes())

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


def variables_of(pid):
    """The environment that a process was started with; nothing of one that has ended."""
    try:
        return set(Path(f"/proc/{pid}/environ").read_text(errors="replace").split("\0")) - {""}
    except OSError:
        return set()


def node_of(pid):
    """The node that SLURM started a process on."""
    found = [word.partition("=")[2] for word in variables_of(pid) if word.startswith("SLURMD_NODENAME=")]
    return found[0] if found else None


def words_of(pid):
    """A process' command line; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def status_of(pid, field):
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return ""
    return next(line.split()[1] for line in lines if line.startswith(f"{field}:"))


def name_of(pid):
    return status_of(pid, "Name")


def parent(pid):
    return status_of(pid, "PPid")


def ended(process, seconds=540):
    """Wait for a command; the process with its output."""
    process.out, process.err = process.communicate(timeout=seconds)
    return process
