"""Runs are sent to W&B later, from their folders, as they would have been sent when they ended."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from sweep.command import home, madbench, run_of
from tracking import wandb_file
from tracking.wandb_server import serving

from madbench.sweep.app import run

KEY = "0123456789" * 4
GIVEN = ("-m", "protocol=cot,debate", "task.n=9")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """An experiment that was not tracked."""
    folder = tmp_path_factory.mktemp("played")
    ended = madbench(folder, *GIVEN, "tracking=none")
    assert ended.returncode == 0, ended.err
    return folder


@pytest.fixture
def untracked(played, tmp_path):
    return Path(shutil.copytree(played / "out", tmp_path / "out")).parent


@pytest.fixture(autouse=True)
def outside(tmp_path):
    """No W&B settings from outside, and a home of its own."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("WANDB", "NETRC"))]:
        del os.environ[name]
    os.environ["HOME"] = str(tmp_path)
    yield
    os.environ.clear()
    os.environ.update(before)


def parquet_rows(folder):
    """What a tracker's table should hold, read from the parquet by other means than ours."""
    for row in parquet.read_table(folder / "records.parquet").to_pylist():
        yield {
            "id": f"{row['sample']}/{row['epoch']}",
            "question": row["question"],
            "target": row["target"],
            "answer": row["answer"],
            "ending": row["ending"],
            "stop": row["stop"],
            "turns": row["n_turns"],
            **dict(row["scores"]),
        }


def rows_in(table):
    return [dict(zip(table["columns"], cells, strict=True)) for cells in table["data"]]


def test_offline_runs_hold_what_the_parquet_holds_row_by_row(untracked, capsys):
    assert run(["upload", str(home(untracked)), "--offline"]) == 0
    said = capsys.readouterr().out
    runs = {one.run.job_type: one for one in wandb_file.offline_runs(home(untracked)).values()}
    assert set(runs) == {"cot", "debate"}
    summary = json.loads((home(untracked) / "summary.json").read_text())
    for arm in summary["arms"]:
        found, folder = runs[arm["arm"]], run_of(untracked, arm["arm"])
        assert rows_in(wandb_file.table(home(untracked), found)) == list(parquet_rows(folder))
        assert (found.run.display_name, found.run.run_group) == (folder.name, "trial")
        for name, estimate in arm["metrics"].items():
            assert (found.summary[name], found.summary[f"{name}/n"]) == (estimate["value"], estimate["n"])
        manifest = json.loads((folder / "manifest.json").read_text())
        assert {
            "seed": 0,
            "arm": arm["arm"],
            "config_hash": manifest["config_hash"],
        }.items() <= found.config.items()
        assert f"sent offline, as {found.run.run_id}, 9 of 9 rows" in said
        for file, path in found.artifacts["results"].items():
            assert path.read_bytes() == (folder / file).read_bytes()
    assert run(["upload", str(home(untracked)), "--offline"]) == 0
    assert capsys.readouterr().out.count("unchanged since it was sent offline") == 2


def test_a_second_upload_goes_on_under_the_same_ids_and_doubles_no_row(untracked, capsys):
    with serving() as server:
        os.environ |= {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY}
        assert run(["upload", str(run_of(untracked, "cot"))]) == 0
        assert run(["upload", str(home(untracked))]) == 0
        said = capsys.readouterr().out
        assert (said.count(": sent online, as"), said.count("unchanged since")) == (2, 1)
        first = dict(server.uploads)
        before = len(server.asked)
        assert run(["upload", str(home(untracked))]) == 0
        assert len(server.asked) == before
    buckets = [given for name, given in server.asked if name == "UpsertBucket" and given.get("groupName")]
    assert Counter(one["jobType"] for one in buckets).keys() == {"cot", "debate"}
    for arm in ("cot", "debate"):
        known = json.loads((run_of(untracked, arm) / "tracking.json").read_text())["id"]
        assert {one["name"] for one in buckets if one["jobType"] == arm} == {known}
    assert first["records.parquet"] in [
        (run_of(untracked, arm) / "records.parquet").read_bytes() for arm in ("cot", "debate")
    ]
    histories = server.logged("wandb-history.jsonl")
    assert {len([row for row in rows if "samples" in row]) for rows in histories.values()} == {1}


def test_wandb_s_own_sync_brings_all_of_an_offline_run(untracked):
    folder = run_of(untracked, "debate")
    assert run(["upload", str(folder), "--offline"]) == 0
    (offline,) = home(untracked).glob("wandb/offline-run-*")
    with serving() as server:
        env = {**os.environ, "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "WANDB_CONSOLE": "off"}
        command = [sys.executable, "-m", "wandb", "sync", "--yes", str(offline)]
        done = subprocess.run(
            command, env=env, cwd=untracked, capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 0, done.stdout + done.stderr
    bucket = next(given for name, given in server.asked if name == "UpsertBucket" and given.get("config"))
    assert (bucket["groupName"], bucket["jobType"], bucket["displayName"]) == ("trial", "debate", folder.name)
    assert json.loads(bucket["config"])["protocol.agents"]["value"] == 3
    for file in ("records.parquet", "turns.parquet", "metrics.json", "manifest.json"):
        assert server.uploads[file] == (folder / file).read_bytes()
    metrics = json.loads((folder / "metrics.json").read_text())["metrics"]
    told = server.logged("wandb-summary.json")
    (last,) = {json.dumps(rows[-1]) for rows in told.values()} or {
        server.uploads["wandb-summary.json"].decode()
    }
    assert json.loads(last)["accuracy"] == metrics["accuracy"]["value"]
    tables = [json.loads(data) for name, data in server.uploads.items() if name.endswith(".table.json")]
    assert tables
    for table in tables:  # the run's own, and the one that W&B keeps as an artifact
        assert rows_in(table) == list(parquet_rows(folder))


def test_what_cannot_be_sent_is_said_with_exit_code_1(untracked, capsys):
    assert run(["upload", str(home(untracked))]) == 1
    said = capsys.readouterr()
    assert said.out.count("not sent: W&B: no key is configured (wandb login)") == 2
    assert said.err.count("WARNING") == 1
    assert not list(home(untracked).glob("wandb/offline-run-*"))
    os.environ["WANDB_MODE"] = "disabled"
    assert run(["upload", str(home(untracked))]) == 1
    assert "not sent: tracking is disabled" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: folder, "neither sweep.json (an experiment's) nor manifest.json (a run's) in it"),
        (lambda folder: folder / "nowhere", "neither sweep.json"),
    ],
)
def test_a_folder_without_results_is_refused(tmp_path, spoil, said, capsys):
    assert run(["upload", str(spoil(tmp_path))]) == 2
    assert said in capsys.readouterr().err


def test_a_run_that_has_not_ended_is_refused(untracked, capsys):
    (run_of(untracked, "cot") / "records.parquet").unlink()
    assert run(["upload", str(home(untracked))]) == 2
    assert "no results in it yet" in capsys.readouterr().err
