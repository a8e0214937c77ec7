"""W&B for real, without a network: runs are written, then read back from W&B's own files."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from tracking import wandb_file
from tracking.wandb_server import cutting, failing, serving, silent_at_the_end

from madbench.tracking import TrackedRun, WandbTracking
from madbench.tracking.post import OFFLINE_S
from madbench.tracking.wandb_log import has_end
from madbench.types import Estimate

KEY = "0123456789" * 4
ROWS = [
    {"id": "s0", "answer": 18, "right": 1.0},
    {"id": "s1", "answer": "B", "right": 0.0},
    {"id": "s2", "answer": None, "right": 0.0},
]


@pytest.fixture(autouse=True)
def outside(tmp_path):
    """A home of its own, and no W&B settings from outside."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("WANDB", "NETRC"))]:
        del os.environ[name]
    os.environ["HOME"] = str(tmp_path / "somebody")
    (tmp_path / "somebody").mkdir()
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "outputs" / "quick"


def tracked(home, name="sums-debate-tiny-s0-0badcafe", rows=ROWS, value=0.5) -> TrackedRun:
    folder = home / "runs" / name
    folder.mkdir(parents=True, exist_ok=True)
    metrics = folder / "metrics.json"
    metrics.write_text(json.dumps({"accuracy": value}))
    config = {"task": {"name": "sums", "n": 3}, "seed": 0}
    estimates = {"accuracy": Estimate(value, 0.1, 0.9, 3), "ece": Estimate(None, None, None, 0)}
    return TrackedRun(folder, home, "quick", "debate", config, estimates, iter(rows), (metrics,))


def results(home) -> dict[str, bytes]:
    """Every result file; a tracker's own note is none."""
    files = (path for path in home.glob("runs/*/*") if path.name != "tracking.json")
    return {str(path): path.read_bytes() for path in files}


def warnings(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.fixture
def silent_server():
    """Takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def dead_server():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def test_an_offline_run_holds_what_ours_holds(home, tmp_path, caplog):
    sent = WandbTracking().publish(tracked(home))
    (run,) = wandb_file.offline_runs(home).values()
    assert (run.run.run_group, run.run.job_type, run.run.project) == ("quick", "debate", "madbench")
    assert run.run.display_name == "sums-debate-tiny-s0-0badcafe"
    assert {"task.name": "sums", "task.n": 3, "seed": 0}.items() <= run.config.items()
    assert {"accuracy": 0.5, "accuracy/low": 0.1, "accuracy/n": 3, "ece": None}.items() <= run.summary.items()
    assert (run.summary["rows_tracked"], run.summary["rows_total"], run.exit_code) == (3, 3, 0)
    table = wandb_file.table(home, run)
    assert table["columns"] == ["id", "answer", "right"]
    assert table["data"] == [["s0", "18", 1.0], ["s1", "B", 0.0], ["s2", None, 0.0]]
    assert run.artifacts["results"]["metrics.json"].read_text() == '{"accuracy": 0.5}'
    assert sent.found == sent.due == ("s0", "s1", "s2")
    assert len(warnings(caplog)) == 1
    assert "no key" in warnings(caplog)[0]
    assert list((tmp_path / "somebody").rglob("*")) == []
    assert {path.name for path in home.iterdir()} == {"runs", "wandb"}


def test_a_rerun_keeps_its_id_and_replaces_its_rows(home):
    tracking = WandbTracking(mode="offline", max_rows=2)
    first = tracking.publish(tracked(home))
    (before,) = home.glob("wandb/offline-run-*")
    unchanged = tracking.publish(tracked(home))
    assert list(home.glob("wandb/offline-run-*")) == [before]
    again = tracking.publish(
        tracked(home, rows=[*ROWS, {"id": "s3", "answer": "7", "right": 1.0}], value=0.75)
    )
    ((identity, run),) = wandb_file.offline_runs(home).items()
    assert before.name.endswith(identity)
    assert first.found == unchanged.found == again.due == again.found == ("s0", "s1")
    assert (first.total, again.total, run.summary["rows_total"], run.summary["accuracy"]) == (3, 4, 4, 0.75)


def test_several_runs_stay_apart_whatever_the_environment_says_and_warn_once(home, caplog):
    os.environ["WANDB_RUN_ID"] = "one-for-all"
    tracking = WandbTracking()
    for number, name in enumerate(("sums-cot-tiny-s0-aa", "sums-debate-tiny-s0-bb")):
        tracking.publish(tracked(home, name, value=number / 2))
    runs = wandb_file.offline_runs(home).values()
    assert {(run.run.display_name, run.summary["accuracy"]) for run in runs} == {
        ("sums-cot-tiny-s0-aa", 0.0),
        ("sums-debate-tiny-s0-bb", 0.5),
    }
    assert len(warnings(caplog)) == 1


def test_the_environment_beats_the_settings(home, tmp_path):
    elsewhere = tmp_path / "scratch"
    elsewhere.mkdir()
    os.environ |= {
        "WANDB_PROJECT": "mine",
        "WANDB_ENTITY": "us",
        "WANDB_RUN_GROUP": "other",
        "WANDB_DIR": str(elsewhere),
    }
    os.environ["WANDB_MODE"] = "offline"
    WandbTracking(project="theirs", entity="them", mode="online").publish(tracked(home))
    (run,) = wandb_file.offline_runs(elsewhere).values()
    assert (run.run.project, run.run.entity, run.run.run_group, run.run.job_type) == (
        "mine",
        "us",
        "other",
        "debate",
    )
    assert not list(home.glob("wandb/offline-run-*"))


def test_disabled_writes_nothing(home):
    assert WandbTracking(mode="disabled").publish(tracked(home)).mode == "disabled"
    assert not list(home.glob("wandb/*run-*"))


def test_a_dead_server_is_noticed_before_it_costs_anything(home, dead_server, caplog):
    os.environ |= {"WANDB_BASE_URL": dead_server, "WANDB_API_KEY": KEY}
    sent = WandbTracking().publish(tracked(home))
    assert (sent.mode, sent.found, sent.problem) == ("offline", ("s0", "s1", "s2"), "")
    assert ["does not answer" in text for text in warnings(caplog)] == [True]


def test_a_server_that_blocks_costs_a_bounded_wait_once(home, silent_server, caplog):
    os.environ |= {"WANDB_BASE_URL": silent_server, "WANDB_API_KEY": KEY, "WANDB_MODE": "online"}
    tracking, run = WandbTracking(timeout_s=5.0), tracked(home)
    before, start = results(home), time.monotonic()
    sent = tracking.publish(run)
    assert (sent.mode, sent.found) == ("offline", ("s0", "s1", "s2"))
    assert time.monotonic() - start < 5.0 + OFFLINE_S + 3
    assert results(home) == before
    assert [line for line in commands() if silent_server in line] == []
    second = time.monotonic()
    assert tracking.publish(tracked(home, "next")).mode == "offline"
    assert time.monotonic() - second < OFFLINE_S
    assert len(warnings(caplog)) == 1


def commands() -> list[str]:
    """Environments and command lines of the processes that run now, this one aside."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        if path.name == str(os.getpid()):
            continue
        try:
            found.append(
                (path / "environ").read_text(errors="replace")
                + (path / "cmdline").read_text(errors="replace")
            )
        except OSError:
            continue
    return found


def test_rows_that_cannot_be_read_cost_no_result(home, caplog):
    def rows():
        yield ROWS[0]
        raise RuntimeError("torn table")

    run = tracked(home, rows=rows())
    before = results(home)
    sent = WandbTracking(mode="offline").publish(run)
    assert "torn table" in sent.problem
    assert results(home) == before
    assert warnings(caplog) == []  # the caller says it


def test_a_folder_that_cannot_be_written_costs_no_result(tmp_path, caplog):
    home = tmp_path / "quick"
    run = tracked(home)
    (home / "wandb").write_text("a file where a folder should be")
    before = results(home)
    assert WandbTracking(mode="offline").publish(run).problem
    assert results(home) == before
    assert warnings(caplog) == []


@pytest.fixture
def server():
    with serving() as found:
        os.environ |= {"WANDB_BASE_URL": found.url, "WANDB_API_KEY": KEY}
        yield found


def test_with_a_key_and_a_server_it_goes_online(home, server, caplog):
    tracking = WandbTracking(timeout_s=180.0)
    sent = tracking.publish(tracked(home))
    again = tracking.publish(tracked(home, value=0.75))
    assert (sent.mode, sent.found, again.mode) == ("online", ("s0", "s1", "s2"), "online")
    buckets = [said for name, said in server.asked if name == "UpsertBucket" and said.get("groupName")]
    filed = {(said["groupName"], said["jobType"], said["project"]) for said in buckets}
    assert filed == {("quick", "debate", "madbench")}
    assert len({said["name"] for said in buckets}) == 1
    assert server.uploads["metrics.json"] == b'{"accuracy": 0.75}'
    assert json.loads(server.uploads["wandb-summary.json"])["accuracy"] == 0.75
    assert warnings(caplog) == []
    assert not list(home.glob("wandb/offline-run-*"))


def test_a_server_that_is_not_wandb_ends_offline(home, server, caplog):
    server.RequestHandlerClass = NotWandb
    sent = WandbTracking(timeout_s=5.0).publish(tracked(home))
    assert (sent.mode, sent.found) == ("offline", ("s0", "s1", "s2"))
    assert len(warnings(caplog)) == 1


class NotWandb(BaseHTTPRequestHandler):
    """A server that knows nothing."""

    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *words):
        return


FAULTS = {"429": failing(429), "500": failing(500), "end": silent_at_the_end}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_server_costs_a_bounded_wait_and_one_warning(home, fault, caplog):
    with serving(FAULTS[fault]) as server:
        os.environ |= {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "WANDB_MODE": "online"}
        run = tracked(home)
        before = results(home)
        sent = WandbTracking(timeout_s=8.0).publish(run)
    assert (sent.mode, sent.found) == ("offline", ("s0", "s1", "s2"))
    assert results(home) == before
    (told,) = warnings(caplog)
    assert told.startswith("W&B: tracking offline from here on, since the server failed: ")
    assert [line for line in commands() if server.url in line] == []


def test_a_server_that_cuts_connections_costs_no_row_whatever_the_client_makes_of_it(home, caplog):
    """What was asked has arrived though its answer is cut: the client may call that sent, or give up."""
    with serving(cutting) as server:
        os.environ |= {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "WANDB_MODE": "online"}
        run = tracked(home)
        before = results(home)
        sent = WandbTracking(timeout_s=8.0).publish(run)
    assert sent.found == ("s0", "s1", "s2")
    assert results(home) == before
    assert len(warnings(caplog)) == (sent.mode == "offline")


def test_values_of_any_kind_are_sent_as_far_as_anybody_can_hold_them(home):
    rows = [
        {
            "id": "s0",
            "n": 10**30,
            "x": float("nan"),
            "raw": b"\xff\x00",
            "half": "a\ud800b",
            "odd": {1: {2}},
        },
        {"id": "s1", "n": None, "x": 0.5, "raw": None, "half": "", "odd": object},
    ]
    run = tracked(home, rows=rows)
    config = OmegaConf.create({"a": {"b": [1, {"c": None}]}, "size": 10**30, "rate": float("inf")})
    estimates = {"accuracy": Estimate(float("nan"), float("-inf"), None, 10**30)}
    sent = WandbTracking(mode="offline").publish(replace(run, config=config, estimates=estimates))
    assert (sent.problem, sent.found) == ("", ("s0", "s1"))
    (kept,) = wandb_file.offline_runs(home).values()
    assert {"a.b": [1, {"c": None}], "size": str(10**30), "rate": None}.items() <= kept.config.items()
    assert (kept.summary["accuracy"], kept.summary["accuracy/n"]) == (None, str(10**30))
    first, second = wandb_file.table(home, kept)["data"]
    assert first == ["s0", str(10**30), None, "\\xff\x00", "a\\ud800b", '{"1": [2]}']
    assert second == ["s1", None, 0.5, None, "", "<class 'object'>"]


PUBLISH = """
import sys
from pathlib import Path
from tracking.test_wandb import tracked
from madbench.tracking import WandbTracking
sent = WandbTracking(timeout_s=600.0).publish(tracked(Path(sys.argv[1])))
print(sent)
"""


def publishing(home, *before):
    """A process of its own that tracks a run."""
    command = [*before, sys.executable, "-c", PUBLISH, str(home)]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    return subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def until(found, seconds=300.0):
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_talks_to_the_server_ends_with_the_process_that_wanted_it(home, silent_server):
    os.environ |= {"WANDB_BASE_URL": silent_server, "WANDB_API_KEY": KEY, "WANDB_MODE": "online"}
    process = publishing(home)
    until(lambda: any("wandb_send" in line for line in commands() if silent_server in line))
    process.kill()
    process.communicate()
    until(lambda: [line for line in commands() if silent_server in line] == [])
    os.environ["WANDB_MODE"] = "offline"
    again = WandbTracking().publish(tracked(home))
    assert (again.mode, again.found) == ("offline", ("s0", "s1", "s2"))


def broken_wandb(folder, code):
    (folder / "wandb").mkdir(parents=True)
    (folder / "wandb" / "__init__.py").write_text(code)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])


def test_without_wandb_nothing_is_lost_and_it_is_tried_once(home, tmp_path, caplog):
    broken_wandb(tmp_path / "site", "raise ImportError('libsomething.so is missing')")
    tracking, before = WandbTracking(), results(home)
    problems = [tracking.publish(tracked(home, name)).problem for name in ("a", "b")]
    assert len(set(problems)) == 1
    assert "libsomething.so is missing" in problems[0]
    assert warnings(caplog) == []
    assert len(list(home.glob("wandb/*run-*"))) == 0 == len(before)


def test_a_full_disk_costs_no_result(home, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    mount = f'mount -t tmpfs -o size=16k none {full} && exec "$@"'
    if subprocess.run(["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {full}"], check=False).returncode:
        pytest.skip("needs the right to mount a small file system (unshare -m)")
    os.environ |= {"WANDB_DIR": str(full), "WANDB_MODE": "offline"}
    run = tracked(home)
    before = results(home)
    process = publishing(home, "unshare", "-m", "sh", "-c", mount, "sh")
    said, _ = process.communicate(timeout=500)
    assert process.returncode == 0, said
    assert "W&B: OSError: " in said
    assert results(home) == before
    assert "sent" not in json.loads((run.folder / "tracking.json").read_text())


def test_a_file_of_wandb_s_own_that_is_cut_anywhere_has_no_end(home, tmp_path):
    """A disk that becomes full under W&B leaves this, and W&B says nothing of it."""
    WandbTracking(mode="offline").publish(tracked(home))
    (file,) = home.glob("wandb/offline-run-*/*.wandb")
    assert has_end(file)
    whole, cut = file.read_bytes(), tmp_path / "cut.wandb"
    for length in range(0, len(whole), 97):
        cut.write_bytes(whole[:length])
        assert not has_end(cut) or length > len(whole) - 97
