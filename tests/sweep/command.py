"""The command line as a user has it: a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BASE = ("task=synthetic", "task.n=12", "model@cast.default=simulated", "tracking=none", "name=trial")


def environment(folder):
    kills = Path(folder) / "kills"
    kills.mkdir(exist_ok=True)
    return {**os.environ, "PYTHONPATH": importable(HERE), "KILLS": str(kills), "WANDB_MODE": "disabled"}


def importable(*folders):
    """A module path of folders, before what is on it anyway."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def line(folder, *arguments):
    chosen = {argument.partition("=")[0] for argument in arguments}
    base = [argument for argument in BASE if argument.partition("=")[0] not in chosen]
    conf = ["--config-dir", str(HERE / "conf")]
    return [sys.executable, "-m", "madbench", *conf, *arguments, *base, f"output_root={folder}/out"]


def start(folder, *arguments, **variables):
    return subprocess.Popen(
        line(folder, *arguments), cwd=folder, env=environment(folder) | variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def madbench(folder, *arguments):
    """Run to the end; the process with its output."""
    process = start(folder, *arguments)
    process.out, process.err = process.communicate(timeout=480)
    return process


def home(folder):
    return Path(folder) / "out" / "trial"


def summary(folder):
    return json.loads((home(folder) / "summary.json").read_text())


def run_of(folder, arm):
    (found,) = (home(folder) / "runs").glob(f"synthetic-{arm}-*")
    return found


def rows(run):
    lines = [json.loads(line) for shard in sorted((run / "shards").glob("*.jsonl")) for line in shard.open()]
    return sorted((drop(row) for row in lines), key=lambda row: str(row["id"]))


def drop(row):
    """A row without what may differ between two runs of one config."""
    return {key: value for key, value in row.items() if key != "effort"}
