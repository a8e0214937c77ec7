"""What is fetched on a machine with a network is all that a run without one needs, and no run waits for a network.

The hub is a server of ours on loopback; a machine without a network is a network namespace without interfaces.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest
from engines import tiny
from engines.hub_server import SHA, hub

ID = "owner/tiny"
GIVEN = (
    "-m",
    "protocol=cot,debate",
    "task=one_digit_sums",
    "limit=2",
    "name=trial",
    "output_root=out",
    "sampling.max_tokens=8",
    "model@cast.default=hf",
)
ALONE = ("unshare", "--net")


def allowed(command):
    return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0


def madbench(folder, endpoint, *arguments, before=()):
    """A process with caches of its own, and with no word in its environment that it is offline."""
    shown = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("HF_", "WANDB", "TRANSFORMERS_"))
    }
    env = shown | {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder / "hf"),
        "MADBENCH_CACHE": str(folder / "cache"),
        "HOME": str(folder),
    }
    command = [*before, sys.executable, "-m", "madbench", *arguments]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False
    )


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    """A folder whose caches hold what `prefetch` brought; its hub is gone."""
    folder = tmp_path_factory.mktemp("node")
    with hub(ID, tiny.save(tmp_path_factory.mktemp("hub") / "tiny", context=2048)) as server:
        done = madbench(folder, server.url, "prefetch", *GIVEN, f"cast.default.weights.id={ID}")
        assert done.returncode == 0, done.stdout + done.stderr
        asked = list(server.asked)
    return folder, server.url, done.stdout, asked


def test_prefetch_pins_and_writes_down_what_it_brought(fetched):
    folder, _, said, asked = fetched
    held = json.loads((folder / "out" / "trial" / "prefetch.json").read_text())
    assert held["models"]["tiny"]["weights"]["identity"] == f"{ID}@{SHA}"
    assert SHA in held["models"]["tiny"]["folder"]
    assert held["tasks"]["one_digit_sums"]["samples"] == 48
    assert "model tiny: here" in said
    got = [path for method, path in asked if method == "GET" and "/resolve/" in path]
    assert any("model.safetensors" in path for path in got)


@pytest.mark.skipif(not allowed(ALONE), reason="needs the right to make a network namespace (unshare --net)")
@pytest.mark.parametrize("revision", ["main", SHA])
def test_a_cache_that_lost_a_file_is_not_taken_for_whole(fetched, tmp_path, revision):
    shutil.copytree(fetched[0], node := tmp_path / "node", symlinks=True)
    (held,) = node.glob(f"hf/hub/models--owner--tiny/snapshots/{SHA}/model.safetensors")
    held.resolve(strict=True).unlink()
    weights = (f"cast.default.weights.id={ID}", f"cast.default.weights.revision={revision}")
    done = madbench(node, fetched[1], *GIVEN, *weights, "name=lost", before=ALONE)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"refused: cot: model {ID}@{SHA}: not in the cache, and the hub cannot be reached" in done.stderr


@pytest.mark.skipif(not allowed(ALONE), reason="needs the right to make a network namespace (unshare --net)")
def test_a_run_without_a_network_is_whole_and_says_nothing_of_it(fetched):
    folder, url, *_ = fetched
    done = madbench(folder, url, *GIVEN, f"cast.default.weights.id={ID}", before=ALONE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The pipeline is whole" in done.stdout
    spoken = [line for line in done.stderr.splitlines() if line.strip()]
    assert [line for line in spoken if not line.startswith("W&B: tracking offline")] == []
    assert len(spoken) == 1
    for manifest in (folder / "out" / "trial" / "runs").glob("*/manifest.json"):
        assert "'main'" in json.loads(manifest.read_text())["models"]["default"][0]
    logs = "".join(path.read_text() for path in (folder / "out" / "trial" / "logs").glob("*.log"))
    assert "hub" not in logs.lower()
    assert "retr" not in logs.lower()


@pytest.mark.skipif(not allowed(ALONE), reason="needs the right to make a network namespace (unshare --net)")
def test_what_was_not_fetched_is_named_in_one_message_with_the_way_to_get_it(fetched):
    folder, url, *_ = fetched
    done = madbench(folder, url, *GIVEN, "cast.default.weights.id=owner/other", before=ALONE)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "owner/other" in line
    assert "python -m madbench prefetch" in line
