"""Can transformers run it? Answered from a model's config, before any weights are read."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import JsonValue

from madbench.types import InputError

READ = (".safetensors", ".json", ".jinja", ".model", ".txt")
"""Suffixes of the files that a model is loaded from. Pickles are not among them."""
WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
SHOWN = 3
"""So many weights are named of those that are missing."""


def check_folder(folder: Path, label: str, *, trusted: bool) -> None:
    """Raise InputError unless the folder holds a supported config and safetensors."""
    config = folder / "config.json"
    if not config.is_file():
        raise InputError(
            f"model {label}: no config.json in {folder}; wanted a folder as save_pretrained writes it"
        )
    if not any((folder / name).is_file() for name in (WHOLE, INDEX)):
        pickles = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
        found = (
            f"pickled weights {pickles}, which are refused since loading them can run code"
            if pickles
            else "none"
        )
        raise InputError(
            f"model {label}: wanted weights as {WHOLE} (or several and their index) in {folder}, found {found}"
        )
    for path in sorted(folder.glob("*.safetensors")):
        check_weights(path, label)
    _check_index(folder, label)
    if (folder / "adapter_config.json").exists():
        raise InputError(f"model {label}: {folder} holds an adapter; wanted whole weights: merge the two")
    check_config(_read(config, label), label, trusted=trusted)
    if (tokenizer := folder / "tokenizer_config.json").exists() and not trusted:
        _refuse_code(_read(tokenizer, label), f"{label}: its tokenizer")


def check_weights(path: Path, label: str) -> None:
    """Raise InputError for a file that is no safetensors, whatever its name says; reads its header alone."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy"):
            pass
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            f"model {label}: {path.name} is no safetensors file ({error}); pickles are refused whatever their name"
        ) from error


def _check_index(folder: Path, label: str) -> None:
    """Weights in several files lie in the model's own folder and are safetensors, all of them."""
    index = folder / INDEX
    if not index.exists():
        return
    named = _read(index, label).get("weight_map")
    files = sorted(set(map(str, named.values()))) if isinstance(named, dict) else []
    bad = [name for name in files if not name.endswith(".safetensors") or not _plain(folder, name)]
    if bad or not files:
        raise InputError(
            f"model {label}: {index.name} names {', '.join(bad) or 'no files'}; wanted *.safetensors in {folder}"
        )


def _plain(folder: Path, name: str) -> bool:
    """Whether a name is that of a file in this very folder."""
    return Path(name).name == name and (folder / name).is_file()


def _read(path: Path, label: str) -> dict[str, JsonValue]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"model {label}: {path} is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise InputError(f"model {label}: {path} holds {type(read).__name__}, wanted an object")
    return read


def check_config(config: Mapping[str, JsonValue], label: str, *, trusted: bool) -> None:
    """Raise InputError for a family that transformers cannot generate text with here."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    family = str(config.get("model_type", ""))
    if config.get("auto_map"):
        if not trusted:
            _refuse_code(config, label)
        return
    if family not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        near = difflib.get_close_matches(family, list(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES), n=5, cutoff=0.3)
        raise InputError(
            f"model {label}: family {family!r} is none that the installed transformers generates text with; "
            f"{len(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)} families are supported, the nearest names: {near}"
        )


def _refuse_code(config: Mapping[str, JsonValue], label: str) -> None:
    if config.get("auto_map"):
        raise InputError(
            f"model {label}: it runs code of its own; read that code, then say weights.trust_remote_code=true"
        )


def refuse_missing(keys: Iterable[str], where: str) -> None:
    """Raise InputError for weights that no file has: transformers makes them up and goes on. Tied ones are not among
    them.
    """
    if missing := sorted(keys):
        more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
        raise InputError(f"{where} lack {', '.join(missing[:SHOWN])}{more}: they would be random")
