"""The processes that talk to W&B: each has a time after which it is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from madbench.tracking.parcel import Parcel
from madbench.tracking.runs import Published

PROBE_S = 120.0
"""How long finding out about key and server may take; the server itself is given a few seconds of it."""
OFFLINE_S = 300.0
"""How long writing a run to W&B's own files may take, for which no server is asked."""


def choose_mode(wanted: str | None, home: Path) -> tuple[str, str]:
    """The mode, and why it is offline where nobody asked for that. The environment beats `wanted`.

    Raises RuntimeError where W&B itself cannot be used, whatever the mode.
    """
    if mode := os.environ.get("WANDB_MODE") or wanted:
        return mode, ""
    try:
        mode, reason = json.loads(_child("madbench.tracking.wandb_probe", "", home, PROBE_S))
    except TimeoutError as error:
        return "offline", f"nothing could be found out about key and server: {error}"
    return str(mode), str(reason)


def post(parcel: Parcel, home: Path, mode: str, timeout_s: float) -> Published:
    """Send a parcel. RuntimeError has the last words of a sender that failed, TimeoutError comes after `timeout_s`."""
    more = {"WANDB_MODE": mode}
    answer = json.loads(
        _child("madbench.tracking.wandb_send", parcel.model_dump_json(), home, timeout_s, more)
    )
    return Published(mode, parcel.table.ids, tuple(answer["found"]), parcel.table.total)


def _child(module: str, words: str, home: Path, timeout_s: float, more: Mapping[str, str] = {}) -> str:
    """What a module prints when run on these words. However this ends, the process and its own are ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(home), **more},
        start_new_session=True,
        text=True,
        encoding="utf-8",
    )
    try:
        out, err = process.communicate(words, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"no end after {timeout_s:g} s") from None
    finally:
        _end(process)
    if process.returncode:
        raise RuntimeError((err.strip().splitlines() or [f"exit {process.returncode}"])[-1])
    return out


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def environment(home: Path) -> dict[str, str]:
    """Ours, with every W&B folder that it does not name put under the experiment's output folder."""
    own = home / "wandb"
    own.mkdir(parents=True, exist_ok=True)
    folders = {
        "WANDB_DIR": home,
        "WANDB_DATA_DIR": own / "data",
        "WANDB_CACHE_DIR": own / "cache",
        "WANDB_ARTIFACT_DIR": own / "artifacts",
    }
    if not (Path.home() / ".config" / "wandb" / "settings").exists():
        folders["WANDB_CONFIG_DIR"] = own / "config"
    quiet = {"WANDB_SILENT": "true", "WANDB_CONSOLE": "off"}
    return quiet | {key: str(path.resolve()) for key, path in folders.items()} | dict(os.environ)
