"""Is there room, and may it be written?"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from madbench.engines.gguf_files import cache_folder
from madbench.sweep.doctor.findings import Finding, Level
from madbench.sweep.dry import Rehearsed

COPIES, LETTERS, TURN, ROW = 4, 4, 2_000, 20_000
"""A turn's text lies in journal, shard, table and page; letters a token; bytes beside the text of a turn, of a row."""


def existing(path: Path) -> Path:
    """The folder itself, or the nearest above it that is there."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.exists())


def writable(what: str, path: Path, otherwise: Level = "fail") -> Finding:
    """Whether a file can be made there, or where the folder would be made; `otherwise` says what it means if not."""
    there = existing(path)
    try:
        with tempfile.TemporaryFile(dir=there) as file:
            file.write(b"1")
    except OSError as error:
        remedy = f"a folder that you may write in: {what}"
        return Finding(otherwise, "folder", what, f"{there}: {error.strerror}", remedy)
    return Finding("ok", "folder", what, f"{path} can be written")


def folders(home: Path, *, hub: bool) -> Iterator[Finding]:
    """The folders that a run writes into. Caches that may only be read serve what was fetched into them before."""
    yield writable("output_root", home)
    yield writable("MADBENCH_CACHE", cache_folder(), "warn")
    if hub:
        from huggingface_hub import constants

        yield writable("HF_HOME", Path(constants.HF_HUB_CACHE), "warn")


def estimate(rehearsed: Sequence[Rehearsed]) -> int:
    """Bytes that the records of a sweep take at most, with every reply as long as allowed."""
    total = 0
    for one in rehearsed:
        texts = sum((ask.tokens + ask.room) * LETTERS + TURN for ask in one.asks)
        total += (texts * COPIES + ROW) * one.run.episodes
    return total


def room(home: Path, needed: int) -> Finding:
    """Whether the records fit on the disk, with as much again left over."""
    free = shutil.disk_usage(existing(home)).free
    told = f"records at most {needed / 1e9:,.2f} GB, {free / 1e9:,.1f} GB free"
    remedy = "output_root on a larger disk, or fewer samples at a time (limit)"
    level: Level = "fail" if needed > free else "warn" if 2 * needed > free else "ok"
    return Finding(level, "disk", home.name, told, remedy)
