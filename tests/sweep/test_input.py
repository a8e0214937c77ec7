"""Bad input gets one message that names the choices and exit code 2, before anything starts."""

import subprocess
import sys

import pytest
from sweep.command import BASE, HERE

from madbench.sweep.app import run

BAD = {
    "unknown key": (["foo=1"], "unknown key foo; there are cast, context"),
    "unknown key, added": (["+foo=1"], "unknown key foo; there are cast, context"),
    "unknown nested key": (["sampling.temp=1"], "sampling has temperature, top_p, max_tokens"),
    "unknown nested key, forced": (
        ["++sampling.temprature=1"],
        "unknown key sampling.temprature; sampling has temperature, top_p, max_tokens",
    ),
    "a value that only the user knows": (
        ["model@cast.default=folder"],
        "cast.default.weights.path has no value yet (its file says ???); give one: cast.default.weights.path=",
    ),
    "a value of a seat that only the user knows": (
        ["model@cast.default=smollm2_and_gemma3"],
        "give one: cast.default.second.weights.path=",
    ),
    "a value that another is named by": (["model@cast.default=hf"], "give one: cast.default.weights.id="),
    "unknown choice": (["protocol=nix"], "Available options in 'protocol'"),
    "unknown choice in a sweep": (["-m", "protocol=cot,nix"], "Available options in 'protocol'"),
    "unknown experiment": (["+experiment=nix"], "quickstart"),
    "unknown setting": (["+task.nix=1"], "Synthetic has no nix; it has cluster, n, name"),
    "setting of another type": (["task.n=many"], "task.n: expected int, found 'many'"),
    "switch as text": (["dry_run=perhaps"], "dry_run: Input should be a valid boolean, found 'perhaps'"),
    "limit of none": (["limit=0"], "limit: Input should be greater than or equal to 1, found 0"),
    "sampling out of range": (["sampling.top_p=3"], "sampling.top_p"),
    "override grammar": (["name=is it (A) or B?"], "mismatched input"),
    "name of no folder": (["name=a/b"], "name: String should match"),
    "name that climbs": (["name=.."], "name: String should match"),
    "no output folder": (["output_root="], "output_root: String should have at least 1 character"),
    "no folder at all": (["output_root=/proc/nowhere"], "output_root: cannot write in /proc/nowhere/trial"),
    "a file for a folder": ([f"output_root={__file__}"], f"output_root: cannot write in {__file__}/trial"),
    "a path that is too long": ([f"output_root=/tmp/{'x' * 300}"], "File name too long"),
    "a value to be quoted": (["templates=/a=b"], "override 'templates=/a=b'"),
    "two folders": (["-m", "name=one,two"], "vary neither name nor output_root"),
    "no such class": (["task._target_=madbench.tasks.nix.Nix"], "task: no class 'madbench.tasks.nix.Nix'"),
    "no class at all": (["~task._target_"], "task: no _target_ names its class"),
    "protocol's own choice": (
        ["protocol=debate", "protocol.peers=nix"],
        "['real', 'none', 'other_question']",
    ),
    "role that is not played": (
        ["+protocol.roles.judge={context: refuse}"],
        "no role ['judge']; it has ['solver']",
    ),
    "role setting": (
        ["+protocol.roles.solver={sampling: {max_token: 9}}"],
        "protocol.roles.solver.sampling.max_token",
    ),
    "a question for a judge of passages": (
        ["protocol=judged_debate"],
        "has no passage with two answers to choose from, which a judged debate needs",
    ),
    "a question for a judge alone": (["protocol=blind_judge"], "wanted a task like passages or quality"),
    "a review for a judge of passages": (
        ["protocol=consultancy", "task=synthetic_reviews"],
        "wanted a task like passages or quality",
    ),
    "a question for reviewers": (["protocol=adversarial_review"], "has no artifact to review"),
    "a question for reviewers as published": (
        ["-m", "protocol=cot,adversarial_review_legacy"],
        "has no artifact to review",
    ),
    "cast of nobody's role": (
        ["+model@cast.judge=simulated"],
        "nobody plays ['judge']; this sweep's roles are",
    ),
    "model's own check": (["model@cast.default=simulated", "cast.default.accuracy=7"], "7 is no probability"),
    "grammar without": (
        ["model@cast.default=mute", "contract.enforcement=grammar"],
        "held by grammar, which simulated cannot do",
    ),
    "no template folder": (["templates=/nowhere"], "no folder /nowhere"),
    "the same run twice": (["-m", "seed=3,3"], "are the same run"),
    "launcher's choice": (["-m", "seed=1,2", "hydra.launcher.on_failure=explode"], "'continue' or 'stop'"),
    "launcher's number": (
        ["-m", "hydra.launcher.workers=0"],
        "madbench: hydra.launcher.workers: Input should be greater than or equal to 1, found 0",
    ),
    "batches of none": (
        ["-m", "hydra.sweeper.max_batch_size=0"],
        "hydra.sweeper.max_batch_size: wanted null or 1",
    ),
    "batches of no number": (
        ["-m", "hydra.sweeper.max_batch_size=few"],
        "wanted null or 1 and more, found 'few'",
    ),
    "sweeper's values": (
        ["-m", "hydra.sweeper.params=seed"],
        "hydra.sweeper.params: wanted keys with their values",
    ),
    "unknown verb": (
        ["diagnose"],
        "no verb 'diagnose'; there are report, score, pairs, compare, upload, prefetch",
    ),
    "no word at all": ([""], "no verb ''; there are report"),
    "experiment without its sign": (
        ["experiment=quickstart"],
        "+experiment=NAME; there are anchoring, ",
    ),
    "model without its role": (["model=simulated"], "model@cast.default=NAME; there are folder"),
    "verb without a folder": (["report"], "report FOLDER"),
    "folder of no experiment": (["report", "nowhere"], "no sweep.json in it"),
    "reader that is none": (["score", ".", "reader=nix"], "reader"),
}


def arguments(given, folder):
    if "=" not in given[0] and not given[0].startswith(("-", "~")):
        return given
    chosen = {argument.lstrip("+").partition("=")[0] for argument in given}
    base = [argument for argument in (*BASE, "protocol=cot") if argument.partition("=")[0] not in chosen]
    root = [] if "output_root" in chosen else [f"output_root={folder}"]
    return [*given, *base, *root, "--config-dir", str(HERE / "conf")]


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case, tmp_path, capsys):
    given, wanted = BAD[case]
    assert run(arguments(given, tmp_path)) == 2
    said = capsys.readouterr().err
    assert wanted in said
    assert "Traceback" not in said
    assert not list(tmp_path.rglob("runs"))


def test_a_folder_of_another_config_is_refused(tmp_path, capsys):
    assert run(arguments(["limit=2"], tmp_path)) == 0
    (config,) = tmp_path.glob("trial/runs/*/config.yaml")
    config.write_text(config.read_text().replace("seed: 0", "seed: 5"))
    capsys.readouterr()
    assert run(arguments(["limit=3"], tmp_path)) == 2
    assert "seed: 5 -> 0" in capsys.readouterr().err


def test_help_names_verbs_and_choices(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(
        word in shown for word in ("report FOLDER", "prefetch", "limit=8", "quickstart", "self_consistency")
    )


def test_config_is_shown(tmp_path, capsys):
    assert run(["--cfg", "job", *arguments(["seed=7"], tmp_path)]) == 0
    assert "seed: 7" in capsys.readouterr().out


@pytest.mark.parametrize("given", [["--help"], ["foo=1"]])
def test_nothing_heavy_is_loaded_to_help_or_refuse(given):
    code = (
        "import sys; from madbench.sweep.app import run; run(sys.argv[1:]);"
        "print(sorted({'torch', 'transformers', 'wandb', 'datasets', 'numpy', 'pyarrow'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True)
    assert ended.stdout.strip().endswith("[]")
