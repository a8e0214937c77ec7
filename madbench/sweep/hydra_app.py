"""The Hydra application: composes configs and hands them to a launcher."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import hydra
from hydra.conf import HydraConf
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from madbench.sweep.configs import JobConfig, conf_folder
from madbench.sweep.endings import BAD_INPUT, DONE, FAILED, FULL_ERROR, OWED, Finished, JobFailed, owe
from madbench.sweep.launcher import job_of, player_of
from madbench.sweep.objectives import Number, Teller
from madbench.sweep.plugins import register
from madbench.types import InputError

WITH_VALUE = frozenset(
    ("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd")
)
"""Hydra's options that are followed by a value."""


def compose_and_launch(arguments: Sequence[str]) -> None:
    """Let Hydra read its arguments, compose, and call the launcher. All that goes wrong is raised, what went wrong
    with a job that its sweeper went on past at the end.
    """
    OWED.set(DONE)
    with _arguments(flags_first(arguments)), _errors_reach_us():
        hydra.main(config_path=str(conf_folder()), config_name="config", version_base="1.3")(each_job())()
    if code := OWED.get():
        raise Finished(code)


def flags_first(arguments: Sequence[str]) -> list[str]:
    """Options before overrides, in their order: Hydra's parser takes them in no other."""
    flags, overrides, rest = list[str](), list[str](), iter(arguments)
    for argument in rest:
        if not argument.startswith("-"):
            overrides.append(argument)
            continue
        flags.append(argument)
        if argument in WITH_VALUE:
            flags += [value for value in [next(rest, None)] if value is not None]
    return [*flags, *overrides]


def each_job() -> Callable[[DictConfig], Number | None]:
    """What launchers that are not ours call for each job, and Hydra itself for a single one.

    Where one process is called for all jobs of a sweep, as under `basic`, its last summary shows them all.
    """
    earlier, teller = list[JobConfig](), Teller()

    def run_one(config: DictConfig) -> Number | None:
        alone = HydraConfig.get().mode is RunMode.RUN
        try:
            job, player = job_of(config, HydraConfig.get()), player_of(_launcher(HydraConfig.get()))
            from madbench.sweep.sweeping import sweep

            swept = sweep([job], player, [one for one in earlier if one != job])
        except InputError as error:
            if alone:
                raise Finished(BAD_INPUT, error) from None
            owe(FAILED)
            raise
        earlier.append(job)
        if swept.code and alone:
            raise Finished(swept.code)
        owe(swept.code)
        objective, end = job.extent.objective, next(iter(swept.ends), None)
        if end is None or isinstance(end, str) or (swept.code and objective is None):
            if swept.code:
                raise JobFailed(end if isinstance(end, str) else f"a job ended with exit code {swept.code}")
            return None
        return teller.number(objective, end)

    return run_one


def _launcher(hydra_config: HydraConf) -> dict[str, object]:
    """The launcher that was chosen, and its settings."""
    launcher = OmegaConf.to_container(hydra_config.launcher, resolve=True)
    assert isinstance(launcher, dict)
    return {str(key): value for key, value in launcher.items()}


@contextmanager
def _arguments(arguments: Sequence[str]) -> Iterator[None]:
    """Hydra reads the process's own arguments."""
    before, sys.argv = sys.argv, ["madbench", *arguments]
    try:
        yield
    finally:
        sys.argv = before


@contextmanager
def _errors_reach_us() -> Iterator[None]:
    """Hydra reports errors itself and exits with 1, unless asked for the full error: then it raises."""
    before = os.environ.get(FULL_ERROR)
    os.environ[FULL_ERROR] = "1"
    register()
    try:
        yield
    finally:
        os.environ.pop(FULL_ERROR)
        if before is not None:
            os.environ[FULL_ERROR] = before
