"""The experiment that chose the intervals still finds them valid, at sizes that are quick to simulate."""

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "experiments" / "validity" / "simulate.py"
SPEC = importlib.util.spec_from_file_location("validity", PATH)
simulate = importlib.util.module_from_spec(SPEC)
sys.modules["validity"] = simulate
SPEC.loader.exec_module(simulate)

REPEATS = 150
QUICK = [case for case in simulate.cases() if case.n in ("20", "48 (6 clusters)")]


@pytest.mark.parametrize("case", QUICK, ids=lambda case: f"{case.what}, {case.where}, {case.n}")
def test_coverage_and_level(case):
    here, _ = simulate.share(case, REPEATS)
    if "rejects" in case.what:
        assert here <= 0.11
    else:
        assert here >= 0.88


def test_what_was_not_chosen_covers_less():
    rare = next(
        case for case in QUICK if case.what == "paired difference" and case.where.startswith("0.1 right")
    )
    here, bootstrap = simulate.share(rare, REPEATS)
    assert bootstrap < 0.92 < here
