"""Who else has a part in a sweep: the launcher, and the tracker."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from madbench.sweep.configs import Plain
from madbench.sweep.doctor.findings import Finding
from madbench.sweep.messages import PoolSettings, launcher_settings
from madbench.sweep.settings import made
from madbench.sweep.slurm.settings import SlurmSettings
from madbench.tracking import WandbTracking
from madbench.tracking.post import choose_mode

SECONDS = 30.0
"""How long SLURM may take to answer."""


def launcher(choice: str, settings: Mapping[str, object]) -> Iterator[Finding]:
    """Whether jobs can be handed to the launcher. Raises InputError for settings that it does not know."""
    if choice == "pool":
        told = f"{launcher_settings(PoolSettings, settings).workers} worker processes at a time, here"
        yield Finding("ok", "launcher", choice, told)
    elif choice == "slurm":
        yield slurm(launcher_settings(SlurmSettings, settings))
    else:
        yield Finding(
            "warn", "launcher", choice, "not ours: it says itself what it needs", "try it with limit=1"
        )


def slurm(settings: SlurmSettings) -> Finding:
    """Whether SLURM answers, and has the partitions that are asked for."""
    named = {
        str(job["partition"]) for job in (settings.job, *settings.casts.values()) if job.get("partition")
    }
    try:
        asked = ["sinfo", "--noheader", "--format=%R"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=SECONDS, check=True)
    except FileNotFoundError:
        return Finding("fail", "launcher", "slurm", "no sinfo on this machine", "submit from a login node")
    except subprocess.SubprocessError as error:
        said = str(getattr(error, "stderr", "") or error).strip().splitlines()[-1]
        return Finding(
            "fail", "launcher", "slurm", f"SLURM does not answer: {said}", "ask again, or your site"
        )
    known = sorted(set(done.stdout.split()))
    if unknown := sorted(named - set(known)):
        told = f"no partition {', '.join(unknown)}; there are {', '.join(known)}"
        return Finding("fail", "launcher", "slurm", told, f"hydra.launcher.job.partition={known[0]}")
    return Finding("ok", "launcher", "slurm", f"SLURM answers, with partitions {', '.join(known)}")


def tracker(settings: Plain) -> Iterator[Finding]:
    """Where runs would be tracked. Nothing here can fail a run."""
    found = made("tracking", settings)
    if not isinstance(found, WandbTracking):
        yield Finding("ok", "tracking", type(found).__name__, "asks nobody beforehand")
        return
    later = "results are complete without it; `python -m madbench upload` sends them later"
    with TemporaryDirectory() as folder:
        try:
            mode, reason = choose_mode(found.mode, Path(folder))
        except RuntimeError as error:
            yield Finding("warn", "tracking", "wandb", f"cannot be used: {error}", later)
            return
    yield Finding(
        "warn" if reason else "ok", "tracking", "wandb", f"{mode}{', since ' * bool(reason)}{reason}", later
    )
