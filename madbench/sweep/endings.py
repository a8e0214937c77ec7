"""How the program ends: exit codes, and the exceptions that carry one through Hydra."""

from __future__ import annotations

from contextvars import ContextVar

from madbench.types import MadbenchError

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 75
FULL_ERROR = "HYDRA_FULL_ERROR"
"""Environment variable that asks Hydra, and us, for tracebacks."""
OWED: ContextVar[int] = ContextVar("OWED", default=DONE)
"""The exit code of a sweep that went on past a job that failed, once it ends."""


def owe(code: int) -> None:
    """Remember an exit code other than 0; a function, since launchers that pickle what they call pickle no variable."""
    OWED.set(code or OWED.get())


class Finished(SystemExit):
    """The sweep is over; not an Exception, so that no launcher takes it for a job's failure."""

    def __init__(self, code: int, error: Exception | None = None) -> None:
        super().__init__(code)
        self.code: int = code
        self.error = error


class JobFailed(MadbenchError):
    """A job did not end well; a launcher other than ours, or a sweeper, decides whether others go on."""
