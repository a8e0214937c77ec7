"""A run's own log: when it started and ended, and why."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from madbench.records.layout import RunFolder
from madbench.types.spelling import plain

KEPT = "\n\t"


def note(folder: RunFolder, text: str) -> None:
    """Append to run.log, with the time. What a disk refuses is left out: whoever notes says it to the user, too."""
    with suppress(OSError):
        folder.path.mkdir(parents=True, exist_ok=True)
        with folder.log.open("a", encoding="utf-8") as log:
            log.write(
                f"{datetime.now(UTC).isoformat(timespec='seconds')} {plain(text.rstrip(), keep=KEPT)}\n"
            )
