"""How far a run is: a small file that other processes may read at any time."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import asdict, dataclass
from typing import Any, Literal

from madbench.records.layout import SCHEMA_VERSION, RunFolder, read_json, write_json
from madbench.records.lines import readable

State = Literal["running", "done", "incomplete", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class Status:
    """`done` of `planned` rows are final; `tokens` were attributed to the rows of this start.

    `running` is what a killed process leaves behind: whether somebody runs is told by the folder's lock.
    """

    state: State
    done: int
    planned: int
    tokens: int = 0
    error: str = ""
    traceback: str = ""

    def write(self, folder: RunFolder) -> None:
        who: dict[str, Any] = {"host": socket.gethostname(), "pid": os.getpid(), "updated": time.time()}
        write_json(folder.status, {"schema_version": SCHEMA_VERSION, **asdict(self), **who})


def read_status(folder: RunFolder) -> Status | None:
    """None where the run was never started."""
    if not folder.status.exists():
        return None
    held = read_json(folder.status)
    with readable(str(folder.status)):
        return Status(**{name: held[name] for name in Status.__dataclass_fields__})
