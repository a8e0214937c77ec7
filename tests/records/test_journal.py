import os
import shutil
import subprocess
import sys
import tracemalloc

import pytest

from madbench.records.journal import Journal, Places
from madbench.records.layout import own_name
from madbench.types import Completion, InputError, StorageError

A, B = Completion("a", "stop", 3, 1, (("a", -0.5),)), Completion("b", "length", 4, 2)


def test_kept_over_restarts(tmp_path):
    with Journal(tmp_path) as journal:
        assert journal.get("one") is None
        journal.put("one", A)
        assert journal.get("one") == A
    with Journal(tmp_path) as journal:
        assert (journal.get("one"), journal.get("two")) == (A, None)
        journal.put("two", B)
    with Journal(tmp_path) as journal:
        assert (journal.get("one"), journal.get("two")) == (A, B)


def test_a_torn_line_costs_that_completion_alone(tmp_path):
    with Journal(tmp_path) as journal:
        journal.put("one", A)
        journal.put("two", B)
    (file,) = tmp_path.glob("*.jsonl")
    os.truncate(file, file.stat().st_size - 3)
    with Journal(tmp_path) as journal:
        assert (journal.get("one"), journal.get("two")) == (A, None)
        journal.put("two", B)
        assert journal.get("two") == B


def test_an_unreadable_line_is_refused_with_its_place(tmp_path):
    (tmp_path / "0.jsonl").write_bytes(b"nonsense\n")
    with pytest.raises(InputError, match=r"0\.jsonl:1"):
        Journal(tmp_path)


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("gone")])
def test_a_file_that_cannot_be_read_is_a_fault_of_the_disk_that_names_it(tmp_path, make):
    with Journal(tmp_path) as journal:
        make(tmp_path / "0.jsonl")
        for look in (lambda: journal.get("one"), lambda: Journal(tmp_path)):
            with pytest.raises(StorageError, match=r"0\.jsonl: "):
                look()


def test_a_folder_that_went_away_is_a_fault_of_the_disk_that_names_it(tmp_path):
    with Journal(tmp_path / "journal") as journal:
        shutil.rmtree(tmp_path / "journal")
        with pytest.raises(StorageError, match="journal: No such file"):
            journal.get("one")


def test_two_writers_have_a_file_each_and_later_ones_read_both(tmp_path):
    with Journal(tmp_path) as first, Journal(tmp_path) as second:
        first.put("one", A)
        second.put("two", B)
    assert sorted(path.name for path in tmp_path.glob("*.jsonl")) == [f"{own_name(n)}.jsonl" for n in (0, 1)]
    with Journal(tmp_path) as journal:
        assert (journal.get("one"), journal.get("two")) == (A, B)


def test_open_journals_of_one_folder_learn_from_each_other(tmp_path):
    with Journal(tmp_path) as first, Journal(tmp_path) as second:
        assert second.get("one") is None
        first.put("one", A)
        assert (second.get("one"), second.get("two")) == (A, None)
        second.put("two", B)
        with Journal(tmp_path) as third:
            third.put("three", A)
            assert [one.get("two") for one in (first, second, third)] == [B, B, B]
            assert [one.get("three") for one in (first, second, third)] == [A, A, A]
        with (tmp_path / "elsewhere-0.jsonl").open("ab") as torn:
            torn.write(b'["four",')
            torn.flush()
            assert first.get("four") is None
    assert sum(len(file.read_bytes().splitlines()) for file in tmp_path.glob("*.jsonl")) == 4


def test_a_file_that_came_in_the_same_tick_of_the_folders_clock_is_seen(tmp_path):
    with Journal(tmp_path) as journal:
        assert journal.get("one") is None
        seen = tmp_path.stat().st_mtime_ns
        with Journal(tmp_path) as other:
            other.put("one", A)
            os.utime(tmp_path, ns=(seen, seen))
            assert journal.get("one") == A


def test_a_line_that_was_torn_when_it_was_seen_is_read_anew(tmp_path):
    """Its writer was killed, and another made its file whole and went on in it."""
    other = tmp_path / f"{own_name(1)}.jsonl"
    with Journal(tmp_path) as reader:
        with Journal(tmp_path) as writer:
            writer.put("one", A)
        with other.open("ab") as file:
            file.write(b'["two",["longer than what another process wrote after it')
        assert (reader.get("one"), reader.get("two")) == (A, None)
        with Journal(tmp_path) as writer:
            writer.put("2", B)
            assert reader.get("2") == B
            writer.put("three", A)
            assert [reader.get(name) for name in ("three", "one", "two")] == [A, A, None]


KILLED = """
import os, sys
from pathlib import Path
from madbench.records.journal import Journal
from madbench.types import Completion
journal = Journal(Path(sys.argv[1]))
for number in range(500):
    journal.put(f"call {number}", Completion(str(number), "stop", 1, 1))
os.kill(os.getpid(), 9)
"""


def test_the_end_of_another_hosts_file_may_be_known_before_what_stands_there(tmp_path):
    with Journal(tmp_path / "far") as far:
        for number, completion in enumerate((A, B, A)):
            far.put(str(number), completion)
    (file,) = (tmp_path / "far").glob("*.jsonl")
    first, second, third = file.read_bytes().splitlines(keepends=True)
    with Journal(tmp_path) as journal, (tmp_path / "far.jsonl").open("wb", buffering=0) as other:
        other.write(first)
        assert journal.get("0") == A
        other.seek(len(second), os.SEEK_CUR)  # a hole, which reads as zeros
        other.write(third)
        assert (journal.get("1"), journal.get("2")) == (None, None)
        os.pwrite(other.fileno(), second, len(first))
        assert (journal.get("1"), journal.get("2")) == (B, A)


def test_a_killed_process_loses_nothing_that_was_put(tmp_path):
    assert subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=False).returncode == -9
    with Journal(tmp_path) as journal:
        found = [journal.get(f"call {number}") for number in range(500)]
    assert [completion.text for completion in found] == [str(number) for number in range(500)]


def test_places_are_found_and_small():
    tracemalloc.start()
    places = Places()
    for number in range(100_000):
        places.add(f"call {number}", number * 1000)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / 100_000 < 17
    assert all(places.of(f"call {number}") == [number * 1000] for number in range(0, 100_000, 97))
    assert places.of("another") == []
