"""Bringing models and data to a machine before anything runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from madbench.engines.settings import SpokenSettings
from madbench.engines.weights import described
from madbench.records.layout import write_json
from madbench.run.job import samples_of
from madbench.sweep.checks import claim_home
from madbench.sweep.configs import JobConfig
from madbench.sweep.endings import DONE
from madbench.sweep.manifests import versions
from madbench.sweep.planning import plan
from madbench.tasks.hashing import content_hash
from madbench.types import Model, Task

FILE = "prefetch.json"


@runtime_checkable
class Told(Protocol):
    """A task that knows where its data come from."""

    def facts(self) -> dict[str, JsonValue]: ...


def prefetch(jobs: Sequence[JobConfig]) -> int:
    """Check all jobs and bring their models and data here; what was brought, in which revision, is written down in
    the experiment's folder. Raises InputError for what cannot be had.
    """
    runs, told = plan(jobs), list[str]()
    models: dict[str, JsonValue] = {}
    tasks: dict[str, JsonValue] = {}
    for run in runs:
        tasks[run.name.task] = facts_of(run.built.task)
        told.append(f"task {run.name.task}: {len(samples_of(run.built.task))} samples")
        for model in run.built.models:
            models[model.name] = brought(model)
            told.append(f"model {model.name}: here")
    home = jobs[0].home
    claim_home([run.config.home for run in runs])
    write_json(home / FILE, {"fetched": now(), "models": models, "tasks": tasks, "versions": versions()})
    print("\n".join([*dict.fromkeys(told), f"revisions: {home / FILE}"]))
    return DONE


def brought(model: Model) -> dict[str, JsonValue]:
    """Fetch a model's weights, if it has any; what they are."""
    if not isinstance(model, SpokenSettings):
        return {"fingerprint": model.fingerprint()}
    folder: Path = model.weights.fetch().folder
    return {"fingerprint": model.fingerprint(), "weights": described(model.weights), "folder": str(folder)}


def facts_of(task: Task) -> dict[str, JsonValue]:
    """Where a task's samples come from, as far as it says, and a hash of them."""
    samples = samples_of(task)
    facts = dict(task.facts()) if isinstance(task, Told) else {}
    return {**facts, "samples": len(samples), "content": content_hash(samples)}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
