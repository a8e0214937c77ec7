"""Run as a process: sends the run that it reads from standard input, prints the row ids that it finds written."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from madbench.tracking.orphans import end_with
from madbench.tracking.parcel import ID, Parcel
from madbench.tracking.wandb_log import has_end

if TYPE_CHECKING:
    from wandb import Run

TABLE = "samples"
FLUSH_S = 20.0
"""How long W&B may take to finish its own file."""
OFFLINE = "offline-run-"
"""Folders of runs that went to no server begin so."""
VARIABLES = {
    "WANDB_PROJECT": "project",
    "WANDB_ENTITY": "entity",
    "WANDB_RUN_GROUP": "group",
    "WANDB_JOB_TYPE": "job_type",
    "WANDB_NAME": "name",
}
"""What is ours to say unless the environment says it. Never the id: all runs would flow into one."""


def main() -> None:
    end_with(int(sys.argv[1]))
    out, sys.stdout = sys.stdout, sys.stderr
    parcel = Parcel.model_validate_json(sys.stdin.read())
    labels = parcel.labels.model_dump(exclude_none=True)
    for variable, name in VARIABLES.items():
        if name in labels:
            os.environ.setdefault(variable, labels[name])
    try:
        print(json.dumps({"found": send(parcel)}), file=out)
    except Exception as error:
        sys.exit(" ".join(f"{type(error).__name__}: {error}".split()))


def send(parcel: Parcel) -> list[str]:
    """One W&B run: config, estimates as its summary, one table, one artifact. Returns the row ids read back.

    Raises OSError where W&B, offline, did not write all of it.
    """
    import wandb

    quiet = wandb.Settings(x_disable_stats=True)
    with wandb.init(
        id=parcel.id, resume="allow", config=parcel.config, allow_val_change=True, settings=quiet
    ) as run:
        run.log(
            {TABLE: wandb.Table(columns=list(parcel.table.columns), data=list(map(list, parcel.table.rows)))}
        )
        run.summary.update(parcel.summary)
        _attach(run, parcel)
        folder = Path(run.dir)
    wandb.teardown()
    _check(folder.parent, parcel.id)
    _drop_older(folder.parent, parcel.id)
    return _read_back(folder, parcel.table.columns)


def _attach(run: Run, parcel: Parcel) -> None:
    """The result files as one artifact, taken from where they lie rather than copied."""
    import wandb

    if not parcel.files:
        return
    artifact = wandb.Artifact(re.sub(r"[^A-Za-z0-9_.-]", "-", parcel.labels.name)[:128], type="results")
    for path in parcel.files:
        artifact.add_file(path, policy="immutable", skip_cache=True)
    run.log_artifact(artifact)


def _check(folder: Path, identity: str) -> None:
    """W&B writes on for a while after a run has ended; of a disk that was full it says nothing."""
    file, end = folder / f"run-{identity}.wandb", time.monotonic() + FLUSH_S
    while folder.name.startswith(OFFLINE) and not has_end(file):
        if time.monotonic() > end:
            raise OSError(f"{file} is not whole: is the disk full?")
        time.sleep(0.1)


def _drop_older(kept: Path, identity: str) -> None:
    """Earlier offline pieces of the same run, of which the last holds everything: services do not join them."""
    for path in kept.parent.glob(f"{OFFLINE}*-{identity}"):
        if path != kept and kept.name.startswith(OFFLINE):
            shutil.rmtree(path, ignore_errors=True)


def _read_back(folder: Path, columns: tuple[str, ...]) -> list[str]:
    """The ids in the newest table file that W&B wrote."""
    files = sorted(folder.glob(f"media/table/{TABLE}_*.table.json"), key=lambda path: path.stat().st_mtime)
    if not files or ID not in columns:
        return []
    rows = json.loads(files[-1].read_text(encoding="utf-8"))["data"]
    return [str(row[columns.index(ID)]) for row in rows]


if __name__ == "__main__":
    main()
