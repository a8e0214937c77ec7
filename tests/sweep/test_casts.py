"""Casts of several models: one a role, one a seat, and one in memory at a time."""

import json

import pytest
from engines import tiny
from hydra import compose, initialize_config_dir
from omegaconf import open_dict, read_write
from sweep.command import home, madbench, rows, run_of

from madbench.sweep.building import build
from madbench.sweep.configs import conf_folder, read_config
from madbench.sweep.naming import cast_name


def models(*overrides):
    """Each role's models by accuracy, and what the cast is called."""
    with initialize_config_dir(str(conf_folder()), version_base=None):
        composed = compose("config", list(overrides), return_hydra_config=True)
    job = job_of(composed)
    cast = {role: [model.accuracy for model in seats] for role, seats in build(job).cast.items()}
    return cast, cast_name(job.choices, build(job).cast)


def job_of(composed):
    choices = {str(key): str(value) for key, value in composed.hydra.runtime.choices.items()}
    with read_write(composed), open_dict(composed):
        del composed["hydra"]
    return read_config(composed, choices, ())


def test_a_role_has_a_model_of_its_own():
    given = ["protocol=judged_debate", "model@cast.default=simulated"]
    given += ["+model@cast.judge=simulated", "cast.judge.accuracy=0.9"]
    assert models(*given) == (
        {"default": [0.6], "judge": [0.9]},
        "simulated_judge.simulated",
    )


def test_seats_have_models_of_their_own():
    """Whatever their names, they sit in the order in which they are named, over and over."""
    given = [
        "~model@cast.default",
        "+model@cast.solver.a=simulated",
        "+model@cast.solver.b=simulated",
        "cast.solver.b.name=better",
        "cast.solver.b.accuracy=0.9",
    ]
    assert models(*given) == ({"solver": [0.6, 0.9]}, "solver.simulated+better")


def test_seats_may_be_a_list():
    kind = "_target_:madbench.engines.simulated.SimulatedModel"
    seats = ",".join(
        f"{{{kind},accuracy:{accuracy},name:m{n}}}" for n, accuracy in enumerate((0.1, 0.2, 0.3))
    )
    cast, _ = models("~model@cast.default", f"+cast.solver=[{seats}]")
    assert cast == {"solver": [0.1, 0.2, 0.3]}


def test_each_seat_is_played_by_its_model(tmp_path):
    """One that is always right and one that never is, seen in what they first say; nobody needs the default."""
    given = [
        "protocol=debate", "protocol.agents=3", "task.n=6",
        "+model@cast.solver.a=simulated", "cast.solver.a.accuracy=1.0",
        "+model@cast.solver.b=simulated", "cast.solver.b.accuracy=0.0", "cast.solver.b.name=wrong",
    ]  # fmt: skip
    done = madbench(tmp_path, *given, "model@cast.default=smollm2_135m")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "smollm2" not in (run_of(tmp_path, "debate") / "manifest.json").read_text().partition('"engines"')[2]
    )
    for row in rows(run_of(tmp_path, "debate")):
        truth = row["sample"]["target"][0]
        first = row["outcome"]["positions"][0]
        assert (first[0], first[2]) == (truth, truth)
        assert first[1] != truth


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = []
    for seed in (0, 1):
        folder = tiny.save(tmp_path_factory.mktemp(f"tiny{seed}"), context=4096)
        tiny.model(len(tiny.tokenizer()), context=4096, seed=seed).save_pretrained(folder)
        made.append(folder)
    return made


def test_models_that_take_turns_leave_the_same_records(tmp_path, folders):
    given = [
        "protocol=debate", "task.n=4", "sampling.max_tokens=8", "~cast.default",
        "+model@cast.solver.a=folder", f"cast.solver.a.weights.path={folders[0]}", "cast.solver.a.dtype=float32",
        "+model@cast.solver.b=folder", f"cast.solver.b.weights.path={folders[1]}", "cast.solver.b.dtype=float32",
    ]  # fmt: skip
    heard = {}
    for resident in ("all", "one"):
        (tmp_path / resident).mkdir()
        done = madbench(tmp_path / resident, *given, f"hydra.launcher.resident={resident}")
        assert done.returncode == 0, done.stdout + done.stderr
        run = run_of(tmp_path / resident, "debate")
        heard[resident] = [(row["texts"], row["outcome"]) for row in rows(run)]
    assert heard["one"] == heard["all"]
    engines = json.loads((run / "manifest.json").read_text())["engines"]
    assert sorted(facts["loads"] for facts in engines.values()) == [1, 2]
    assert (home(tmp_path / "one") / "summary.json").is_file()
