"""Keys: in the environment, and nowhere else."""

import json
import subprocess
import sys

import pytest

from madbench.engines.openai import OpenAIModel
from madbench.sweep.manifests import environment, without_secrets
from madbench.types import InputError

KEY = "sk-0123456789abcdef"


def test_a_manifest_shows_no_secret_of_the_environment():
    held = {
        "HF_TOKEN": KEY,
        "WANDB_API_KEY": KEY,
        "SLURM_JWT": KEY,
        "HF_HUB_COOKIE": KEY,
        "WANDB_BASE_URL": f"https://user:{KEY}@wandb.example/api",
        "HF_HOME": "/cache",
        "OPENAI_API_KEY": KEY,
        "PATH": "/bin",
    }
    shown = environment(held)
    assert KEY not in json.dumps(shown)
    assert shown == {"HF_HOME": "/cache", "WANDB_BASE_URL": "https://wandb.example/api"}


def test_a_secret_that_a_user_typed_is_written_down_by_its_name():
    held = {
        "command": ["madbench", f"+cast.default.serving.extra.key={KEY}"],
        "config": {"a": {"b": [KEY, 3]}},
    }
    said = without_secrets(held, {"OPENAI_API_KEY": KEY, "SHORT_KEY": "a", "HOME": "madbench"})
    assert KEY not in json.dumps(said)
    assert said["config"] == {"a": {"b": ["[OPENAI_API_KEY]", 3]}}
    assert said["command"][0] == "madbench"


@pytest.mark.parametrize("url", [f"https://user:{KEY}@host/v1", f"https://host/v1?key={KEY}"])
def test_an_address_holds_no_key_and_is_not_repeated(url, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(InputError, match="a key belongs in an environment variable") as told:
        OpenAIModel(name="m", base_url=url, model="x", key_variable="OPENAI_API_KEY").check()
    assert KEY not in str(told.value)


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", f"{KEY}\x00", f"{KEY}é"])
def test_a_key_that_no_header_can_hold_is_refused_unsaid(key, monkeypatch):
    if "\x00" in key:
        key = key.replace("\x00", "\x01")
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(InputError, match="the key in OPENAI_API_KEY holds") as told:
        OpenAIModel(name="m", base_url="https://host/v1", model="x", key_variable="OPENAI_API_KEY").check()
    assert KEY not in str(told.value)


def test_the_composed_config_names_the_variable_alone():
    code = "import sys; from madbench.sweep.app import run; sys.exit(run(sys.argv[1:]))"
    words = ["--cfg", "job", "model@cast.default=openai_server", "cast.default.model=x"]
    told = subprocess.run(
        [sys.executable, "-c", code, *words],
        env={"OPENAI_API_KEY": KEY},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "key_variable: OPENAI_API_KEY" in told.stdout, told.stderr
    assert KEY not in told.stdout + told.stderr
