"""GGUF files: what they hold, whether they can be run, and unpacking them once."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from madbench.engines.families import refuse_missing
from madbench.engines.gguf_header import read_header
from madbench.types import InputError


def check(path: Path, *, unpack: bool) -> None:
    """Raise InputError for a file that is missing, of an unsupported family, or too large once unpacked."""
    if not path.is_file():
        raise InputError(f"model {path}: no such GGUF file")
    from transformers.modeling_gguf_pytorch_utils import GGUF_SUPPORTED_ARCHITECTURES

    header = read_header(path)
    if header.family not in GGUF_SUPPORTED_ARCHITECTURES:
        raise InputError(
            f"model {path}: GGUF family {header.family!r} is not supported by the installed transformers; "
            f"supported: {', '.join(sorted(GGUF_SUPPORTED_ARCHITECTURES))}"
        )
    needed, here = 2 * header.weights, _memory()
    if unpack and needed > here:
        raise InputError(
            f"model {path}: {header.kind} unpacks to {needed / 1e9:.1f} GB in bfloat16, this machine has "
            f"{here / 1e9:.1f} GB; say weights.unpack=false, or choose a smaller model"
        )


def unpacked(name: str, gguf: Callable[[Path], Path]) -> Path:
    """The cache's folder `name` of dense safetensors in bfloat16; made once, from the file that `gguf` gives.

    `gguf` may fetch the file into the folder it is given. Processes that need the same model wait for one
    another; what is written appears under its name only when it is whole.
    """
    folder = _folder(name)
    home = folder.parent
    home.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        with FileLock(f"{folder}.lock"):
            if not folder.exists():
                _make(folder, gguf)
    return folder


def kept(name: str) -> Path | None:
    """The folder that `unpacked` made earlier, if it did."""
    folder = _folder(name)
    return folder if folder.exists() else None


def _folder(name: str) -> Path:
    return cache_folder() / "models" / name


def _make(folder: Path, gguf: Callable[[Path], Path]) -> None:
    """Whoever holds the lock clears away what a process that was killed at this left."""
    prefix = f".making-{folder.name}~"
    for left in folder.parent.glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=prefix) as beside:
        made = Path(beside) / "made"
        _convert(gguf(Path(beside)), made)
        made.rename(folder)


def cache_folder() -> Path:
    """`MADBENCH_CACHE`, or `madbench` in the platform's cache folder."""
    if chosen := os.environ.get("MADBENCH_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "madbench"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "madbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "madbench"


def _convert(gguf: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    check(gguf, unpack=True)
    where = {"gguf_file": gguf.name}
    AutoTokenizer.from_pretrained(gguf.parent, **where).save_pretrained(target)
    model, found = AutoModelForCausalLM.from_pretrained(
        gguf.parent,
        **where,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
        output_loading_info=True,
    )
    refuse_missing(found["missing_keys"], f"model {gguf.name}: it")
    model.save_pretrained(target)


def _memory() -> int:
    """Bytes of this machine's main memory."""
    if not hasattr(os, "sysconf"):
        return sys.maxsize
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
