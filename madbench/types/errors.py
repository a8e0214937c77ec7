"""Errors raised on purpose."""

from __future__ import annotations


class MadbenchError(Exception):
    """Base of every error raised on purpose."""


class InputError(MadbenchError, ValueError):
    """Bad input: says where, what was found, what was wanted. Exit code 2."""


class LeakError(MadbenchError):
    """A role was shown what its protocol declares hidden from it."""


class FormatError(MadbenchError):
    """A completion that the role's reply type cannot be read from, after all repairs."""


class ContextError(MadbenchError):
    """A prompt that does not fit the model's context under the chosen policy."""


class BudgetError(MadbenchError):
    """A cap on calls or tokens that was reached."""


class SeamError(MadbenchError):
    """Rows were lost, doubled or invented between two stages."""


class StorageError(MadbenchError):
    """A file of ours that a disk refuses to write or read (full, read-only, failing). What was written before is kept,
    nothing more is asked of a model, and the same command goes on when that is mended.
    """


class EngineError(MadbenchError):
    """The engine failed for reasons outside the request (node, memory, disk): worth another attempt."""
