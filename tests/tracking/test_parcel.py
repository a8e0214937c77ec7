"""What is sent of a run, before anything is sent."""

import multiprocessing

import pytest

from madbench.tracking import NoTracking, TrackedRun
from madbench.tracking.identity import Receipt, run_id
from madbench.tracking.parcel import figures, flat, one_type, table_of
from madbench.types import Estimate


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([18, "B", None], ["18", "B", None]),
        ([1, 2.5, None], [1, 2.5, None]),
        ([True, 1], ["true", "1"]),
        ([["a"], ["b", 2]], ['["a"]', '["b", 2]']),
        ([{"a": 1}, 3], ['{"a": 1}', "3"]),
        ([float("nan"), 1.0], [None, 1.0]),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_a_column_is_of_one_kind_or_text(values, column):
    assert one_type(values) == column


def test_rows_beyond_the_cap_are_counted_not_kept():
    read = []

    def rows():
        for number in range(2500):
            read.append(number)
            yield {"answer": number, "id": f"s{number}"}

    table = table_of(rows(), 1000)
    assert (table.columns, len(table.rows), table.total, len(read)) == (("id", "answer"), 1000, 2500, 2500)
    assert table.ids == tuple(f"s{number}" for number in range(1000))


def test_rows_with_different_columns_are_filled_with_nothing():
    table = table_of([{"id": "a"}, {"id": "b", "x": 1.5}], 10)
    assert table.rows == (("a", None), ("b", 1.5))
    assert table_of([], 10).rows == ()


def test_config_is_flat_and_plain():
    nested = {"task": {"name": "x", "shots": {}}, "seed": 0, "votes": [1, 2], "bad": float("inf")}
    assert flat(nested) == {"task.name": "x", "task.shots": {}, "seed": 0, "votes": [1, 2], "bad": None}


def test_undefined_is_null_in_the_summary():
    found = figures({"ece": Estimate(None, None, float("nan"), 0)})
    assert found == {"ece": None, "ece/low": None, "ece/high": None, "ece/n": 0}


def test_the_id_stays_with_the_folder(tmp_path):
    here, there = tmp_path / "a", tmp_path / "b"
    here.mkdir()
    there.mkdir()
    first = run_id(here)
    assert run_id(here) == first
    assert run_id(there) != first
    assert run_id(here.rename(tmp_path / "moved")) == first


def ids_of(folders):
    return [run_id(folder) for folder in folders]


def test_commands_that_end_at_the_same_time_draw_one_id(tmp_path):
    folders = [tmp_path / str(number) for number in range(300)]
    for folder in folders:
        folder.mkdir()
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        first, *others = pool.map(ids_of, [folders] * 3, chunksize=1)
    assert others == [first, first]
    assert [path.name for folder in folders for path in folder.iterdir()] == ["tracking.json"] * 300


def test_a_damaged_note_is_drawn_anew(tmp_path):
    (tmp_path / "tracking.json").write_text('{"id": ')
    assert run_id(tmp_path) == run_id(tmp_path)


def test_a_receipt_holds_for_its_parcel_and_mode(tmp_path):
    identity = run_id(tmp_path)
    Receipt(tmp_path, "d1").write("offline")
    assert Receipt(tmp_path, "d1").holds("offline")
    assert not Receipt(tmp_path, "d1").holds("online")
    assert not Receipt(tmp_path, "d2").holds("offline")
    Receipt(tmp_path, "d1").write("online")
    assert Receipt(tmp_path, "d1").holds("offline")
    assert run_id(tmp_path) == identity


def test_no_tracking_reads_nothing(tmp_path):
    def rows():
        raise AssertionError("read")
        yield {}

    run = TrackedRun(tmp_path, tmp_path, "g", "j", {}, {}, rows())
    assert NoTracking().publish(run).mode == "none"
    assert list(tmp_path.iterdir()) == []
