"""Prompts are Jinja files: prompts/<protocol file>/<observation class>.j2, shadowed by a user's own folder."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, TemplateNotFound
from jinja2.sandbox import ImmutableSandboxedEnvironment

from madbench.types import InputError, Observation, RoleSettings

FOLDER = Path(__file__).parents[1] / "protocols" / "prompts"


@lru_cache
def environment(shadow: str | None) -> Environment:
    """Templates under `shadow` win over the package's own. Undefined variables are errors, never blanks.

    Templates of others run in Jinja's sandbox: a recorded run may name a folder of them.
    """
    folders = [FOLDER] if shadow is None else [Path(shadow), FOLDER]
    kind = Environment if shadow is None else ImmutableSandboxedEnvironment
    return kind(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


@lru_cache
def template(seen: type[Observation], wording: str = "strict", shadow: str | None = None) -> Template:
    """The prompt of an observation class; `<class>.permissive.j2` stands in where the contract is permissive."""
    if shadow is not None and not Path(shadow).is_dir():
        raise InputError(f"templates: no folder {shadow}")
    stem = f"{seen.__module__.rpartition('.')[2]}/{seen.__name__}"
    names = [f"{stem}.j2"] if wording == "strict" else [f"{stem}.{wording}.j2", f"{stem}.j2"]
    try:
        chosen = environment(shadow).select_template(names)
    except TemplateNotFound as error:
        raise InputError(f"prompts: no template {names[-1]} for {seen.__name__}") from error
    chosen.globals = dict(chosen.globals)  # Jinja's chain of maps is walked key by key at every rendering
    return chosen


def render(seen: Observation, settings: RoleSettings) -> str:
    """What a role reads: its observation through the template that its settings choose."""
    chosen = template(type(seen), settings.contract.wording, settings.templates)
    return chosen.render(vars(seen)).strip()


def render_repair(missing: str, instruction: str, settings: RoleSettings) -> str:
    """The one request that follows an unreadable reply: says what was missing."""
    return (
        environment(settings.templates)
        .get_template("repair.j2")
        .render(missing=missing, instruction=instruction)
    )


def prompt_hashes(protocol_file: str, shadows: frozenset[str] = frozenset()) -> dict[str, str]:
    """SHA-256 of every template that a protocol may render, by path: its own, its helpers' (`<protocol>_*`), what
    all protocols share, and everything in shadow folders.
    """
    own = [FOLDER / "repair.j2", *_templates(FOLDER / "solver")]
    for folder in (FOLDER / protocol_file, *FOLDER.glob(f"{protocol_file}_*")):
        own += _templates(folder)
    labelled = {str(file.relative_to(FOLDER)): file for file in own}
    for shadow in sorted(shadows):
        labelled |= {f"{shadow}/{file.relative_to(shadow)}": file for file in _templates(Path(shadow))}
    return {label: hashlib.sha256(file.read_bytes()).hexdigest() for label, file in sorted(labelled.items())}


def _templates(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.j2"))
