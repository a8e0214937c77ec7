"""Verbs work from records alone."""

import json
import re
from collections import Counter

import pytest
from sweep.command import home, madbench, summary

from madbench.sweep.app import run


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trial")
    ended = madbench(folder, "-m", "protocol=cot,debate,self_consistency", "seed=0,1", "task.n=30")
    assert ended.returncode == 0, ended.err
    return folder


def test_report_comes_out_the_same(trial, capsys):
    before = summary(trial)
    assert run(["report", str(home(trial))]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == [
        f"report: {home(trial)}/report.html",
        f"all numbers and what they mean: {home(trial)}/summary.md",
    ]
    after = summary(trial)
    assert (after["arms"], after["comparisons"]) == (before["arms"], before["comparisons"])


def test_page_figures_and_numbers_speak_of_the_same_samples(tmp_path):
    given = ("-m", "protocol=cot,self_consistency", "task.n=20")
    assert madbench(tmp_path, *given).returncode == 0
    assert madbench(tmp_path, *given, "limit=5").returncode == 0

    def shown():
        (text,) = re.findall(
            r"<script[^>]*json[^>]*>(.*?)</script>", (home(tmp_path) / "report.html").read_text(), re.DOTALL
        )
        return Counter(episode["arm"] for episode in json.loads(text)["episodes"])

    for _ in range(2):
        assert {arm["metrics"]["accuracy"]["n"] for arm in summary(tmp_path)["arms"]} == {5}
        assert shown() == {"cot": 5, "self_consistency": 5}
        assert run(["report", str(home(tmp_path))]) == 0


DERIVED = ("metrics.json", "records.parquet", "turns.parquet", "events.parquet")


def derived(trial):
    """Everything that is computed from what was run, and the summary of it all."""
    runs = [path for name in DERIVED for path in home(trial).glob(f"runs/*/{name}")]
    return {
        path: path.read_bytes()
        for path in [*runs, *(home(trial) / f"summary.{kind}" for kind in ("json", "md"))]
    }


def test_score_gives_the_same_bytes_again(trial):
    before = derived(trial)
    assert len(before) == 6 * len(DERIVED) + 2
    assert summary(trial)["spent"]["calls"] > 0
    for shard in home(trial).glob("runs/*/shards/*.jsonl"):
        lines = [json.loads(line) | {"scores": {}} for line in shard.read_text().splitlines()]
        shard.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    for file in before:
        file.unlink()
    assert run(["score", str(home(trial))]) == 0
    assert derived(trial) == before


def test_compare_pairs_all_seeds(trial, capsys):
    assert run(["compare", str(home(trial)), "self_consistency", "cot"]) == 0
    arms = {
        arm["arm"]: arm["metrics"]["accuracy"]["value"]
        for arm in summary(trial)["arms"]
        if arm["seed"] is None
    }
    said = capsys.readouterr().out
    assert f"{arms['self_consistency'] - arms['cot']:+.3f}" in said
    assert "n = 30 samples" in said
    assert run(["compare", str(home(trial)), "nix", "cot"]) == 2
    assert "there are cot, debate, self_consistency" in capsys.readouterr().err


def test_another_reader_gives_what_it_predicts(trial, capsys):
    assert run(["score", str(home(trial)), "reader=number"]) == 0
    assert {arm["metrics"]["accuracy"]["value"] for arm in summary(trial)["arms"]} == {0.0}
    assert run(["score", str(home(trial))]) == 0
    assert all(arm["metrics"]["accuracy"]["value"] > 0 for arm in summary(trial)["arms"])
    capsys.readouterr()


def test_prefetch_names_what_it_brought(tmp_path, capsys):
    given = [
        "-m",
        "protocol=cot,debate",
        "task=synthetic",
        "task.n=7",
        "model@cast.default=simulated",
        "tracking=none",
    ]
    assert run(["prefetch", *given, f"output_root={tmp_path}"]) == 0
    said = capsys.readouterr().out
    assert "task synthetic: 7 samples" in said
    assert "model simulated" in said
    assert not list(tmp_path.rglob("runs"))


def test_the_manifest_says_what_was_run(trial):
    (file,) = home(trial).glob("runs/*-debate-*-s1-*/manifest.json")
    manifest = json.loads(file.read_text())
    assert manifest["config"]["seed"] == 1
    assert manifest["choices"]["protocol"] == "debate"
    assert "seed=1" in manifest["overrides"]
    assert manifest["config_hash"].startswith(file.parent.name.rpartition("-")[2])
    assert manifest["versions"]["python"]
