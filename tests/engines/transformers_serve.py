"""`transformers serve` as a process of its own on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

SECONDS = 120.0


@contextmanager
def serving(model: Path | str) -> Iterator[str]:
    """Serve one model while the context lasts; yields the base_url. Skips where the server is not installed."""
    if not all(find_spec(package) for package in ("fastapi", "uvicorn", "openai")):
        pytest.skip("transformers serve needs fastapi, uvicorn and openai: pip install -e '.[dev]'")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = "from transformers.cli.transformers import main; main()"
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    process = subprocess.Popen(
        [sys.executable, "-c", start, "serve", str(model), *options],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "passive"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait(process, f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def wait(process: subprocess.Popen[str], url: str) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(process.stderr.read()[-2000:])
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            time.sleep(0.3)
        else:
            return
    raise AssertionError(f"no answer at {url} within {SECONDS:.0f} s")
