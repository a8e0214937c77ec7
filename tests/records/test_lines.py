import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from madbench.records.lines import Lines, scan
from madbench.types import InputError


def rows(path):
    return [row for _, row in scan(path)]


def test_cut_at_every_byte_then_resumed(tmp_path):
    path = tmp_path / "whole.jsonl"
    with Lines(path) as lines:
        for number in range(3):
            lines.append({"row": number, "text": "ü" * number})
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        torn = tmp_path / f"{cut}.jsonl"
        torn.write_bytes(whole[:cut])
        kept = whole[:cut].count(b"\n")
        assert len(rows(torn)) == kept
        with Lines(torn) as lines:
            place = lines.append({"row": "new"})
        assert [row["row"] for row in rows(torn)] == [*range(kept), "new"]
        assert torn.read_bytes()[place:] == b'{"row":"new"}\n'


def test_a_long_torn_line_is_mended(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"[1]\n" + b"x" * 300_000)
    with Lines(path) as lines:
        lines.append([2])
    assert rows(path) == [[1], [2]]


def test_an_unreadable_line_is_refused_with_its_place(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"[1]\n\0\0\0\n[3]\n")
    with pytest.raises(InputError, match=r"rows\.jsonl:2: unreadable"):
        rows(path)


def test_one_writer_a_file(tmp_path):
    with Lines(tmp_path / "rows.jsonl"), pytest.raises(InputError, match="another process is writing"):
        Lines(tmp_path / "rows.jsonl")
    Lines(tmp_path / "rows.jsonl").close()


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from madbench.records.lines import Lines
from madbench.types import StorageError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
with Lines(Path(sys.argv[1])) as lines:
    for number in range(9):
        try:
            lines.append({"row": number, "text": "x" * 40})
        except StorageError:
            print(number)
            break
    lines.append({"row": "small"})
"""


def test_a_full_disk_leaves_no_half_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
    assert [row["row"] for row in rows(path)] == [0, 1, "small"]


def test_a_line_that_is_being_written_is_left_for_the_next_look(tmp_path):
    path, ended = tmp_path / "lines.jsonl", threading.Event()
    path.touch()

    def write():
        with path.open("ab", buffering=0) as file:
            while not ended.is_set():
                for part in (b'["', b"x" * 50, b'"]\n'):
                    file.write(part)

    with ThreadPoolExecutor() as pool:
        writing, place = pool.submit(write), 0
        try:
            while place < 500_000:
                for found, row in scan(path, place):
                    assert row == ["x" * 50]
                    assert found % 55 == 0
                    place = found + 55
        finally:
            ended.set()
        writing.result()
