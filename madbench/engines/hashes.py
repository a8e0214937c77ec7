"""Hashes over plain data, files and requests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from madbench.types import Request


def digest(parts: Sequence[JsonValue] | Sequence[list[str]]) -> str:
    """A short hash over plain data."""
    return hashlib.blake2b(json.dumps(list(parts)).encode(), digest_size=16).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex; read once for every state of the file."""
    seen = path.stat()
    return _hashed(path, seen.st_size, seen.st_mtime_ns)


@lru_cache(maxsize=512)
def _hashed(path: Path, _size: int, _changed: int) -> str:
    return sha256_of(path)


def request_identity(fingerprint: str, request: Request) -> str:
    """Hash over the fingerprint and all that the reply depends on; a greedy reply does not on the seed."""
    hashed, sampling = hashlib.blake2b(fingerprint.encode(), digest_size=16), request.sampling
    draw = (sampling.temperature, sampling.top_p, request.seed) if sampling.temperature else ("greedy",)
    for message in request.messages:
        hashed.update(f"\x1e{message.role}\x1f{message.text}".encode())
    hashed.update(f"\x1d{draw}\x1f{sampling.max_tokens}\x1f{request.schema}".encode())
    return hashed.hexdigest()
