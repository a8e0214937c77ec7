"""Names of arms and casts: readable, and never the same for two settings of one sweep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from madbench.sweep.configs import JobConfig
from madbench.types import Model

APART = (
    "protocol", "task", "seed", "limit", "epochs", "name", "output_root", "dry_run", "objective", "tracking",
    "experiment",
)  # fmt: skip
"""Keys that no name repeats: they have a place of their own, or change nothing."""
APART_UNDER = ("model@", "tracking.", "hydra")


Part = Literal["arm", "task", "cast"]


def arm_names(configs: Sequence[JobConfig]) -> list[str]:
    """The protocol's choice, with a suffix of the settings of it that make several arms of it in this sweep."""
    chosen = [config.choices.get("protocol", "protocol") for config in configs]
    return [base + suffix for base, suffix in zip(chosen, suffixes(configs, "arm"), strict=True)]


def suffixes(configs: Sequence[JobConfig], part: Part) -> list[str]:
    """What each job's arm, task or cast is called beyond its choice: `-n10`; nothing where the sweep varies nothing.

    Settings of models and roles, sampling, contract and all else that is neither protocol nor task belong to the
    cast: arms are compared under one task and one cast, so debates are never held against votes drawn otherwise.
    """
    settings = [_settings(config, part) for config in configs]
    varied = {key for key in set().union(*settings) if len({one.get(key) for one in settings}) > 1}
    return [
        "".join(f"-{_suffix(key, value)}" for key, value in one.items() if key in varied) for one in settings
    ]


def cast_name(choices: Mapping[str, str], cast: Mapping[str, tuple[Model, ...]]) -> str:
    """`smollm2`, or `smollm2_judge.qwen` where a role has models of its own: choices' names, else models' own."""
    names = {role: choices.get(f"model@cast.{role}") or _joined(models) for role, models in cast.items()}
    default = [names.pop("default")] if "default" in names else []
    return "_".join([*default, *(f"{role}.{name}" for role, name in sorted(names.items()))])


def ending(seed: int, key: str) -> str:
    """The part of a folder's name that finds a run again, whatever it was called."""
    return f"s{seed}-{key[:8]}"


def _settings(config: JobConfig, part: Part) -> dict[str, str]:
    pairs = [override.lstrip("+~").partition("=")[::2] for override in config.overrides]
    return {
        key: value
        for key, value in pairs
        if key not in APART and not key.startswith(APART_UNDER) and _part(key) == part
    }


def _part(key: str) -> Part:
    if key.startswith("protocol.") and not key.startswith("protocol.roles"):
        return "arm"
    return "task" if key.startswith(("task.", "task@")) or "@task." in key else "cast"


def _suffix(key: str, value: str) -> str:
    name = re.split(r"[./@]", key)[-1]
    return f"{name}{value}" if re.fullmatch(r"-?[\d.]+", value) else f"{name}_{value}"


def _joined(models: tuple[Model, ...]) -> str:
    """Each seat's model, equal seats counted once: `a`, `a+b`, `2xa+b`."""
    counts = Counter(model.name for model in models)
    if len(counts) == 1:
        return next(iter(counts))
    return "+".join(name if n == 1 else f"{n}x{name}" for name, n in counts.items())
