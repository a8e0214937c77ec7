"""Rows that a tracker loses are announced; no result is lost with them."""

import pytest
from sweep.command import madbench, rows, run_of, summary


@pytest.fixture(scope="module")
def untracked(tmp_path_factory):
    """A run that nothing was told of."""
    folder = tmp_path_factory.mktemp("untracked")
    assert madbench(folder, "protocol=cot").returncode == 0
    return folder


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "metrics to tracking: planned 12 rows, found 11; 1 missing ['synthetic-"),
        (("+tracking.problem=no room",), "no room"),
    ],
)
def test_a_tracker_s_trouble_is_said_once_and_costs_nothing(tmp_path, untracked, given, said):
    ended = madbench(tmp_path, "protocol=cot", "tracking=losing", *given)
    assert ended.returncode == 0
    (line,) = [line for line in ended.err.splitlines() if "tracking" in line]
    assert line.startswith("WARNING tracking: cot: ")
    assert said in line
    assert "its results here are complete" in line
    assert said in (run_of(tmp_path, "cot") / "run.log").read_text()
    assert rows(run_of(tmp_path, "cot")) == rows(run_of(untracked, "cot"))
    assert summary(tmp_path)["arms"] == summary(untracked)["arms"]
