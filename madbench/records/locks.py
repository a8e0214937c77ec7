"""Who alone may write: locks that end with the process that held them, also where the file system knows none."""

from __future__ import annotations

import errno
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLock

NONE_THERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""What a file system without locks says, such as NFS without its lock service."""


def locked(path: Path, wait: float) -> BaseFileLock:
    """Take a lock, waiting so many seconds for it. Raises filelock's Timeout where another process has it.

    Where the file system has no locks, a file `….held` is the lock: a dead process of this host loses it, one of
    another host is for the user to remove.
    """
    lock: BaseFileLock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=wait)
    except OSError as error:
        if error.errno not in NONE_THERE:
            raise
        lock = SoftFileLock(f"{path}.held", thread_local=False)
        lock.acquire(timeout=wait)
    return lock
