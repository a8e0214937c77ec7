"""Saying what went wrong: in one message where a user can mend it, with a traceback where only we can."""

from __future__ import annotations

import errno
import os
import re
import sys
import traceback
from collections.abc import Mapping
from types import MappingProxyType

from madbench.sweep.configs import KEYS, choices_of
from madbench.sweep.endings import BAD_INPUT, FAILED, FULL_ERROR
from madbench.types import InputError, RoleSettings, SeamError, StorageError
from madbench.types.spelling import plain

MEANT: Mapping[str, str] = MappingProxyType(
    {
        "experiment": "an experiment is added, +experiment=NAME",
        "model": "a model plays a role, model@cast.default=NAME",
    }
)
"""Groups that are chosen in another form than `group=NAME`."""
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""What a disk says that takes no more, or gives nothing back."""
NO_KEY = re.compile(r"Could not override '([\w.@/]+)'")


def complain(error: Exception) -> int:
    """Print an error; returns the exit code it stands for."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError) and error.errno in DISK:
        error = StorageError(f"{error.filename or 'disk'}: {error.strerror}; what was written before is kept")
    if isinstance(error, StorageError | SeamError):
        print(plain(f"madbench: {error}", keep="\n\t"), file=sys.stderr)
        return FAILED
    if not _is_input(error):
        print(plain("".join(traceback.format_exception(error)), keep="\n\t"), file=sys.stderr, end="")
        return FAILED
    if os.environ.get(FULL_ERROR) == "1":
        print(plain("".join(traceback.format_exception(error)), keep="\n\t"), file=sys.stderr, end="")
    print(plain(f"madbench: {told(error)}", keep="\n\t"), file=sys.stderr)
    return BAD_INPUT


def told(error: Exception) -> str:
    """What a user needs to know of an error in the input."""
    for said in (error, error.__cause__):  # what a launcher or a sweeper refuses comes in an error of Hydra's
        if isinstance(said, InputError):
            return str(said)
    reasons = [str(reason).strip() for reason in (error, error.__cause__) if reason is not None]
    if (override := getattr(error, "override", None)) and type(error).__name__ == "OverrideParseException":
        quoted = "a value with = , ( or the like is quoted for both: 'key=\"value\"'"
        return f"config: override {override!r}: {reasons[0].splitlines()[0]}; {quoted}"
    if match := NO_KEY.search(reasons[0]):
        return _unknown(match[1])
    return "\n".join(dict.fromkeys(reason for reason in reasons if reason))


def _unknown(key: str) -> str:
    """An override of a key that is not there: the keys that are, where they are few."""
    parent, _, _ = key.rpartition(".")
    if key in MEANT:
        return f"config: unknown key {key}: {MEANT[key]}; there are {', '.join(choices_of(key))}"
    if not parent:
        return f"config: unknown key {key}; there are {', '.join(KEYS)}"
    if (field := RoleSettings.model_fields.get(parent)) and (
        known := getattr(field.annotation, "model_fields", None)
    ):
        return f"config: unknown key {key}; {parent} has {', '.join(known)}"
    return f"config: {parent} has no {key.rpartition('.')[2]} in its file; +{key}=… sets one that its class knows"


def _is_input(error: Exception) -> bool:
    """Our own errors about input, and all that Hydra and OmegaConf raise from their own code."""
    if isinstance(error, InputError):
        return True
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    known = [name for name in modules if name.startswith(("hydra.", "omegaconf.", "madbench."))]
    return known[-1:] != [] and not known[-1].startswith("madbench.")
