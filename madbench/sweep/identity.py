"""What makes two runs the same run: all that can change a record, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields

from pydantic import JsonValue

from madbench.agents import prompt_hashes, settings_of
from madbench.sweep.building import Built
from madbench.tasks.hashing import content_hash
from madbench.types import Model, ProtocolSettings, RoleSettings, Sample, Task

SEMANTICS = 1
"""Raised whenever the same config starts to mean something else."""


def facts_of(built: Built, samples: Sequence[Sample], seed: int) -> dict[str, JsonValue]:
    """Task content, protocol, cast, role settings, prompts and seed, as plain data.

    Left out, since they change no record: where files lie, limit, epochs, tracking, launcher, device, batches.
    """
    protocol = built.protocol
    roles = {role: settings_of(role, protocol, built.defaults) for role in protocol.plays}
    facts = {
        "semantics": SEMANTICS,
        "seed": seed,
        "task": _task(built.task, samples),
        "protocol": {"class": type(protocol).__qualname__, **_fields(protocol)},
        "cast": {role: [model.fingerprint() for model in players(built, role)] for role in protocol.plays},
        "roles": {role: _spoken(settings) for role, settings in roles.items()},
        "prompts": _prompts(protocol_file(protocol), roles),
    }
    plain: dict[str, JsonValue] = json.loads(json.dumps(facts, default=repr))
    return plain


def _task(task: Task, samples: Sequence[Sample]) -> dict[str, str]:
    """What is asked and how it is scored. A task without a choice of matchers is what its content is."""
    matcher = getattr(task, "matcher", None)
    scored = {} if matcher is None else {"matcher": repr(matcher)}
    return {"class": type(task).__qualname__, "content": content_hash(samples), **scored}


def config_hash(facts: Mapping[str, JsonValue]) -> str:
    """Hex SHA-256 over a run's facts."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def players(built: Built, role: str) -> tuple[Model, ...]:
    """The models of a role's seats."""
    return built.cast.get(role) or built.cast.get("default", ())


def protocol_file(protocol: ProtocolSettings) -> str:
    """The file that defines a protocol, which is also its name; that of an arm which extends one is the same."""
    lineage = type(protocol).__mro__
    founder = lineage[max(lineage.index(ProtocolSettings) - 1, 0)]
    return founder.__module__.rpartition(".")[2]


def _prompts(name: str, roles: Mapping[str, RoleSettings]) -> dict[str, str]:
    """Hash of every template by its name; of a role's own folder by its place in there, wherever that lies."""
    hashes = prompt_hashes(name)
    for role, settings in roles.items():
        if own := settings.templates:
            for label, digest in prompt_hashes(name, frozenset({own})).items():
                if label.startswith(f"{own}/"):
                    hashes[f"{role}: {label.removeprefix(f'{own}/')}"] = digest
    return hashes


def _fields(protocol: ProtocolSettings) -> dict[str, object]:
    return {field.name: getattr(protocol, field.name) for field in fields(protocol) if field.name != "roles"}


def _spoken(settings: RoleSettings) -> dict[str, JsonValue]:
    """Settings of a role without the place of its templates: their content is hashed instead."""
    return settings.model_dump(mode="json", exclude={"templates"})
