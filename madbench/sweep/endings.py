"""How the program ends: exit codes, and the exceptions that carry one through Hydra."""

from __future__ import annotations

from madbench.types import MadbenchError

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 75
FULL_ERROR = "HYDRA_FULL_ERROR"
"""Environment variable that asks Hydra, and us, for tracebacks."""


class Finished(SystemExit):
    """The sweep is over; not an Exception, so that no launcher takes it for a job's failure."""

    def __init__(self, code: int, error: Exception | None = None) -> None:
        super().__init__(code)
        self.code: int = code
        self.error = error


class JobFailed(MadbenchError):
    """A job under another launcher than `pool` did not end well; that launcher goes on with the others."""
