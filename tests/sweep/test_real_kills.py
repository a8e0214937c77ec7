"""The embedded model, killed in mid-run and started again: what is kept is what an undisturbed run keeps."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from madbench.records.layout import RunFolder
from madbench.records.tables import read_records
from madbench.types import Effort

COMMAND = (
    *(sys.executable, "-m", "madbench", "+experiment=quickstart", "protocol=cot,debate", "limit=3"),
    *("tracking=none", "cast.default.dtype=float32"),
)


def start(folder):
    return subprocess.Popen([*COMMAND, f"output_root={folder}"], start_new_session=True)


def journaled(folder):
    return [line for file in folder.glob("quickstart/journal/*/*.jsonl") for line in file.open()]


def kill_after(folder, completions):
    """Kill supervisor and worker, without a warning, once so many completions are kept."""
    process = start(folder)
    while len(journaled(folder)) < completions and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    subprocess.run(["pkill", "-9", "-f", str(folder)], check=False)
    process.wait()


def told(folder):
    """Every row but time and host, and without log-probabilities, whose last digits depend on the batch."""
    return {
        (run.name, record.id): replace(
            record, effort=Effort(0, ""), turns=tuple(map(without_digits, record.turns))
        )
        for run in sorted(folder.glob("quickstart/runs/*"))
        for record in read_records(RunFolder(run))
    }


def without_digits(turn):
    pieces = tuple((piece, 0.0) for piece, _ in turn.completion.pieces)
    reading = replace(turn.reading, probability=None)
    return replace(turn, completion=replace(turn.completion, pieces=pieces), reading=reading)


@pytest.mark.model
@pytest.mark.slow
def test_three_kills_change_nothing_and_repeat_nothing(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert start(whole).wait() == 0
    for completions in (2, 6, 14):
        kill_after(cut, completions)
        assert journaled(cut)
    assert start(cut).wait() == 0
    assert told(cut) == told(whole)
    assert len(journaled(cut)) == len(journaled(whole)) == len(set(journaled(cut)))
