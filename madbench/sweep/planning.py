"""From composed configs to runs that are known to be startable: all that can be refused is refused here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from madbench.records.layout import RunFolder, run_name
from madbench.report.baselines import published_by
from madbench.run.job import Job, RunName, samples_of
from madbench.sweep.building import Built, build
from madbench.sweep.checks import check, check_models, refuse_idle_roles
from madbench.sweep.configs import JobConfig
from madbench.sweep.identity import config_hash, facts_of, protocol_file
from madbench.sweep.naming import arm_names, cast_name, ending, suffixes
from madbench.sweep.objectives import refuse_unknown
from madbench.sweep.settings import Trusted
from madbench.types import InputError


@dataclass(frozen=True, slots=True)
class Planned:
    """One run of a sweep. `facts` are what its config hash is over."""

    config: JobConfig
    built: Built
    name: RunName
    folder: RunFolder
    facts: Mapping[str, JsonValue]

    @property
    def id(self) -> str:
        """What workers and supervisor call this run by."""
        return str(self.folder.path)

    @property
    def job(self) -> Job:
        extent, built = self.config.extent, self.built
        return Job(
            folder=self.folder,
            task=built.task,
            protocol=built.protocol,
            defaults=built.defaults,
            seed=extent.seed,
            epochs=extent.epochs,
            limit=extent.limit,
            name=self.name,
        )

    @property
    def episodes(self) -> int:
        """How many rows are in view."""
        return len(samples_of(self.built.task)[: self.config.extent.limit]) * self.config.extent.epochs

    @property
    def group(self) -> str:
        """Equal for runs whose casts have equal settings: they share one worker."""
        return json.dumps(self.config.parts.cast, sort_keys=True)


def plan(configs: Sequence[JobConfig]) -> list[Planned]:
    """Check every job of a sweep and name its folder. Raises InputError before any weight is loaded."""
    for config in configs:
        published_by(config.extent.published)
        refuse_unknown(config.extent.objective, config.parts)
    built = [build(config) for config in configs]
    refuse_idle_roles(built)
    check_models(built)
    for job in built:
        check(job, samples_of(job.task))
    runs = [_planned(*job) for job in zip(configs, built, _names(configs, built), strict=True)]
    _refuse_twins(runs)
    return runs


def restore(config: JobConfig, name: RunName, path: Path, trusted: Trusted = None) -> Planned:
    """A run of an earlier plan, in another process; its facts are written down in its folder."""
    return Planned(config, build(config, trusted), name, RunFolder(path), {})


def _names(configs: Sequence[JobConfig], built: Sequence[Built]) -> list[RunName]:
    tasks = [one.choices.get("task", job.task.name) for one, job in zip(configs, built, strict=True)]
    casts = [cast_name(one.choices, job.cast) for one, job in zip(configs, built, strict=True)]
    files = [protocol_file(job.protocol) for job in built]
    more = zip(suffixes(configs, "task"), suffixes(configs, "cast"), strict=True)
    return [
        RunName(arm, task + of_task, file, cast + of_cast)
        for arm, task, file, cast, (of_task, of_cast) in zip(
            arm_names(configs), tasks, files, casts, more, strict=True
        )
    ]


def _planned(config: JobConfig, built: Built, name: RunName) -> Planned:
    seed = config.extent.seed
    facts = facts_of(built, samples_of(built.task), seed)
    key = config_hash(facts)
    folder = run_name(task=name.task, arm=name.arm, cast=name.cast, seed=seed, config_hash=key)
    path = _started_before(config.home / "runs", ending(seed, key)) or config.home / "runs" / folder
    return Planned(config, built, name, RunFolder(path), facts)


def _started_before(runs: Path, end: str) -> Path | None:
    """The folder of an equal config, whatever its arm was called then."""
    try:
        return min(runs.glob(f"*-{end}"), default=None)
    except OSError as error:
        raise InputError(f"output_root: cannot look into {runs}: {error.strerror}") from error


def _refuse_twins(runs: Sequence[Planned]) -> None:
    seen: dict[str, Planned] = {}
    for run in runs:
        if (twin := seen.setdefault(run.id, run)) is not run:
            both = " and ".join(repr(" ".join(one.config.overrides)) for one in (twin, run))
            raise InputError(f"sweep: {both} are the same run; leave one out")
