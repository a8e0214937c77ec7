import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from madbench.records.layout import RunFolder
from madbench.records.tables import BATCH, SPAN, read_records, write_tables
from madbench.types import (
    Completion,
    Effort,
    Ending,
    Event,
    InputError,
    Message,
    Outcome,
    ParseStatus,
    Place,
    Reading,
    Record,
    Request,
    RowId,
    Sampling,
    SeamError,
    Speaker,
    StopReason,
    StorageError,
    Turn,
)

words = st.none() | st.sampled_from(["", "A", "β\n\u2028"])
facts = st.dictionaries(
    st.sampled_from("ab"), st.none() | st.integers(0, 3) | st.lists(st.booleans(), max_size=2)
)
turns = st.builds(
    lambda n, schema, answer, share, spare: Turn(
        Speaker("solver", n, n, n, n),
        "Asked",
        Request(
            (Message("user", "Q" * n), Message("assistant", "")), Sampling(temperature=n / 7), n << 60, schema
        ),
        Completion("said", "length", n, n + 1, (("x", -share), ("", float("-inf")))[:n]),
        Reading(ParseStatus.AMBIGUOUS, "Statement", "rule", answer, share, {"text": answer}, "note"),
        ("oldest exchange dropped",) * (n % 3),
        spare,
    ),
    st.integers(0, 7),
    words,
    words,
    st.floats(0, 1),
    st.booleans(),
)
outcomes = st.builds(
    lambda answer, rounds, ledger, facts: Outcome(
        answer,
        tuple(tuple(answers) for answers in rounds),
        StopReason.CONSENSUS,
        {"vote_share": 0.1, "stated_label": "HIGH"},
        tuple(Event("claimed", "solver0", n, "text", facts) for n in range(ledger)),
        facts,
    ),
    words,
    st.lists(st.lists(words, max_size=3), max_size=3),
    st.integers(0, 2),
    facts,
)
records = st.builds(
    lambda n, ending, outcome, turns, place: Record(
        RowId(f"q{n}", n % 3, n % 2),
        None,
        ending,
        outcome,
        tuple(turns),
        {"correct": 1.0, "a b": 0.25} if n else {},
        place,
        Effort(0.1, "host"),
        "",
    ),
    st.integers(0, 9),
    st.sampled_from(Ending),
    st.none() | outcomes,
    st.lists(turns, max_size=3),
    st.none() | st.builds(Place, st.integers(0, 3), st.integers(0, 3), st.just('{"notes":[]}')),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(records, max_size=5))
def test_records_come_back_as_they_were(tmp_path, rows):
    folder = RunFolder(tmp_path)
    write_tables(folder, rows)
    assert list(read_records(folder)) == rows


def row(n, turns=1, text="said"):
    turn = Turn(
        Speaker("solver", 0, 0, 0),
        "Asked",
        Request((), Sampling(), 1),
        Completion(f"{text} {n}", "stop", 1, 1),
        Reading(ParseStatus.OK, "Statement"),
    )
    return Record(RowId(f"q{n}"), None, Ending.DONE, None, (turn,) * turns, {}, None, Effort(0, ""))


def test_many_batches_stream(tmp_path):
    write_tables(RunFolder(tmp_path), (row(n, n % 3) for n in range(700)))
    read = read_records(RunFolder(tmp_path))
    assert next(read).id.sample == "q0"
    assert [record.id.sample for record in read] == [f"q{n}" for n in range(1, 700)]


def test_short_rows_too_are_written_before_the_end(tmp_path):
    """What waits for its group is held in memory."""
    folder, most = RunFolder(tmp_path), BATCH * SPAN
    write_tables(folder, (row(n) for n in range(most + 1)))
    for path in (folder.records, folder.turns):
        found = pq.ParquetFile(path).metadata
        assert [found.row_group(group).num_rows for group in range(found.num_row_groups)] == [most, 1]


def test_what_readers_hold_of_every_group_is_less_than_50_bytes_an_episode(tmp_path):
    """Some 900 bytes for each column of each group, however little is in it; so does the writer until it is closed."""
    folder, count = RunFolder(tmp_path), 3000
    write_tables(folder, (row(n, text="A long reply. " * 900) for n in range(count)))
    found = [pq.read_metadata(path) for path in (folder.records, folder.turns, folder.events)]
    chunks = sum(one.num_row_groups * one.num_columns for one in found)
    assert chunks * 900 / count < 50


def test_tables_are_written_and_read_through_the_systems_allocator():
    """Arrow's own keeps 25 MB of pages that were read and written. Which one serves is settled when Arrow is loaded."""
    ended = subprocess.run(
        [sys.executable, "-c", ALLOCATED],
        env={name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "['system']\n"


ALLOCATED = """
import tempfile
from pathlib import Path

from madbench.records.layout import RunFolder
from madbench.records.tables import read_records, write_tables
from madbench.types import Effort, Ending, Record, RowId

with tempfile.TemporaryDirectory() as place:
    folder = RunFolder(Path(place))
    write_tables(folder, [Record(RowId("q"), None, Ending.DONE, None, (), {}, None, Effort(0, "host"))])
    assert len(list(read_records(folder))) == 1

import pyarrow

pools = {name: getattr(pyarrow, f"{name}_memory_pool")() for name in pyarrow.supported_memory_backends()}
print([name for name, pool in pools.items() if pool.max_memory()])
"""


def test_a_failure_while_writing_leaves_the_old_tables(tmp_path):
    folder = RunFolder(tmp_path)
    write_tables(folder, [row(1)])

    def breaks():
        yield row(2)
        raise OSError("disk")

    with pytest.raises(StorageError, match="disk"):
        write_tables(folder, breaks())
    assert list(read_records(folder)) == [row(1)]
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "events.parquet",
        "records.parquet",
        "turns.parquet",
    ]


def test_lost_turns_are_noticed(tmp_path):
    folder = RunFolder(tmp_path)
    write_tables(folder, [row(n, 2) for n in range(5)])
    whole = pq.read_table(folder.turns)
    for broken in (
        whole.slice(0, 9),
        pa.concat_tables([whole.slice(0, 2), whole.slice(3)]),
        pa.concat_tables([whole, whole.slice(9)]),
    ):
        pq.write_table(broken.replace_schema_metadata(whole.schema.metadata), folder.turns)
        with pytest.raises(SeamError, match="turns or events"):
            list(read_records(folder))


def rewritten(path, version, table=None):
    table = pq.read_table(path) if table is None else table
    pq.write_table(table.replace_schema_metadata({"schema_version": version}), path)


def test_tables_of_a_newer_version_are_refused(tmp_path):
    folder = RunFolder(tmp_path)
    write_tables(folder, [row(1)])
    rewritten(folder.records, "99")
    with pytest.raises(InputError, match=r"records\.parquet: written as version 99.*up to 1"):
        list(read_records(folder))


def test_tables_of_an_older_version_are_read(tmp_path):
    folder = RunFolder(tmp_path)
    write_tables(folder, [row(1)])
    rewritten(folder.turns, "0", pq.read_table(folder.turns).drop_columns(["note"]))
    assert list(read_records(folder)) == [row(1)]


def test_equal_records_make_equal_bytes(tmp_path):
    one, two = RunFolder(tmp_path / "1"), RunFolder(tmp_path / "2")
    for folder in (one, two):
        folder.path.mkdir()
        write_tables(folder, [row(n) for n in range(300)])
    for name in ("records.parquet", "turns.parquet", "events.parquet"):
        assert (one.path / name).read_bytes() == (two.path / name).read_bytes()
