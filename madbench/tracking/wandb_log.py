"""The file that W&B itself keeps of a run: blocks of 32 KiB that hold checksummed pieces of protobuf records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

BLOCK, HEAD, PIECE = 32 * 1024, 7, struct.Struct("<IHB")
WHOLE, LAST = 1, 4


def has_end(path: Path) -> bool:
    """Whether a run's end is written there. W&B says nothing of a disk that became full before that."""
    from wandb.proto.wandb_internal_pb2 import Record

    return any(Record.FromString(record).WhichOneof("record_type") == "exit" for record in _records(path))


def _records(path: Path) -> Iterator[bytes]:
    """Every record, up to the first that is not whole."""
    record = b""
    for kind, piece in _pieces(path.read_bytes()):
        record += piece
        if kind in (WHOLE, LAST):
            yield record
            record = b""


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = HEAD
    while place + PIECE.size <= len(data):
        room = BLOCK - place % BLOCK
        if room < PIECE.size:
            place += room
            continue
        _, length, kind = PIECE.unpack_from(data, place)
        place += PIECE.size
        if place + length > len(data):
            return
        yield kind, data[place : place + length]
        place += length
