"""Output that stops no sweep: its reader may turn away (`head`, a killed `tee`), its terminal may lack characters."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Said(io.FileIO):
    """What nobody reads any more is lost, and nothing else is."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def stop_for_no_reader() -> None:
    """From now on a sweep goes on when nobody reads its output any more; what cannot be shown is spelled out."""
    sys.stdout, sys.stderr = _over(sys.stdout), _over(sys.stderr)


def _over(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):  # none at all, where it was closed before
        return stream
    stream.flush()
    raw = _Said(stream.fileno(), "w", closefd=False)
    errors = "backslashreplace" if stream.errors == "strict" else stream.errors
    at_once = stream.line_buffering or stream.write_through
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, errors, line_buffering=at_once)
