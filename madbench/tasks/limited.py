"""The program of the limited subprocess: scores replies with reasoning-gym's own scorers, some of which run what
stands in a reply. It stands alone (standard library and reasoning-gym) and is run, never imported.

One JSON object a line in, one out. Each reply is scored in a fork of its own, which may compute for some
seconds and do nothing else: it can open no file or socket, start no program and look into no other frame.
"""

from __future__ import annotations

import contextlib
import json
import os
import posix
import resource
import secrets
import select
import signal
import sys
from typing import Protocol

CPU_SECONDS = 2
WALL_SECONDS = 4.0
MEMORY = 2 << 30
HARMLESS = frozenset({"compile", "exec", "builtins.id", "import", "object.__getattr__", "array.__new__"})
FRAMES = frozenset({"tb_frame", "gi_frame", "cr_frame", "ag_frame", "gi_code", "f_back", "f_locals"})


class Scorer(Protocol):
    """What is used of a reasoning-gym data set."""

    def __getitem__(self, index: int) -> dict[str, object]: ...
    def score_answer(self, answer: str, entry: dict[str, object]) -> float: ...


def deny(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: refuses whatever is not computing. Cannot be taken off again."""
    if event not in HARMLESS or (event == "object.__getattr__" and args[1] in FRAMES):
        raise PermissionError(f"{event} is not allowed to a scorer")


def lock(keep: int) -> None:
    """Give up files but one pipe, sockets, programs, memory and time, for good."""
    os.closerange(0, keep)
    os.closerange(keep + 1, 256)
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
    sys.addaudithook(deny)


def judge(scorer: Scorer, entry: dict[str, object], answer: str, pipe: tuple[int, str]) -> None:
    """In the fork: write the score behind a secret that the reply cannot know."""
    (result, secret), write, leave = pipe, os.write, os._exit
    lock(result)
    try:
        score = float(scorer.score_answer(answer, entry))
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
