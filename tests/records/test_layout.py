import json
import threading
import time
import tracemalloc

import pytest

from madbench.records.index import Index
from madbench.records.layout import RunFolder, component, differences, run_name, write_json
from madbench.records.plan import Asked, Plan, viewed
from madbench.records.plan_file import owed_in
from madbench.records.status import Status, read_status
from madbench.types import InputError

IDS = ["q3", "q1", "q2", "q4"]


def test_plans_only_grow():
    small = Plan({}).extended(IDS, 2, 1)
    assert list(small) == [("q3", 0), ("q1", 0)]
    large = small.extended(IDS, 3, 2)
    assert list(large) == [("q3", 0), ("q3", 1), ("q1", 0), ("q1", 1), ("q2", 0), ("q2", 1)]
    assert large.extended(IDS, 1, 1) == large
    assert len(large.extended(IDS, None, 1)) == 7
    assert list(viewed(IDS, 1, 2)) == [("q3", 0), ("q3", 1)]


def test_a_plan_is_kept_with_how_it_was_asked_for(tmp_path):
    folder, asked = RunFolder(tmp_path), Asked(7, 2, None, {"context": "refuse"})
    plan = Plan({}).extended(IDS, 3, 2)
    folder.write_plan(plan, asked)
    assert list(folder.read_plan().owed) == IDS[:3]
    assert (folder.read_plan(), folder.read_asked()) == (plan, asked)
    assert asked.view(plan) == plan
    assert Index(plan).attempt("q1", 1) == 0


@pytest.mark.parametrize(("count", "spaces"), [(3000, ""), (30, " " * 100_000)], ids=["tight", "wide"])
def test_a_plan_is_read_wherever_its_pieces_are_cut(tmp_path, count, spaces):
    ids = [f"question {number} " + "ü" * (number % 97) for number in range(count)]
    pairs = f",{spaces}\n ".join(json.dumps([sample, 2]) for sample in ids)
    asked = '{"seed": 1, "epochs": 2, "limit": null, "defaults": {}}'
    text = f'{{"schema_version": 1, "asked" : {spaces}{asked}, {spaces}"owed" :{spaces} [ {pairs} ] }}'
    folder = RunFolder(tmp_path)
    folder.plan.write_text(text, encoding="utf-8")
    assert list(folder.read_plan().owed.items()) == [(sample, 2) for sample in ids]
    assert folder.read_asked() == Asked(1, 2, None, {})
    folder.plan.write_text(text[: len(text) - 9], encoding="utf-8")
    with pytest.raises(InputError, match="not readable as JSON"):
        folder.read_plan()


def test_a_long_plan_is_no_long_text_in_memory(tmp_path):
    """Beside the plan itself, which both sizes hold before the peak is looked at."""

    def most_held(count):
        folder = RunFolder(tmp_path)
        plan = viewed([f"question {number:020}" for number in range(count)], None, 1)
        tracemalloc.start()
        folder.write_plan(plan, Asked(0, 1, None, {}))
        with folder.plan.open(encoding="utf-8") as file:
            assert sum(epochs for _, epochs in owed_in(file)) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few, many = most_held(10_000), most_held(30_000)
    assert (many - few) / 20_000 < 5


def test_names_fit_a_folder_and_stay_apart():
    assert component("gsm8k") == "gsm8k"
    long = "org/model=" + "x:" * 200
    names = {component(long + end) for end in "ab"} | {component("a/b"), component("a:b"), component("a_b")}
    assert len(names) == 5
    assert all(len(name.encode()) <= 200 and "/" not in name and ":" not in name for name in names)
    assert component("ü" * 300).isascii()
    name = run_name(task="t" * 150, arm="a" * 150, cast="c" * 150, seed=12, config_hash="0123456789abcdef")
    assert len(name) <= 200
    assert name.endswith("-s12-01234567")


@pytest.mark.parametrize("odd", ["", ".", "..", "/", "\0"])
def test_no_text_makes_a_folder_that_is_somewhere_else(odd):
    assert component(odd) not in ("", ".", "..")


def test_another_config_is_refused_with_what_differs(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.claim({"seed": 0, "task": {"name": "sums", "n": 4}})
    folder.claim({"seed": 0, "task": {"name": "sums", "n": 4}})
    with pytest.raises(
        InputError, match=r"another config.*seed: 0 -> 1; task\.n: 4 -> None; task\.size: None -> 4"
    ):
        folder.claim({"seed": 1, "task": {"name": "sums", "size": 4}})


def test_differences_name_lists_and_depth():
    assert list(differences({"a": [1, 2], "b": {"c": {"d": 1}}}, {"a": [1, 3], "b": {"c": {"d": 2}}})) == [
        "a: [1, 2] -> [1, 3]",
        "b.c.d: 1 -> 2",
    ]


def test_the_second_start_names_the_holder(tmp_path):
    folder = RunFolder(tmp_path)
    with folder.locked():
        Status("running", 1, 2).write(folder)
        with pytest.raises(InputError, match=r"process \d+ on host \S+"), folder.locked(wait=0.1):
            pass
    with folder.locked(wait=0.1):
        pass


def test_the_second_start_waits_its_turn(tmp_path):
    order = []

    def second():
        with RunFolder(tmp_path).locked(wait=10):
            order.append("second")

    with RunFolder(tmp_path).locked():
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_status_is_read_back(tmp_path):
    assert read_status(RunFolder(tmp_path)) is None
    status = Status("failed", 3, 4, 120, "why", "Traceback")
    status.write(RunFolder(tmp_path))
    assert read_status(RunFolder(tmp_path)) == status


def test_small_files_are_replaced_whole(tmp_path):
    path = tmp_path / "status.json"
    write_json(path, {"old": 1})
    with pytest.raises(ValueError):
        write_json(path, {"new": float("nan")})
    assert json.loads(path.read_text()) == {"old": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["status.json"]
