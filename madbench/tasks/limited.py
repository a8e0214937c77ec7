"""The program of the limited subprocess: scores replies with reasoning-gym's own scorers, some of which run what
stands in a reply. It stands alone (standard library and reasoning-gym) and is run, never imported.

One JSON object a line in, one out. Each reply is scored in a fork of its own, which may compute for some
seconds and do nothing else: it can open no file or socket, start no program or thread and look into no other
frame. Python's audit hook says so to honest code. What gets round it meets the kernel: on Linux (x86-64 and ARM)
a filter of system calls, everywhere bounds of time, memory, files and their size.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import posix
import resource
import secrets
import select
import signal
import struct
import sys
from collections.abc import Callable
from typing import Protocol

CPU_SECONDS = 2
WALL_SECONDS = 20.0
MEMORY = 2 << 30
HARMLESS = frozenset({"compile", "exec", "builtins.id", "import", "object.__getattr__", "array.__new__"})
FRAMES = frozenset({"tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "f_back", "f_locals"})
HIGHEST = 1 << 16
"""File descriptors up to which all are closed."""
CALLS = {
    "x86_64": (
        0xC000003E,
        "0 1 3 4 5 6 7 8 9 10 11 12 14 15 21 24 25 28 35 36 38 39 60 63 79 89 96 98 100 102 104 107 108 110 131 186 "
        "201 202 219 228 229 230 231 262 267 269 318 332 334",
    ),
    "aarch64": (
        0xC00000B7,
        "17 48 57 62 63 64 73 78 79 80 93 94 98 101 102 103 113 114 115 124 128 132 135 139 153 160 165 169 172 173 "
        "174 175 176 177 178 214 215 216 222 226 233 278 291 293",
    ),
}
"""By machine: its name to the kernel, and the numbers of the system calls that a fork may make: memory, clocks, its own
identity and its end; reads and writes of what is open (one pipe); the names, sizes and times of files.
"""


class Scorer(Protocol):
    """What is used of a reasoning-gym data set."""

    def __getitem__(self, index: int) -> dict[str, object]: ...
    def score_answer(self, answer: str, entry: dict[str, object]) -> float: ...


def filtering() -> Callable[[], None]:
    """What binds this process, for good, to these system calls and to its parent's life; nothing where unsupported."""
    arch, numbers = CALLS.get(platform.machine(), (0, ""))
    allowed = [int(number) for number in numbers.split()]
    if not sys.platform.startswith("linux") or not allowed:
        return lambda: None
    load, equal, above, give = 0x20, 0x15, 0x35, 0x06
    steps = [(load, 0, 0, 4), (equal, 1, 0, arch), (give, 0, 0, 1 << 31), (load, 0, 0, 0)]
    steps += [(above, len(allowed), 0, 1 << 30)]  # of another calling convention
    steps += [(equal, len(allowed) - place, 0, number) for place, number in enumerate(allowed)]
    steps += [(give, 0, 0, 5 << 16 | 1), (give, 0, 0, 0x7FFF << 16)]  # EPERM, or let it pass
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    prctl, kill = ctypes.CDLL(None).prctl, int(signal.SIGKILL)
    calls = [(1, kill, 0, 0, 0), (38, 1, 0, 0, 0), (22, 2, program, 0, 0)]
    settings = [tuple(map(_long, call)) for call in calls]

    def bind() -> None:
        for setting in settings:
            prctl(*setting)
        assert code.raw  # they live as long as this

    return bind


def _long(value: object) -> object:
    return ctypes.c_ulong(value) if isinstance(value, int) else value


BIND = filtering()


def deny(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: refuses whatever is not computing. Cannot be taken off again."""
    if event not in HARMLESS or (event == "object.__getattr__" and args[1] in FRAMES):
        raise PermissionError(f"{event} is not allowed to a scorer")


def lock(keep: int) -> None:
    """Give up files but one pipe, sockets, programs, memory and time, for good."""
    os.closerange(0, keep)
    os.closerange(keep + 1, HIGHEST)
    for maker in ("mkfifo", "mknod"):
        for module in (os, posix):
            delattr(module, maker)
    for name, bound in {
        resource.RLIMIT_CPU: CPU_SECONDS,
        resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_NOFILE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
    }.items():
        with contextlib.suppress(ValueError, OSError):  # not every system has every bound
            resource.setrlimit(name, (bound, bound))
    BIND()
    sys.addaudithook(deny)


def judge(scorer: Scorer, entry: dict[str, object], answer: str, pipe: tuple[int, str]) -> None:
    """In the fork: write the score behind a secret that the reply cannot know."""
    (result, secret), write, leave, number = pipe, os.write, os._exit, float
    lock(result)
    try:
        score = number(scorer.score_answer(answer, entry))
    except BaseException:  # a reply that breaks the scorer is wrong
        score = 0.0
    write(result, f"{secret} {score!r}\n".encode())
    leave(0)


def scored(scorer: Scorer, entry: dict[str, object], answer: str) -> float | None:
    """A reply's score; None where its fork died, ran out of time or wrote anything else."""
    read_end, write_end = os.pipe()
    secret = secrets.token_hex(16)
    child = os.fork()
    if child == 0:
        judge(scorer, entry, answer, (write_end, secret))
    os.close(write_end)
    ready, _, _ = select.select([read_end], [], [], WALL_SECONDS)
    words = os.read(read_end, 4096).decode(errors="replace").split() if ready else []
    os.close(read_end)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return float(words[1]) if len(words) == 2 and words[0] == secret else None


def opened(name: str, settings: dict[str, object]) -> Scorer:
    import reasoning_gym

    scorer: Scorer = reasoning_gym.create_dataset(name, **settings)
    return scorer


def main() -> None:
    """Serve requests `{"index", "answer"}` about the data set named in the first line, until input ends.

    Ends at once where not even a right answer can be scored under the limits: no reply is to blame for that.
    """
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    first = json.loads(sys.stdin.readline())
    scorer = opened(first["dataset"], first["settings"])
    works = False
    for line in sys.stdin:
        request = json.loads(line)
        entry = scorer[request["index"]]
        scorer.score_answer(str(entry["answer"]), entry)
        works = works or scored(scorer, entry, str(entry["answer"])) is not None
        if not works:
            sys.exit("right answers cannot be scored under these limits")
        replies.write(json.dumps({"score": scored(scorer, entry, request["answer"])}) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
