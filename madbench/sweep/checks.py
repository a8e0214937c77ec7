"""What makes a job impossible, found out before anything starts."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError

from madbench.agents import settings_of
from madbench.sweep.building import Built
from madbench.sweep.identity import players
from madbench.types import Capability, Choosy, InputError, Model, Sample, Sessional


def check(job: Built, samples: Sequence[Sample]) -> None:
    """Raise InputError where a job could not be played through."""
    if not samples:
        raise InputError(f"task: {job.task.name} has no samples")
    if isinstance(job.protocol, Sessional) and job.protocol.session < 1:
        raise InputError(f"protocol.session: expected 1 or more, found {job.protocol.session}")
    _refuse_problems(job, samples)
    for role in job.protocol.plays:
        if not (seats := players(job, role)):
            raise InputError(f"cast: nobody plays {role}; there is {sorted(job.cast)}, and no default")
        settings = settings_of(role, job.protocol, job.defaults)
        if settings.contract.enforcement == "grammar":
            _refuse_without_grammar(role, seats)
        if settings.templates is not None:
            _check_templates(Path(settings.templates))


def claim_home(homes: Sequence[Path]) -> None:
    """Make the folder that a sweep writes into. Raises InputError where that cannot be, and where there are several."""
    first, *_ = homes
    if others := set(homes) - {first}:
        raise InputError(
            f"sweep: one sweep has one folder, these are {sorted(map(str, {first, *others}))}; "
            "vary neither name nor output_root, or start a sweep for each"
        )
    try:
        first.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=first) as file:
            file.write(b"1")
    except OSError as error:
        raise InputError(f"output_root: cannot write in {first}: {error.strerror}") from error


def refuse_idle_roles(jobs: Sequence[Built]) -> None:
    """A role that no protocol of the sweep plays is a mistake, not an idle model."""
    played = {role for job in jobs for role in job.protocol.plays}
    if idle := {role for job in jobs for role in job.cast} - played - {"default"}:
        raise InputError(
            f"cast: nobody plays {sorted(idle)}; this sweep's roles are {sorted(played)}, and default"
        )


def check_models(jobs: Sequence[Built]) -> None:
    """Let every model say now what would fail at loading; equal settings are asked once."""
    checked: list[Model] = []
    for model in (model for job in jobs for model in job.models):
        if model not in checked:
            model.check()
            checked.append(model)


def _refuse_problems(job: Built, samples: Sequence[Sample]) -> None:
    """A protocol may need more of a problem than a question."""
    if isinstance(job.protocol, Choosy):
        for sample in samples:
            job.protocol.admit(sample.problem)


def _check_templates(folder: Path) -> None:
    """A user's own prompts must be there, and must parse."""
    if not folder.is_dir():
        raise InputError(f"templates: no folder {folder}")
    for file in sorted(folder.rglob("*.j2")):
        try:
            Environment(autoescape=False).parse(file.read_text(encoding="utf-8"))
        except (TemplateSyntaxError, UnicodeDecodeError) as error:
            raise InputError(f"templates: {file}: {error}") from error


def _refuse_without_grammar(role: str, seats: Sequence[Model]) -> None:
    for model in seats:
        if Capability.GRAMMAR not in model.capabilities:
            raise InputError(
                f"contract.enforcement: {role} is held by grammar, which {model.name} cannot do (it declares "
                f"{sorted(map(str, model.capabilities))}); choose prompt or repair, or a model that declares grammar"
            )
