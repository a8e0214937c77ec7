"""The Hydra launchers `pool` and `slurm`: all jobs of a sweep at once, in as few model loads as there are casts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.conf import HydraConf
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, JobStatus, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, open_dict, read_write

from madbench.sweep.building import build
from madbench.sweep.configs import JobConfig, read_config
from madbench.sweep.endings import DONE, FAILED, Finished, JobFailed, owe
from madbench.sweep.messages import PoolSettings, launcher_settings
from madbench.sweep.objectives import Teller, optimises, refuse_without
from madbench.sweep.slurm.settings import SlurmSettings

if TYPE_CHECKING:
    from madbench.records.layout import RunFolder
    from madbench.sweep.sweeping import Player, Swept

NAMESPACE = "hydra_plugins.madbench"


class SweepLauncher(Launcher):
    """Composes every job of a sweep and hands them over together."""

    def __init__(self) -> None:
        self._jobs: list[JobConfig] = []
        self._teller = Teller()
        self._context: HydraContext | None = None
        self._config = DictConfig({})

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        self._context, self._config = hydra_context, config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the sweep to its end. Raises Finished unless all went well.

        A sweeper may call this several times: the jobs of earlier calls, finished by then, stay in the summary. One
        with an objective hears each job's number, and is to judge of those that failed; what it proposes twice is run
        once.
        """
        setup_globals()
        jobs = [self._compose(overrides, initial_job_idx + i) for i, overrides in enumerate(job_overrides)]
        objective, sweeper = jobs[0].extent.objective, str(self._config.hydra.sweeper["_target_"])
        refuse_without(objective, sweeper)
        new = once(jobs) if objective else jobs
        swept = self._go_on(new, heard=objective is not None)
        if not swept.ends and optimises(sweeper):
            print("Nothing was run, so the sweeper has no numbers to go on by: these were its first jobs.")
            raise Finished(DONE)
        if objective and swept.ends:  # where sweepers write what they found
            Path(str(self._config.hydra.sweep.dir)).mkdir(parents=True, exist_ok=True)
        ends = [swept.ends[new.index(job)] if swept.ends else None for job in jobs]
        return [self._returned(*each) for each in zip(jobs, ends, job_overrides, strict=True)]

    def _go_on(self, jobs: list[JobConfig], *, heard: bool) -> Swept:
        """Do what jobs ask for, beside those of earlier calls. What fails is no end where it is `heard` of."""
        earlier = [job for job in self._jobs if job not in jobs]
        self._jobs = [*earlier, *jobs]
        swept = self._do(jobs, earlier)
        if swept.code and not (swept.code == FAILED and heard and self.goes_on):
            raise Finished(swept.code)
        owe(swept.code)
        return swept

    def _returned(self, job: JobConfig, end: RunFolder | str | None, overrides: Sequence[str]) -> JobReturn:
        """What a sweeper hears of a job: its number, or what became of it; nothing where it was not run."""
        if isinstance(end, str):
            return JobReturn(overrides=overrides, status=JobStatus.FAILED, _return_value=JobFailed(end))
        number = None if end is None else self._teller.number(job.extent.objective, end)
        return JobReturn(overrides=overrides, status=JobStatus.COMPLETED, _return_value=number)

    @property
    def goes_on(self) -> bool:
        """Whether jobs are still wanted after one that failed."""
        return False

    @abstractmethod
    def _do(self, jobs: Sequence[JobConfig], earlier: Sequence[JobConfig]) -> Swept:
        """Do what this launcher is for with jobs of a sweep, of which it may have done others `earlier`."""

    def _compose(self, overrides: Sequence[str], number: int) -> JobConfig:
        assert self._context is not None
        composed = self._context.config_loader.load_sweep_config(self._config, list(overrides))
        with open_dict(composed):
            composed.hydra.job.id = composed.hydra.job.num = number
        HydraConfig.instance().set_config(composed)
        task = composed.copy()
        with read_write(task), open_dict(task):
            del task["hydra"]
        return job_of(task, HydraConfig.get())


class PoolLauncher(SweepLauncher):
    """Runs a sweep in worker processes of this machine."""

    def __init__(self, **settings: object) -> None:
        super().__init__()
        self._settings = launcher_settings(PoolSettings, settings)

    @property
    def goes_on(self) -> bool:
        return self._settings.on_failure == "continue"

    def _do(self, jobs: Sequence[JobConfig], earlier: Sequence[JobConfig]) -> Swept:
        from madbench.sweep.sweeping import pooled, sweep

        return sweep(jobs, pooled(self._settings), earlier)


class SlurmLauncher(SweepLauncher):
    """Runs a sweep in SLURM jobs."""

    def __init__(self, **settings: object) -> None:
        super().__init__()
        self._settings = launcher_settings(SlurmSettings, settings)

    @property
    def goes_on(self) -> bool:
        return self._settings.on_failure == "continue"

    def _do(self, jobs: Sequence[JobConfig], earlier: Sequence[JobConfig]) -> Swept:
        from madbench.sweep.slurm.following import submitted
        from madbench.sweep.sweeping import sweep

        return sweep(jobs, submitted(self._settings), earlier)


class Instead(SweepLauncher):
    """Does something else with a sweep than to run it. It takes the place of a launcher, whose settings it keeps."""

    def __init__(self, **settings: object) -> None:
        super().__init__()
        self._settings = settings

    @property
    def _choice(self) -> str:
        """The launcher in whose place it stands."""
        return str(self._config.hydra.runtime.choices["hydra/launcher"])


class PrefetchLauncher(Instead):
    """Composes every job of a sweep and brings what they need to this machine, instead of running them."""

    def _do(self, jobs: Sequence[JobConfig], earlier: Sequence[JobConfig]) -> Swept:
        from madbench.sweep.prefetching import prefetch
        from madbench.sweep.sweeping import Swept

        return Swept(prefetch([*earlier, *jobs]))


class DoctorLauncher(Instead):
    """Composes every job of a sweep and proves that they could run, instead of running them."""

    def _do(self, jobs: Sequence[JobConfig], earlier: Sequence[JobConfig]) -> Swept:
        from madbench.sweep.doctor.examining import doctor
        from madbench.sweep.sweeping import Swept

        return Swept(doctor([*earlier, *jobs], self._choice, self._settings))


def once(jobs: Sequence[JobConfig]) -> list[JobConfig]:
    """Each job at its first place."""
    return [job for at, job in enumerate(jobs) if job not in jobs[:at]]


def player_of(launcher: Mapping[str, object]) -> Player:
    """Who plays a job that Hydra was not asked to sweep; a launcher that is not ours has no say in that."""
    from madbench.sweep.slurm.following import submitted
    from madbench.sweep.sweeping import pooled

    target = launcher.get("_target_")
    if target == f"{NAMESPACE}.{SlurmLauncher.__name__}":
        return submitted(launcher_settings(SlurmSettings, launcher))
    ours = target == f"{NAMESPACE}.{PoolLauncher.__name__}"
    return pooled(launcher_settings(PoolSettings, launcher if ours else {}))


def job_of(task: DictConfig, hydra: HydraConf) -> JobConfig:
    """A composed config without its `hydra` part, with what that part says of choices and overrides.

    Raises InputError for what cannot be built, before anything is loaded that takes its time.
    """
    choices = {str(key): str(value) for key, value in hydra.runtime.choices.items()}
    job = read_config(task, choices, tuple(hydra.overrides.task))
    build(job)
    return job
