"""A sweeper hears the number that it optimises, of every job, in order."""

import importlib.util
import json
import math
import pickle

import pytest
import yaml
from sweep.command import HERE, home, importable, start, summary

from madbench.sweep.hydra_app import each_job
from madbench.sweep.objectives import refuse_without
from madbench.types import InputError

PLUGINS = importable(HERE, HERE / "plugins")


def listened(folder, batches, *arguments):
    """What a sweeper heard of its batches; and the process."""
    process = start(
        folder,
        "-m",
        "hydra/sweeper=listening",
        f"hydra.sweeper.batches={json.dumps(batches)}",
        *arguments,
        PYTHONPATH=PLUGINS,
    )
    process.out, process.err = process.communicate(timeout=240)
    heard = [json.loads(words[6:]) for words in process.out.splitlines() if words.startswith("HEARD ")]
    return heard, process


def metric(folder, name):
    """By arm, as the summary prints it."""
    return {one["arm"]: one["metrics"][name]["value"] for one in summary(folder)["arms"]}


def test_every_job_gives_its_metric_back(tmp_path):
    """Two batches, a job of the first asked for again beside one that is there twice."""
    batches = [["protocol=cot", "protocol=cot_sampled"], ["protocol=cot", "seed=1", "seed=1"]]
    (first, second), process = listened(tmp_path, batches, "protocol=cot", "objective=accuracy")
    assert process.returncode == 0, process.err
    told = {
        (one["arm"], one["seed"]): one["metrics"]["accuracy"]["value"] for one in summary(tmp_path)["arms"]
    }
    assert first == [told["cot", 0], told["cot_sampled", 0]]
    assert second == [told["cot", 0], told["cot", 1], told["cot", 1]]
    assert len(set(told.values())) > 1
    assert len(list((home(tmp_path) / "runs").iterdir())) == 3
    assert (home(tmp_path) / ".hydra").is_dir()


def test_several_objectives_are_a_tuple_in_order(tmp_path):
    ((first, _),), process = listened(
        tmp_path, [["protocol=debate", "protocol=cot"]], "objective=[calls,accuracy]"
    )
    assert process.returncode == 0, process.err
    assert first == [metric(tmp_path, "calls")["debate"], metric(tmp_path, "accuracy")["debate"]]


def test_an_objective_makes_no_other_run(tmp_path):
    listened(tmp_path, [["protocol=cot"]], "objective=accuracy")
    ((calls,),), process = listened(tmp_path, [["protocol=cot"]], "objective=calls")
    assert calls == 1.0
    assert "1 runs, 1 of them finished before" in process.out
    ((nothing,),), _ = listened(tmp_path, [["protocol=cot"]])
    assert nothing is None


def test_an_undefined_one_is_nan_and_said_once(tmp_path):
    heard, process = listened(
        tmp_path, [["seed=0", "seed=1"], ["seed=2"]], "protocol=cot", "objective=precision"
    )
    assert process.returncode == 0, process.err
    assert [math.isnan(value) for batch in heard for value in batch] == [True] * 3
    assert process.out.count("objective: precision is undefined in synthetic-cot-simulated-s0") == 1
    assert process.out.count("precision is undefined") == 1


def test_an_unknown_one_is_refused_before_anything_starts(tmp_path):
    heard, process = listened(tmp_path, [["protocol=cot"]], "objective=acuracy")
    assert (heard, process.returncode) == ([], 2)
    assert "objective: no metric 'acuracy' (accuracy?); there are accepted_share, accuracy, " in process.err
    assert not home(tmp_path).exists()


def test_one_that_a_protocol_of_others_might_have_is_refused_at_the_end_with_all_results_kept(tmp_path):
    heard, process = listened(tmp_path, [["protocol=timed"]], "+protocol.free=99", "objective=acuracy")
    assert (heard, process.returncode) == ([], 2), process.err
    assert "objective: no metric 'acuracy' in synthetic-timed-simulated-s0" in process.err
    assert "there is accuracy, " in process.err
    assert metric(tmp_path, "accuracy").keys() == {"timed"}


def test_a_job_that_fails_is_its_sweepers_to_judge(tmp_path):
    """It is heard of, it is not run again beside later jobs, and the command does not call itself well."""
    batches = [["protocol=raising", "protocol=cot"], ["protocol=cot_sampled"]]
    ((failed, first), (second,)), process = listened(tmp_path, batches, "objective=calls")
    assert failed == "JobFailed: failed: raising: ZeroDivisionError: wrong on purpose"
    assert (first, second) == (1.0, 1.0)
    assert process.returncode == 1
    (run,) = (home(tmp_path) / "runs").glob("synthetic-raising-*")
    assert sum(len(shard.read_text().splitlines()) for shard in run.glob("shards/*.jsonl")) == 12


@pytest.mark.parametrize(
    "more",
    [("objective=accuracy", "hydra.launcher.on_failure=stop"), ()],
    ids=["asked to stop", "no objective"],
)
def test_a_job_that_fails_ends_all(tmp_path, more):
    heard, process = listened(tmp_path, [["protocol=raising"], ["protocol=cot"]], *more)
    assert (heard, process.returncode) == ([], 1)


def test_launchers_of_others_hear_of_it_too(tmp_path):
    heard, process = listened(
        tmp_path,
        [["seed=0", "seed=1"], ["seed=0"]],
        "protocol=cot",
        "objective=accuracy",
        "hydra/launcher=basic",
    )
    assert process.returncode == 0, process.err
    told = {one["seed"]: one["metrics"]["accuracy"]["value"] for one in summary(tmp_path)["arms"]}
    assert heard == [[told[0], told[1]], [told[0]]]


def test_a_job_that_fails_is_its_sweepers_to_judge_under_launchers_of_others_too(tmp_path):
    """It takes no number from a job after it."""
    batches = [["protocol=raising"], ["protocol=cot"]]
    heard, process = listened(tmp_path, batches, "objective=calls", "hydra/launcher=basic")
    assert heard == [["JobFailed: failed: raising: ZeroDivisionError: wrong on purpose"], [1.0]]
    assert process.returncode == 1


def test_what_launchers_call_can_be_sent_to_another_process():
    """As joblib's and submitit's do."""
    cloudpickle = pytest.importorskip("cloudpickle")
    assert callable(pickle.loads(cloudpickle.dumps(each_job())))


@pytest.mark.parametrize("name", ["optuna", "nevergrad", "ax"])
def test_a_sweeper_that_optimises_is_refused_without_one(name):
    sweeper = f"hydra_plugins.hydra_{name}_sweeper.core.Sweeper"
    with pytest.raises(InputError, match="objective=accuracy"):
        refuse_without(None, sweeper)
    refuse_without("accuracy", sweeper)
    refuse_without(None, "hydra._internal.core_plugins.basic_sweeper.BasicSweeper")


@pytest.mark.skipif(
    importlib.util.find_spec("optuna") is None, reason="hydra-optuna-sweeper is not installed"
)
def test_optuna_finds_the_better_of_two(tmp_path):
    words = [
        "hydra/sweeper=optuna",
        "hydra.sweeper.n_trials=4",
        "hydra.sweeper.n_jobs=2",
        "hydra.sweeper.sampler.seed=1",
    ]
    words += [
        "hydra.sweeper.direction=maximize",
        "cast.default.accuracy=choice(0.1,0.9)",
        "objective=accuracy",
    ]
    process = start(tmp_path, "-m", "protocol=cot", *words)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, out + err
    best = yaml.safe_load((home(tmp_path) / ".hydra" / "optimization_results.yaml").read_text())
    assert best["best_params"] == {"cast.default.accuracy": 0.9}
    assert best["best_value"] == max(metric(tmp_path, "accuracy").values())
