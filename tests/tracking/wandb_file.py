"""Reads what W&B wrote offline: blocks of 32 KiB that hold checksummed pieces of protobuf records."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BLOCK, HEAD, PIECE = 32 * 1024, 7, struct.Struct("<IHB")
WHOLE, LAST = 1, 4


@dataclass
class Offline:
    """One run, as its file tells it."""

    run: object = None
    config: dict = field(default_factory=dict)
    summary: dict = field(default_factory=dict)
    history: list = field(default_factory=list)
    artifacts: dict = field(default_factory=dict)
    exit_code: int | None = None


def pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    assert data.startswith(b":W&B")
    place = HEAD
    while place + PIECE.size <= len(data):
        room = BLOCK - place % BLOCK
        if room < PIECE.size:
            place += room
            continue
        _, length, kind = PIECE.unpack_from(data, place)
        place += PIECE.size
        yield kind, data[place : place + length]
        place += length


def messages(path: Path) -> Iterator[object]:
    from wandb.proto.wandb_internal_pb2 import Record

    whole = b""
    for kind, piece in pieces(path.read_bytes()):
        whole += piece
        if kind in (WHOLE, LAST):
            yield Record.FromString(whole)
            whole = b""


def values(items) -> dict:
    return {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in items}


def read(path: Path) -> Offline:
    found = Offline()
    for message in messages(path):
        kind = message.WhichOneof("record_type")
        part = getattr(message, kind) if kind else None
        if kind == "run":
            found.run = part
            found.config |= values(part.config.update)
        elif kind == "config":
            found.config |= values(part.update)
        elif kind == "summary":
            found.summary |= values(part.update)
        elif kind == "history":
            found.history.append(values(part.item))
        elif kind == "artifact":
            found.artifacts[part.type] = {
                entry.path: Path(entry.local_path) for entry in part.manifest.contents
            }
        elif kind == "exit":
            found.exit_code = part.exit_code
    return found


def offline_runs(home: Path) -> dict[str, Offline]:
    """Every offline run under a folder, by its id."""
    runs = [read(path) for path in sorted(home.glob("wandb/offline-run-*/*.wandb"))]
    assert len({run.run.run_id for run in runs}) == len(runs)
    return {run.run.run_id: run for run in runs}


def table(home: Path, run: Offline) -> dict:
    (path,) = home.glob(f"wandb/offline-run-*-{run.run.run_id}/files/{run.summary['samples/path']}")
    return json.loads(path.read_text())
