"""The embedded model's sweep through SLURM jobs gives what it gives in one process."""

import json
import subprocess
import sys

import pytest
from long import LONG
from sweep.slurm_site import QUICK, Site, missing
from sweep.test_real_kills import told

SWEEP = (
    *(sys.executable, "-m", "madbench", "+experiment=quickstart", "protocol=cot,self_consistency,debate"),
    *("seed=0,1", "limit=4", "tracking=none", "cast.default.dtype=float32"),
)
JOBS = (*QUICK, "hydra.launcher.job.mem_gb=1", "hydra.launcher.runs_per_job=3")


def numbers(folder):
    """Every arm's numbers without those that are taken with a clock or hang on the last digits of a probability."""
    arms = json.loads((folder / "quickstart" / "summary.json").read_text())["arms"]
    return {
        (arm["arm"], arm["seed"], name): arm["metrics"][name]["value"]
        for arm in arms
        for name in ("accuracy", "unparsed_rate", "calls", "prompt_tokens", "output_tokens")
        if name in arm["metrics"]
    }


@LONG
@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(bool(missing()), reason=f"no SLURM here: {missing()} not found")
def test_three_protocols_and_two_seeds_through_slurm_give_the_same_answers(tmp_path):
    site, alone, jobs = Site(tmp_path / "site"), tmp_path / "alone", tmp_path / "jobs"
    subprocess.run([*SWEEP, f"output_root={alone}"], check=True)
    site.script("up", "2")
    try:
        subprocess.run([*SWEEP, *JOBS, f"output_root={jobs}"], check=True, env=site.environment())
    finally:
        site.script("down")
    assert len(told(alone)) == 24
    assert told(jobs) == told(alone)
    assert numbers(jobs) == numbers(alone)
    assert len(numbers(alone)) >= 6 * 3
