"""What the doctor proves of an experiment before it is submitted, and what it says of each thing that is wrong."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from engines import tiny
from sweep.command import BASE, HERE

from madbench.engines.local.proof import Body
from madbench.engines.settings import Batch
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder
from madbench.sweep.app import run
from madbench.sweep.doctor.asking import held_by
from madbench.sweep.doctor.data import whole
from madbench.sweep.doctor.places import folders, writable
from madbench.tasks.synthetic import Synthetic
from madbench.types import Shot

LINE = re.compile(r"^(ok|warn|fail) +(\S+) ", re.M)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A small model whose context holds what is asked in these tests."""
    return tiny.save(tmp_path_factory.mktemp("models") / "tiny", context=8192)


@pytest.fixture
def examine(tmp_path, models, capsys):
    """Asks the doctor of a run on the small model; the exit code, the levels by check, and the text."""

    def asked(*given, model=models):
        chosen = {argument.lstrip("+").partition("=")[0] for argument in given}
        base = (*BASE[:2], *BASE[3:], "protocol=cot", "model@cast.default=folder", "sampling.max_tokens=16")
        chosen |= {"task.n"} if "task" in chosen else set()
        rest = [argument for argument in base if argument.partition("=")[0] not in chosen]
        path = [] if "model@cast.default" in chosen else [f"cast.default.weights.path={model}"]
        where = [f"output_root={tmp_path / 'out'}", "--config-dir", str(HERE / "conf")]
        code = run(["doctor", *given, *rest, *path, *where])
        said = capsys.readouterr()
        levels = {}
        for level, check in LINE.findall(said.out):
            levels.setdefault(check, set()).add(level)
        return code, levels, said.out + said.err

    return asked


def test_a_good_experiment_passes_every_check_and_starts_nothing(examine, tmp_path):
    code, levels, text = examine("-m", "protocol=cot,debate")
    assert code == 0, text
    checks = "data weights chat plan prompts context memory disk folder launcher tracking"
    assert levels == {check: {"ok"} for check in checks.split()}
    assert "This experiment can run here" in text
    assert not list(tmp_path.rglob("runs"))


@pytest.fixture
def copied(models, tmp_path):
    return Path(shutil.copytree(models, tmp_path / "copy"))


def test_a_weights_file_that_is_cut_short_fails(examine, copied):
    file = copied / "model.safetensors"
    os.truncate(file, file.stat().st_size - 100)
    code, levels, text = examine(model=copied)
    assert (code, levels["weights"]) == (2, {"fail"})
    assert "safetensors" in text


def test_a_missing_file_of_several_fails(examine, copied, models):
    from transformers import AutoModelForCausalLM

    (copied / "model.safetensors").unlink()
    AutoModelForCausalLM.from_pretrained(models).save_pretrained(copied, max_shard_size="40KB")
    assert examine(model=copied)[1]["weights"] == {"ok"}
    sorted(copied.glob("model-*"))[1].unlink()
    code, levels, text = examine(model=copied)
    assert (code, levels["weights"]) == (2, {"fail"})
    assert "model-00002-of-" in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"num_hidden_layers": 3}, "lack model.layers.2."), ({"hidden_size": 64}, "cannot be loaded")],
)
def test_weights_that_are_not_the_config_s_fail(examine, copied, changes, said):
    config = copied / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | changes))
    code, levels, text = examine(model=copied)
    assert (code, levels["weights"]) == (2, {"fail"})
    assert said in text


@pytest.mark.parametrize(
    ("given", "level"),
    [
        (("protocol=cot", "sampling.max_tokens=9000"), "fail"),
        (("protocol=debate", "sampling.max_tokens=2500"), "warn"),
        (("protocol=debate", "sampling.max_tokens=2500", "context=drop_oldest"), "ok"),
    ],
)
def test_a_context_that_is_too_small_is_told_from_one_that_may_be(examine, given, level):
    code, levels, text = examine(*given)
    assert (levels["context"], code) == ({level}, 2 if level == "fail" else 0), text
    assert "of tiny's 8,192 tokens" in text


def test_what_does_not_fit_here_may_fit_where_jobs_are_sent(examine):
    large = "sampling.max_tokens=9000000000"
    here = examine(large)
    sent = examine(large, "hydra/launcher=slurm", "hydra.launcher.job.partition=main")
    assert (here[1]["memory"], sent[1]["memory"]) == ({"fail"}, {"warn"}), sent[2]


def test_a_model_whose_modules_are_placed_one_by_one_passes(examine):
    code, levels, text = examine("++cast.default.device_map={model:cpu,lm_head:cpu}")
    assert (code, levels["memory"]) == (0, {"ok"}), text


def test_weights_are_weighed_as_they_will_lie_in_memory():
    body = Body(weights=1000, bytes=2000, cached=1)

    def held(packs=False, **given):
        return held_by(TransformersModel(name="m", weights=Folder(path="m"), **given), body, packs=packs)

    assert held() == held(packs=True, batch=Batch(packed_megabytes=0)) == 2000
    assert held(packs=True) == 2000 + 4000
    assert held(quantisation="bitsandbytes_4bit", packs=True) == 500


def test_forms_are_compiled_and_a_tokenizer_that_cannot_spell_them_fails(examine, copied):
    held = ("protocol=adversarial_review_grammar", "task=synthetic_reviews", "task.n=4")
    code, levels, text = examine(*held)
    assert levels["grammar"] == {"ok"}, text
    assert "forms can be held by tiny" in text
    tokenizer = copied / "tokenizer.json"
    plain = json.loads(tokenizer.read_text())
    vocabulary = plain["model"]["vocab"]
    vocabulary["no brace"] = vocabulary.pop("{")
    tokenizer.write_text(json.dumps(plain))
    code, levels, text = examine(*held, model=copied)
    assert (code, levels["grammar"]) == (2, {"fail"})
    assert "cannot write" in text


def test_records_that_the_disk_cannot_hold_fail(examine):
    code, levels, text = examine("epochs=100000000", "model@cast.default=simulated")
    assert (code, levels["disk"]) == (2, {"fail"}), text
    assert "output_root on a larger disk" in text


def test_a_folder_that_cannot_be_written_fails():
    assert writable("output_root", Path("/proc/nowhere/out")).level == "fail"


def test_a_cache_that_may_only_be_read_serves_what_is_in_it():
    before = os.environ.get("MADBENCH_CACHE")
    os.environ["MADBENCH_CACHE"] = "/proc/nowhere/cache"
    try:
        levels = [one.level for one in folders(Path("/proc/nowhere/out"), hub=False)]
    finally:
        os.environ.pop("MADBENCH_CACHE")
        if before is not None:
            os.environ["MADBENCH_CACHE"] = before
    assert levels == ["fail", "warn"]


def test_a_gated_plan_fails_and_hides_no_other_check(examine):
    code, levels, text = examine("protocol=judged_debate")
    assert (code, levels["plan"], levels["weights"]) == (2, {"fail"}, {"ok"})
    assert "which a judged debate needs" in text


def test_rows_without_gold_fail(examine, tmp_path):
    file = tmp_path / "set.jsonl"
    rows = [{"question": "1+1?", "answer": "2"}, {"question": "1+2?", "answer": ""}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, levels, text = examine("task=gsm8k", f"task.path={file}", "task.shots=0")
    assert (code, levels["data"]) == (2, {"fail"}), text


class Doubled(Synthetic):
    """Ids twice, and a worked example that is asked."""

    def samples(self):
        from dataclasses import replace

        first, second, *_ = super().samples()
        shots = (Shot(first.problem.prompt, "Answer: A"),)
        return [replace(one, problem=replace(one.problem, id="same", shots=shots)) for one in (first, second)]


def test_ids_twice_and_shots_that_are_asked_fail():
    told = [one.told for one in whole(Doubled(4)) if one.level == "fail"]
    assert told == ["1 ids are there twice: ['same']", "1 samples are among the worked examples: ['same']"]


def test_a_launcher_that_is_not_there_fails(examine):
    path = os.environ["PATH"]
    os.environ["PATH"] = "/nowhere"
    try:
        code, levels, text = examine("hydra/launcher=slurm", "hydra.launcher.job.partition=main")
    finally:
        os.environ["PATH"] = path
    assert (code, levels["launcher"]) == (2, {"fail"})
    assert "no sinfo on this machine" in text


def test_an_unknown_partition_is_named_with_those_there_are(examine, tmp_path):
    """By a stand-in for sinfo: the real one is asked by the tests of the launcher itself."""
    sinfo = tmp_path / "bin" / "sinfo"
    sinfo.parent.mkdir()
    sinfo.write_text("#!/bin/sh\nprintf 'main\\nhigh\\n'\n")
    sinfo.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{sinfo.parent}:{before}"
    try:
        slurm = ("hydra/launcher=slurm", "model@cast.default=simulated")
        good = examine(*slurm, "hydra.launcher.job.partition=high")
        bad = examine(*slurm, "hydra.launcher.job.partition=nix")
    finally:
        os.environ["PATH"] = before
    assert (good[0], good[1]["launcher"]) == (0, {"ok"}), good[2]
    assert (bad[0], bad[1]["launcher"]) == (2, {"fail"})
    assert "no partition nix; there are high, main" in bad[2]


def test_a_model_that_is_not_here_names_prefetch(examine, tmp_path):
    before = os.environ.get("MADBENCH_CACHE")
    os.environ["MADBENCH_CACHE"] = str(tmp_path / "empty")
    try:
        code, levels, text = examine("model@cast.default=smollm2_135m")
    finally:
        os.environ.pop("MADBENCH_CACHE")
        if before is not None:
            os.environ["MADBENCH_CACHE"] = before
    assert (code, levels["weights"]) == (2, {"fail"})
    assert "python -m madbench prefetch" in text
