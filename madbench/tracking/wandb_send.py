"""Run as a process: sends the run that it reads from standard input, prints the row ids that it finds written."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from pydantic import JsonValue, TypeAdapter

if TYPE_CHECKING:
    from wandb import Run

TABLE = "samples"
OURS = {
    "project": "WANDB_PROJECT",
    "entity": "WANDB_ENTITY",
    "group": "WANDB_RUN_GROUP",
    "job_type": "WANDB_JOB_TYPE",
    "name": "WANDB_NAME",
}
"""What is ours to say unless the environment says it. Never the id: runs would flow into one."""


class Rows(TypedDict):
    columns: list[str]
    rows: list[list[JsonValue]]
    total: int


class Content(TypedDict):
    id: str
    group: str
    job_type: str
    name: str
    project: str
    entity: str | None
    config: dict[str, JsonValue]
    summary: dict[str, JsonValue]
    table: Rows
    files: list[str]


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    content = TypeAdapter(Content).validate_json(sys.stdin.read())
    print(json.dumps({"found": send(content)}), file=out)


def send(content: Content) -> list[str]:
    """One W&B run: config, estimates as its summary, one table, one artifact. Returns the row ids read back."""
    import wandb

    with wandb.init(id=content["id"], resume="allow", config=content["config"], **_said(content)) as run:
        table = content["table"]
        run.log({TABLE: wandb.Table(columns=table["columns"], data=table["rows"])})
        run.summary.update(content["summary"])
        _attach(run, content)
        folder = Path(run.dir)
    _drop_older(folder.parent, content["id"])
    return _read_back(folder, table["columns"])


def _said(content: Content) -> Mapping[str, str | None]:
    known: Mapping[str, object] = content
    return {
        name: str(known[name])
        for name, variable in OURS.items()
        if known[name] and not os.environ.get(variable)
    }


def _attach(run: Run, content: Content) -> None:
    """The result files as one artifact, taken from where they lie rather than copied."""
    import wandb

    if not content["files"]:
        return
    artifact = wandb.Artifact(re.sub(r"[^A-Za-z0-9_.-]", "-", content["name"])[:128], type="results")
    for path in content["files"]:
        artifact.add_file(path, policy="immutable", skip_cache=True)
    run.log_artifact(artifact)


def _drop_older(kept: Path, identity: str) -> None:
    """Earlier offline pieces of the same run, of which the last holds everything: services do not join them."""
    for path in kept.parent.glob(f"offline-run-*-{identity}"):
        if path != kept and kept.name.startswith("offline-run-"):
            shutil.rmtree(path, ignore_errors=True)


def _read_back(folder: Path, columns: list[str]) -> list[str]:
    """The ids in the newest table file that W&B wrote."""
    files = sorted(folder.glob(f"media/table/{TABLE}_*.table.json"), key=lambda path: path.stat().st_mtime)
    if not files or "id" not in columns:
        return []
    rows = json.loads(files[-1].read_text(encoding="utf-8"))["data"]
    return [str(row[columns.index("id")]) for row in rows]


if __name__ == "__main__":
    main()
