"""Where the configs stand, and one job's config as strict plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pydantic import Field, JsonValue, ValidationError

from madbench.types import InputError, Reference, RoleSettings, Strict

Plain = Mapping[str, JsonValue]
Objective = str | Annotated[tuple[str, ...], Field(min_length=1, strict=False)] | None
"""The metric, or several in their order, that an optimising sweeper is told of a job."""


def conf_folder() -> Path:
    """The folder of configs: inside an installed package, beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "conf"
    return inside if inside.is_dir() else package.parent / "conf"


def choices_of(group: str) -> list[str]:
    """The names that `group=…` accepts, as shipped."""
    return sorted(file.stem for file in (conf_folder() / group).glob("*.yaml"))


class Parts(Strict):
    """The configs that name a class and its settings each."""

    task: Plain
    protocol: Plain
    cast: Plain
    tracking: Plain


class Extent(Strict):
    """How much is run, where it goes, and which printed values (`published`) its report sets beside;
    `objective` is what a sweeper hears of it.

    `limit` and `epochs` only ever extend a run's plan.
    """

    name: str = Field(pattern=r"^[\w+-][\w.+-]*$", max_length=200)
    output_root: str = Field(min_length=1)
    seed: int
    limit: int | None = Field(ge=1)
    epochs: int = Field(ge=1)
    dry_run: bool
    published: tuple[Reference, ...] = Field(default=(), strict=False)
    objective: Objective = None


class JobConfig(Strict):
    """One job, as composed: plain, resolved, JSON both ways. `choices` names each group's file."""

    parts: Parts
    extent: Extent
    defaults: RoleSettings
    choices: Mapping[str, str]
    overrides: tuple[str, ...]

    @property
    def home(self) -> Path:
        """The experiment's own folder."""
        return Path(self.extent.output_root).absolute() / self.extent.name


KEYS = tuple(sorted((*Parts.model_fields, *Extent.model_fields, *RoleSettings.model_fields)))
"""All top-level keys that a user may write."""


def _missing(value: object, key: str = "") -> Iterator[str]:
    """The whole keys of all values that a user must give, in the files' order."""
    if value == "???":
        yield key
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inner:
        yield from _missing(part, f"{key}.{name}" if key else str(name))


def read_config(config: DictConfig, choices: Mapping[str, str], overrides: tuple[str, ...]) -> JobConfig:
    """A composed config, interpolations resolved. Raises InputError naming the key at fault."""
    try:
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except OmegaConfBaseException as error:
        said = str(error).splitlines()[0]
        if missing := list(_missing(OmegaConf.to_container(config))):
            said = f"{missing[0]} has no value yet (its file says ???); give one: {missing[0]}=…"
        raise InputError(f"config: {said}") from error
    assert isinstance(plain, dict)
    return job_config({str(key): value for key, value in plain.items()}, choices, overrides)


def job_config(plain: Plain, choices: Mapping[str, str], overrides: tuple[str, ...]) -> JobConfig:
    """Sort the flat keys of a config into a JobConfig; unknown and missing keys are errors."""
    if unknown := sorted(set(plain) - set(KEYS)):
        raise InputError(f"config: unknown key {', '.join(unknown)}; there are {', '.join(KEYS)}")
    try:
        return JobConfig(
            parts=Parts.model_validate(_take(plain, Parts)),
            extent=Extent.model_validate(_take(plain, Extent)),
            defaults=RoleSettings.model_validate(_take(plain, RoleSettings)),
            choices=choices,
            overrides=overrides,
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden" and (known := settings_of(first["loc"][:-1])):
            parent = where.rpartition(".")[0]
            raise InputError(f"config: unknown key {where}; {parent} has {', '.join(known)}") from error
        raise InputError(f"config: {where}: {first['msg']}, found {first['input']!r}") from error


def settings_of(parents: Sequence[int | str]) -> list[str]:
    """The keys under a key of the roles' settings (`sampling`); none where it is no group."""
    model: object = RoleSettings
    for parent in parents:
        fields = getattr(model, "model_fields", {})
        model = fields[parent].annotation if parent in fields else None
    return list(getattr(model, "model_fields", {}))


def flat(config: JobConfig) -> dict[str, JsonValue]:
    """The config with the keys that a user writes, as it stands in a run's config.yaml."""
    parts, extent, defaults = (
        part.model_dump(mode="json") for part in (config.parts, config.extent, config.defaults)
    )
    return {**parts, **extent, **defaults}


def _take(plain: Plain, model: type[Strict]) -> dict[str, JsonValue]:
    return {key: plain[key] for key in model.model_fields if key in plain}
