"""Code out of replies and mutated functions: it may compute for some seconds, and do nothing else."""

import json
import os
import platform
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from madbench.tasks import limited
from madbench.tasks.gym_pool import distinct, stream_settings
from madbench.tasks.gym_scorer import LimitedScorer
from madbench.tasks.seeded.proving import Checker
from madbench.tasks.seeded.stdlib import Function

filtered = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in limited.CALLS,
    reason="the kernel filters system calls on Linux alone, on x86-64 and ARM",
)
SECRET = "sk-in-the-environment-of-the-caller"
PROBE = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("limited", {limited.__file__!r})
limited = importlib.util.module_from_spec(spec)
spec.loader.exec_module(limited)
import atexit, ctypes, os, shutil, socket, subprocess, threading, time
libc = ctypes.CDLL(None)
if sys.argv[1] == "kernel":
    limited.deny = lambda event, args: None
class Trusting:
    def score_answer(self, answer, entry):
        names = dict(globals())
        exec(answer, names)
        return names.get("score", 1.0)
print(limited.scored(Trusting(), {{}}, sys.stdin.read()))
"""


def scored(reply, *, guard="all", limit=120.0):
    """What a scorer that runs replies gives for one: 1 if nothing stopped it, 0 or None if something did."""
    began = time.monotonic()
    told = subprocess.run(
        [sys.executable, "-I", "-c", PROBE, guard],
        input=reply,
        check=False,
        capture_output=True,
        text=True,
        timeout=limit,
    )
    assert time.monotonic() - began < limit
    return told.stdout.strip()


ESCAPES = {
    "a shell": "os.system('touch {scratch}/file')",
    "a program": "subprocess.run(['touch', '{scratch}/file'])",
    "another program": "os.execv('/bin/touch', ['touch', '{scratch}/file'])",
    "a socket": "socket.create_connection(('127.0.0.1', 9))",
    "a listening socket": "socket.socket().bind(('127.0.0.1', 0))",
    "a file": "open('{scratch}/file', 'w')",
    "a file of the system": "open('/etc/hosts', 'a')",
    "a folder": "os.mkdir('{scratch}/file')",
    "a link": "os.symlink('/', '{scratch}/file')",
    "a removal": "os.remove('{scratch}/keep')",
    "a renaming": "os.rename('{scratch}/keep', '{scratch}/file')",
    "a tree gone": "shutil.rmtree('{scratch}')",
    "the caller's environment": "open(f'/proc/{{os.getppid()}}/environ').read()",
    "the caller's memory": "open(f'/proc/{{os.getppid()}}/mem', 'rb')",
    "the caller's life": "os.kill(os.getppid(), 9)",
    "a child": "os.fork()",
    "a thread": "threading.Thread(target=print).start()",
    "a C library": "ctypes.CDLL('libc.so.6').system(b'touch {scratch}/file')",
    "a handler that sees frames": "import signal; signal.signal(14, lambda number, frame: None)",
    "the stack": "import sys; sys._getframe(3)",
    "the bound raised": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (99, 99))",
    "a lock on the end": "import time; time.sleep(3600)",
    "a loop": "while True: pass",
    "deep recursion": "f = lambda n: f(n + 1)\nf(0)",
    "memory": "x = bytearray(1 << 33)",
    "memory by steps": "x = []\nwhile True: x.append(bytearray(1 << 26))",
    "the end": "os._exit(0)",
    "a score of its own": "os.write(1, b'x 1.0'); [os.write(n, b'x 1.0\\n') for n in range(3, 30)]",
    "a flood": "while True:\n    for n in range(3, 30):\n        try: os.write(n, b'x' * 65536)\n"
    "        except OSError: pass",
    "a signal to itself": "os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("name", ESCAPES)
def test_a_reply_that_is_run_can_only_compute(name, tmp_path):
    (tmp_path / "keep").write_text("kept")
    assert scored(ESCAPES[name].format(scratch=tmp_path)) in ("0.0", "None")
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]


def test_a_reply_that_only_computes_is_scored():
    assert scored("score = sum(range(5)) / 10") == "1.0"


CALLS = {
    "kill": "libc.kill(os.getppid(), 9)",
    "tgkill": "libc.syscall({tgkill}, os.getppid(), os.getppid(), 9)",
    "fork": "libc.fork()",
    "vfork": "libc.vfork()",
    "thread": "threading.Thread(target=print).start() or 0",
    "socket": "libc.socket(2, 1, 0)",
    "pair": "libc.socketpair(1, 1, 0, ctypes.create_string_buffer(8))",
    "open": "libc.open(b'/etc/passwd', 0)",
    "creat": "libc.open(b'{scratch}/file', 0o101, 0o666)",
    "mkdir": "libc.mkdir(b'{scratch}/file', 0o777)",
    "mknod": "libc.mknod(b'{scratch}/file', 0o100666, 0)",
    "link": "libc.link(b'{scratch}/keep', b'{scratch}/file')",
    "unlink": "libc.unlink(b'{scratch}/keep')",
    "truncate": "libc.truncate(b'{scratch}/keep', 0)",
    "chmod": "libc.chmod(b'{scratch}/keep', 0)",
    "execve": "libc.execve(b'/bin/touch', 0, 0)",
    "ptrace": "libc.ptrace(16, os.getppid(), 0, 0)",
    "memory of the caller": "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "bounds": "libc.prlimit(0, 0, ctypes.create_string_buffer(16), 0)",
    "uring": "libc.syscall(425, 1, 0)",
    "other": "libc.syscall(0x40000000 + 57)",
    "unfiltered": "libc.prctl(22, 0, 0, 0, 0)",
}


@filtered
@pytest.mark.parametrize("name", CALLS)
def test_code_that_got_round_python_meets_the_kernel(name, tmp_path):
    """With the audit hook off: as root, too, whom bounds on processes do not bind."""
    (tmp_path / "keep").write_text("kept")
    tgkill = {"x86_64": 234, "aarch64": 131}[platform.machine()]
    call = CALLS[name].format(scratch=tmp_path, tgkill=tgkill)
    refused = f"try:\n    score = float({call})\nexcept (OSError, RuntimeError):\n    score = -1.0"
    assert scored(refused, guard="kernel") == "-1.0"
    assert (tmp_path / "keep").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["keep"]


@pytest.fixture(scope="module")
def countdown():
    scorer = LimitedScorer("countdown", stream_settings({}, 256))
    yield scorer
    scorer.close()


def children(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_the_scorer_s_process_knows_none_of_the_caller_s_secrets(countdown, monkeypatch):
    entry = distinct("countdown", {}, 1)[0]
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    countdown.close()
    assert countdown.right(entry.answer, entry.index)
    kept = Path(f"/proc/{countdown._process.pid}/environ").read_bytes()
    assert SECRET.encode() not in kept
    assert b"KEY" not in kept


@filtered
def test_no_fork_outlives_the_scorer(countdown):
    """A reply that sleeps costs no time of computing: it ends with its parent, or by the clock on the wall."""
    entry = distinct("countdown", {}, 1)[0]
    asking = threading.Thread(
        target=lambda: countdown.score("__import__('time').sleep(3600)", entry.index), daemon=True
    )
    pid = countdown._process.pid
    asking.start()
    end, found = time.monotonic() + 60, []
    while not found and time.monotonic() < end:
        found = children(pid)
        time.sleep(0.01)
    os.kill(pid, 9)
    asking.join(60)
    while any(Path(f"/proc/{one}").exists() for one in found) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [one for one in found if Path(f"/proc/{one}/exe").exists()]


MUTANTS = {
    "a shell": "    import os\n    os.system('touch {scratch}/file')",
    "a file": "    open('{scratch}/file', 'w').write('x')",
    "a socket": "    import socket\n    socket.create_connection(('127.0.0.1', 9))",
    "a child": "    import os\n    os.fork()",
    "a flood": "    import os\n    while True:\n        for n in range(3, 30):\n            try:\n                "
    "os.write(n, b'x' * 65536)\n            except OSError:\n                pass",
    "the environment": "    import os\n    return dict(os.environ)",
    "the caller's environment": "    import os\n    return open(f'/proc/{{os.getppid()}}/environ').read()",
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_can_only_compute(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    text = f"def double(text):\n{MUTANTS[name].format(scratch=tmp_path)}\n    return text\n"
    with Checker() as checker:
        (said,) = checker.run(Function("textwrap", "double", text, ""), [text], [(["words"], "0")])
        shown = checker.show(Function("textwrap", "double", text, ""), [(["words"], "0")])
    assert list(tmp_path.iterdir()) == []
    assert SECRET not in json.dumps([said, shown])
