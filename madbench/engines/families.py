"""Can transformers run it? Answered from a model's config, before any weights are read."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from madbench.types import InputError

READ = (".safetensors", ".json", ".jinja", ".model", ".txt")
"""Suffixes of the files that a model is loaded from. Pickles are not among them."""


def check_folder(folder: Path, label: str, *, trusted: bool) -> None:
    """Raise InputError unless the folder holds a supported config and safetensors."""
    config = folder / "config.json"
    if not config.is_file():
        raise InputError(
            f"model {label}: no config.json in {folder}; wanted a folder as save_pretrained writes it"
        )
    if not any(folder.glob("*.safetensors")):
        pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        found = (
            f"pickled weights {pickles}, which are refused since loading them can run code"
            if pickles
            else "none"
        )
        raise InputError(f"model {label}: wanted weights as *.safetensors in {folder}, found {found}")
    try:
        read = json.loads(config.read_text())
    except ValueError as error:
        raise InputError(f"model {label}: {config} is not JSON: {error}") from error
    check_config(read, label, trusted=trusted)


def check_config(config: Mapping[str, JsonValue], label: str, *, trusted: bool) -> None:
    """Raise InputError for a family that transformers cannot generate text with here."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    family = str(config.get("model_type", ""))
    if config.get("auto_map"):
        if not trusted:
            raise InputError(
                f"model {label}: it runs code of its own; read that code, then say weights.trust_remote_code=true"
            )
        return
    if family not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        near = difflib.get_close_matches(family, list(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES), n=5, cutoff=0.3)
        raise InputError(
            f"model {label}: family {family!r} is none that the installed transformers generates text with; "
            f"{len(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)} families are supported, the nearest names: {near}"
        )
