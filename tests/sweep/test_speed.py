"""Help and mistakes are answered at once: what takes long to load is loaded by what needs it."""

import subprocess
import sys

import pytest

SLOW = (
    *("scipy", "pyarrow", "pandas", "matplotlib", "sklearn"),
    *("torch", "transformers", "datasets", "reasoning_gym", "wandb"),
)
SYNTHETIC = ["task=synthetic", "model@cast.default=simulated"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["--help"], 0),
        (["limit=many"], 2),
        (["task=nix"], 2),
        (["protocol=debate", "protocol.agents=0"], 2),
        (["-m", "protocol=cot,debate", *SYNTHETIC, "+task.nix=1"], 2),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_no_answer_waits_for_a_large_library(given, code):
    asked = f"from madbench.sweep.app import run; code = run({given!r})"
    told = f"import sys; {asked}; print(code, *sorted({{*{SLOW!r}}} & {{*sys.modules}}))"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == str(code)


COUNTED = """
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from madbench.sweep.app import run
composed, compose = [], ConfigLoaderImpl.load_sweep_config
def counted(self, *given, **named):
    composed.append(given)
    return compose(self, *given, **named)
ConfigLoaderImpl.load_sweep_config = counted
code = run(%r)
print(code, len(composed))
"""


@pytest.mark.parametrize(("sweeper", "times"), [("grid", 1), ("basic", 2)])
def test_a_job_of_a_sweep_is_composed_once(tmp_path, sweeper, times):
    given = ["-m", f"hydra/sweeper={sweeper}", "protocol=cot", "seed=0,1,2", *SYNTHETIC, "dry_run=true"]
    code = COUNTED % [*given, f"output_root={tmp_path}"]
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == f"0 {3 * times}"


def test_help_needs_neither_arrays_nor_templates_nor_hydra():
    asked = "from madbench.sweep.app import run; run(['--help'])"
    told = f"import sys; {asked}; print(sorted({{'numpy', 'jinja2', 'hydra'}} & {{*sys.modules}}))"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_the_tests_behind_a_table_need_no_more_of_scipy_than_they_use():
    """scipy.stats alone takes as long to load as all the rest of a start."""
    code = (
        "import sys, numpy as np; from madbench.metrics.comparisons import mcnemar, sign_flip;"
        "from madbench.metrics.estimates import reach;"
        "mcnemar(3, 9), reach(40), sign_flip(np.ones(2000)); print('scipy.stats' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
