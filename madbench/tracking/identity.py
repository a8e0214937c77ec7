"""What a run folder remembers of its tracking: the run's id, and what was last sent under it."""

from __future__ import annotations

import json
import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path

NAME = "tracking.json"


def run_id(folder: Path) -> str:
    """The id under which this run is tracked: drawn once, kept in its folder, so that a rerun continues it, and a
    second command that ends at the same time sends the same run.
    """
    if "id" not in _read(folder):
        _draw(folder)
    return _read(folder)["id"]


def _draw(folder: Path) -> None:
    """Write down an id, unless another process was first: a link takes no other's place. A damaged note has none."""
    beside = _beside(folder, {"id": uuid.uuid4().hex[:16]})
    try:
        os.link(beside, folder / NAME)
    except OSError:  # there by now, or a file system without links
        if "id" not in _read(folder):
            beside.replace(folder / NAME)
    finally:
        beside.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A note in the run folder that a parcel of this digest was sent whole."""

    folder: Path
    digest: str

    def holds(self, mode: str) -> bool:
        """Whether it was sent in this mode, or online, after which an offline copy adds nothing."""
        known = _read(self.folder)
        return known.get("sent") == self.digest and known.get("mode") in (mode, "online")

    def write(self, mode: str) -> None:
        _write(self.folder, _read(self.folder) | {"sent": self.digest, "mode": mode})


def _read(folder: Path) -> dict[str, str]:
    """What is known; nothing where the file is missing or was damaged."""
    try:
        found = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return (
        {key: value for key, value in found.items() if isinstance(value, str)}
        if isinstance(found, dict)
        else {}
    )


def _write(folder: Path, known: dict[str, str]) -> None:
    _beside(folder, known).replace(folder / NAME)


def _beside(folder: Path, known: dict[str, str]) -> Path:
    beside = folder / f".{NAME}.{socket.gethostname()}.{os.getpid()}"
    beside.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return beside
