"""Hashes over plain data and files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue


def digest(parts: Sequence[JsonValue] | Sequence[list[str]]) -> str:
    """A short hash over plain data."""
    return hashlib.blake2b(json.dumps(list(parts)).encode(), digest_size=16).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
