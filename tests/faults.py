"""Disks that are full, read-only or failing, and locks that are none: real ones, small."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def disk(folder, size="1m"):
    """A file system of its own in a folder; the test is skipped where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(asked, check=False, capture_output=True).returncode:
        pytest.skip("a disk of a test's own can be mounted by root alone")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder, *options):
    subprocess.run(["mount", "-o", ",".join(["remount", *options]), str(folder)], check=True)


@contextmanager
def full(folder, left=0):
    """No more room on a disk than `left` bytes, as long as the context lasts."""
    filler = Path(folder) / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65536)
        except OSError:
            file.truncate(max(0, file.tell() - left))
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(folder):
    remount(folder, "ro")
    try:
        yield
    finally:
        remount(folder, "rw")


def failing(path):
    """A file that opens, and whose reading fails as that of a broken disk does (EIO)."""
    path.symlink_to("/proc/self/mem")


LIMITED = """
import resource, runpy, signal, sys
limit = int(sys.argv.pop(1))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
"""
"""No file of this process grows beyond so many bytes."""
NO_LOCKS = """
import errno, fcntl
def refuse(file, operation):
    raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock = refuse
"""
"""A file system without locks."""
LOCAL_LOCKS = """
import fcntl
fcntl.flock = lambda file, operation: None
"""
"""Locks that do not reach over hosts: everybody gets them."""


def python(code, *arguments, host=""):
    """A process of this code, under another host's name if one is given."""
    named = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host] if host else []
    if host and os.geteuid():
        pytest.skip("another host's name can be had by root alone")
    here = str(Path(__file__).parent)
    return subprocess.Popen(
        [*named, sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": here}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
