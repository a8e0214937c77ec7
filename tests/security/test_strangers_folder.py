"""A folder that somebody else made: reading it runs nothing, and nothing outside of it is written."""

import json
import shutil
import sys

import pytest
from sweep.command import home, madbench

from madbench.records.codec import unpack
from madbench.sweep.app import run
from madbench.sweep.settings import made
from madbench.types import InputError

FOREIGN = {
    "a function of the system": ("task", {"_target_": "os.system", "command": "touch {mark}"}),
    "a process": ("protocol", {"_target_": "subprocess.Popen", "args": ["touch", "{mark}"]}),
    "a module beside": ("task", {"_target_": "evil.Task"}),
    "deep within": (
        "task",
        {
            "_target_": "madbench.tasks.questions.Questions",
            "name": "q",
            "path": "p",
            "layout": [{"_target_": "os.mkdir", "path": "{mark}"}],
        },
    ),
    "what ours import": ("task", {"_target_": "madbench.engines.wheels.subprocess.run", "args": ["true"]}),
    "a class of ours that opens files": (
        "cast",
        {"_target_": "madbench.records.lines.Lines", "path": "{mark}"},
    ),
    "a function of a room": ("cast", {"_target_": "madbench.engines.gguf_files.cache_folder"}),
    "an import of a room": ("cast", {"_target_": "madbench.engines.wheels.Path"}),
    "another room's class": ("protocol", {"_target_": "madbench.tasks.synthetic.Synthetic", "n": 3}),
    "a tracker": ("tracking", {"_target_": "evil.Tracker"}),
}


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trial")
    ended = madbench(folder, "-m", "protocol=cot,cot_sampled", "task.n=3")
    assert ended.returncode == 0, ended.err
    return home(folder)


@pytest.fixture
def stranger(trial, tmp_path, monkeypatch):
    """The experiment's folder, beside it a module that says when it is imported."""
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath(__file__).with_name('mark').touch()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield shutil.copytree(trial, tmp_path / "out" / "trial")
    sys.modules.pop("evil", None)


def filled(value, mark):
    if isinstance(value, dict):
        return {key: filled(one, mark) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, mark) for one in value]
    return value.replace("{mark}", mark) if isinstance(value, str) else value


def edit(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("name", FOREIGN)
def test_classes_of_others_are_named_and_never_built(name, tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath(__file__).with_name('mark').touch()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    where, plain = FOREIGN[name]
    with pytest.raises(InputError, match=rf"^{where}.*no class of settings"):
        made(where, filled(plain, str(tmp_path / "mark")), frozenset())
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "words",
    [["report"], ["score"], ["pairs"], ["compare", "cot", "cot_sampled"]],
    ids=lambda words: words[0],
)
def test_no_verb_builds_what_a_folder_names(words, stranger, tmp_path, capsys):
    for manifest in stranger.glob("runs/*/manifest.json"):
        edit(manifest, lambda held: held["config"].update(task={"_target_": "evil.Task"}))
    verb, *arms = words
    assert run([verb, str(stranger), *arms]) == 2
    assert "read that code, then say trust=evil" in capsys.readouterr().err
    assert not (tmp_path / "mark").exists()
    assert run([verb, str(stranger), *arms, "trust=evil"]) == 2, (
        "the class is not there, but its module was run"
    )
    assert (tmp_path / "mark").exists()


@pytest.mark.parametrize("module", ["evil", "antigravity", "xmlrpc.server"])
def test_a_record_s_reader_is_never_imported(module, stranger, tmp_path):
    sys.modules.pop(module, None)
    with pytest.raises(InputError, match="no class"):
        unpack({"class": f"{module}:Reader", "fields": {}})
    assert module not in sys.modules
    assert not (tmp_path / "mark").exists()


def test_a_reader_that_the_task_brought_is_read():
    import stage

    packed = {"class": f"{stage.__name__}:Marked", "fields": {}}
    assert unpack(packed) == stage.Marked()


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc", "..", "a/b", "run\0", "linked", "C:\\run"])
def test_runs_lie_in_their_experiment(name, stranger, tmp_path, capsys):
    one = next(stranger.glob("runs/*-cot-*"))
    outside = shutil.copytree(one, tmp_path / "elsewhere")
    (stranger / "runs" / "linked").symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    edit(stranger / "sweep.json", lambda held: held["runs"][0].update(folder=name))
    assert run(["score", str(stranger)]) == 2
    assert "sweep.json" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before


def test_a_template_of_a_stranger_is_text_in_a_box(stranger, tmp_path, capsys):
    """Playing replies again renders the templates that the run was asked with."""
    mark, shadow = tmp_path / "mark", stranger / "templates" / "solver"
    shadow.mkdir(parents=True)
    (shadow / "Asked.j2").write_text(
        "{{ ''.__class__.__mro__[1].__subclasses__() }}"
        "{{ cycler.__init__.__globals__.os.system('touch " + str(mark) + "') }}"
    )
    for plan in stranger.glob("runs/*/plan.json"):
        edit(plan, lambda held: held["asked"]["defaults"].update(templates=str(shadow.parent)))
    run(["score", str(stranger), "reader=choice"])
    assert not mark.exists()


def test_settings_of_ours_are_built_without_trust(stranger):
    assert run(["report", str(stranger)]) == 0
    assert run(["score", str(stranger), "reader=strict"]) == 0
