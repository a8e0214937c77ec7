"""Keys of the environment are in nothing that a run writes or prints: not packed, not encoded, not escaped."""

import base64
import json
import subprocess
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest
from engines.served import serving
from sweep.command import environment, line, rows, run_of

from madbench.engines.simulated import SimulatedModel

KEYS = {
    "CANARY_KEY": "sk-canary/8f3a1c+77==",
    "OPENAI_API_KEY": "sk-openai-5d21aa90b3",
    "WANDB_API_KEY": "c0ffee" * 6 + "beef",
    "HF_TOKEN": "hf_canaryQWERTYuiop42",
}


def play(folder, server, *more):
    """A run of debates on a server, all keys in the environment; the finished process."""
    given = (
        *(
            "protocol=cot",
            "task.n=6",
            "tracking=wandb",
            "model@cast.default=openai_server",
            "cast.default.model=sim",
        ),
        *(
            "cast.default.key_variable=CANARY_KEY",
            "cast.default.traffic.retries=0",
            f"cast.default.base_url={server.url}",
        ),
    )
    env = environment(folder) | KEYS | {"WANDB_MODE": "offline", "WANDB_DIR": str(folder)}
    return subprocess.run(
        line(folder, *given, *more),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def spellings(key):
    """A key as it may stand somewhere: itself, in JSON and in addresses, and in base64 at all three offsets."""
    yield from (key, json.dumps(key)[1:-1], key.replace("/", "\\/"), quote(key, safe=""))
    for shift in range(3):
        yield base64.b64encode(b"x" * shift + key.encode())[4 * bool(shift) : -4].decode()


def found_in(content):
    return [name for name, key in KEYS.items() for word in spellings(key) if word.encode() in content]


def unpacked(file):
    """A file's bytes, and those of a table's cells, which are compressed."""
    packed = pq.read_table(file).to_pylist() if file.suffix == ".parquet" else ""
    return file.read_bytes() + str(packed).encode()


def leaks(folder):
    """Files by the names of the keys in them."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    suffixes = {file.suffix for file in files}
    assert suffixes >= {".parquet", ".json", ".jsonl", ".html", ".wandb", ".log", ".yaml"}, suffixes
    return {str(file): held for file in files if (held := found_in(unpacked(file) + str(file).encode()))}


def echo_headers(exchange, escaped):
    """What a careless server says: all that it was told; in JSON, any letter may stand escaped."""
    headers = exchange.handler.headers
    heard = json.dumps({"Authorization": headers["authorization"], **headers})
    return exchange.answer(500, heard.replace("/", "\\/").replace("+", "\\u002B") if escaped else heard)


def test_the_search_finds_what_it_looks_for(tmp_path):
    for key in KEYS.values():
        for word in spellings(key):
            assert found_in(b"..." + word.encode() + b"...")
    held = base64.b64encode(b"Bearer " + KEYS["HF_TOKEN"].encode() + b"\n")
    assert found_in(held) == ["HF_TOKEN"]


def test_no_key_is_in_what_a_run_writes_or_prints(tmp_path):
    """Where a server repeats the header that held it, too."""

    def careless(exchange):
        asked = exchange.body["messages"][-1]["content"]
        return ("Question 3:" in asked and echo_headers(exchange, escaped=False)) or (
            "Question 4:" in asked and echo_headers(exchange, escaped=True)
        )

    with serving(SimulatedModel(0.6), careless) as server:
        done = play(tmp_path, server)
    assert done.returncode == 1
    assert server.log.keys == {f"Bearer {KEYS['CANARY_KEY']}"}
    assert str(rows(run_of(tmp_path, "cot"))).count("Bearer [CANARY_KEY]") >= 2
    assert leaks(tmp_path) == {}
    assert found_in((done.stdout + done.stderr).encode()) == []


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "CANARY_KEY"])
def test_a_key_that_a_user_typed_into_a_setting_is_in_no_file(tmp_path, key):
    """As a field that a server wants in every request, say."""
    with serving(SimulatedModel(0.6)) as server:
        done = play(tmp_path, server, f"+cast.default.serving.extra.pass='{KEYS[key]}'")
    assert done.returncode == 0, done.stderr
    assert leaks(tmp_path) == {}
    assert found_in((done.stdout + done.stderr).encode()) == []
    sent = [file.read_bytes() for file in tmp_path.rglob("*.wandb")]
    assert sent
    assert all(f"[{key}]".encode() in content for content in sent)
