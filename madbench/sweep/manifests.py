"""A run's manifest: what it was asked for, by which code, on what machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import JsonValue

from madbench.engines.names import family_of
from madbench.records.layout import RunFolder, read_json, write_json
from madbench.records.lines import readable
from madbench.sweep.configs import JobConfig, flat, job_config
from madbench.sweep.identity import config_hash
from madbench.sweep.planning import Planned
from madbench.types import InputError

PACKAGES = (
    "madbench",
    "torch",
    "transformers",
    "datasets",
    "hydra-core",
    "llguidance",
    "reasoning-gym",
    "numpy",
    "pyarrow",
    "openai",
    "vllm",
)
SECRET = ("key", "token", "secret", "pass", "jwt", "credential", "auth", "cookie")
"""A variable whose name holds one of these is nobody's business."""
LEAST = 6
"""Characters of a secret's value that is looked for in what is written down."""
SHOWN = ("CUDA_", "HF_", "WANDB_", "SLURM_", "OMP_", "MADBENCH_", "TRANSFORMERS_", "TORCH_")
"""Environment variables that can change what a run does begin so; those that sound secret are left out."""


def write_manifest(run: Planned) -> None:
    """Write what is known before the run starts; a later start of the same config replaces it."""
    config = run.config
    content: dict[str, JsonValue] = {
        "config": flat(config),
        "choices": dict(config.choices),
        "overrides": list(config.overrides),
        "config_hash": config_hash(run.facts),
        "models": {role: [repr(model) for model in models] for role, models in run.built.cast.items()},
        "families": {role: [family_of(one.name) for one in seats] for role, seats in run.built.cast.items()},
        "command": list(sys.argv),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **machine(),
        "git": git_state(Path(__file__).parents[2]),
    }
    _write(run.folder, content)


def _write(folder: RunFolder, content: dict[str, JsonValue]) -> None:
    """Whatever a user typed, or an engine says of its settings: no secret of the environment is written down."""
    cleaned = without_secrets(content, os.environ)
    assert isinstance(cleaned, dict)
    write_json(folder.manifest, cleaned)


def machine() -> dict[str, JsonValue]:
    """Where this process runs, and what is set there that matters."""
    here: dict[str, JsonValue] = {
        "host": platform.node(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
    }
    return {"machine": here, "environment": environment(os.environ)}


def add_machine(folder: RunFolder) -> None:
    """Name this machine as the one that plays a run, if another wrote its manifest."""
    if folder.manifest.is_file():
        _write(folder, {**read_json(folder.manifest), **machine()})


def add_engines(folder: RunFolder, facts: Mapping[str, JsonValue]) -> None:
    """Add what the engines of a run say of themselves; only a process that has them open knows."""
    if facts:
        _write(folder, {**read_json(folder.manifest), "engines": dict(facts)})


def config_of(folder: RunFolder) -> JobConfig:
    """The config of a run, from its manifest. Raises InputError where there is none."""
    if not folder.manifest.is_file():
        raise InputError(f"{folder.path}: no manifest.json in it; wanted the folder of a run")
    held = read_json(folder.manifest)
    with readable(str(folder.manifest)):
        return job_config(held["config"], held["choices"], tuple(held["overrides"]))


def versions() -> dict[str, JsonValue]:
    """Installed versions of what can change a number, Python's own among them."""
    found: dict[str, JsonValue] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def environment(variables: Mapping[str, str]) -> dict[str, JsonValue]:
    """The variables that matter to a run, without secrets and without who logs in where."""
    return {
        name: re.sub(r"(?<=://)[^/@\s]*@", "", value)
        for name, value in sorted(variables.items())
        if name.startswith(SHOWN) and not _secret(name)
    }


def without_secrets(content: JsonValue, variables: Mapping[str, str]) -> JsonValue:
    """The content, with the name of its variable wherever a secret of the environment stands in a text."""
    secrets = {value: name for name, value in variables.items() if _secret(name) and len(value) >= LEAST}

    def cleaned(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            for secret, name in secrets.items():
                value = value.replace(secret, f"[{name}]")
            return value
        if isinstance(value, dict):
            return {key: cleaned(inner) for key, inner in value.items()}
        return [cleaned(inner) for inner in value] if isinstance(value, list) else value

    return cleaned(content) if secrets else content


def _secret(name: str) -> bool:
    return any(word in name.lower() for word in SECRET)


def git_state(folder: Path) -> JsonValue:
    """Commit of the code and whether it was changed since; None outside a checkout."""
    if not (folder / ".git").exists():
        return None
    ask = ["git", "-C", str(folder)]
    try:
        commit = subprocess.run(
            [*ask, "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=True
        )
        changes = subprocess.run(
            [*ask, "status", "--porcelain"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit.stdout.strip(), "changed": bool(changes.stdout.strip())}
