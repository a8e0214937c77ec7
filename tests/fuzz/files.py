"""Parsers of whole files: what others may have cut, mixed up or made to harm."""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from fuzz.rows import CONFIG, DIFF, ITEMS, REVIEWS

from madbench.engines.families import check_weights
from madbench.engines.gguf_header import read_header
from madbench.engines.wheels import taken
from madbench.records.codec import encode
from madbench.records.journal import Journal
from madbench.records.layout import RunFolder
from madbench.records.status import read_status
from madbench.records.tables import read_records, write_tables
from madbench.run.scoring import source
from madbench.run.transcripts import Columns, Transcripts
from madbench.sweep.kept import FILE, read_kept
from madbench.sweep.manifests import config_of
from madbench.tasks.answers import NumberReader
from madbench.tasks.changes import read_artifacts
from madbench.tasks.finding_pairs import FindingPairs
from madbench.tasks.judged import JudgedMatcher
from madbench.tasks.sources import read_file
from madbench.types import (
    Completion,
    Effort,
    Ending,
    Outcome,
    Problem,
    Record,
    RowId,
    Sample,
    SeamError,
    StopReason,
    Target,
)

RECORD = Record(
    id=RowId("q1", 0, 0),
    sample=Sample(Problem("q1", "q1", "What is 2 + 5?", NumberReader()), Target("7", {"suspect": "x"})),
    ending=Ending.DONE,
    outcome=Outcome("7", (("7",),), StopReason.MAX_ROUNDS),
    turns=(),
    scores={"correct": 1.0},
    place=None,
    effort=Effort(0.1, "host"),
    error="",
)
LINE = json.dumps(encode(RECORD)).encode() + b"\n"
PLAN = json.dumps(
    {
        "schema_version": 1,
        "asked": {"seed": 0, "epochs": 1, "limit": None, "defaults": {}},
        "owed": [["q1", 1]],
    }
).encode()
STATUS = json.dumps(
    {"schema_version": 1, "state": "done", "done": 1, "planned": 1, "tokens": 2, "error": "", "traceback": ""}
).encode()
MANIFEST = json.dumps({"config": CONFIG, "choices": {"task": "synthetic"}, "overrides": ["seed=0"]}).encode()
KEPT = json.dumps(
    {
        "runs": [{"folder": "run", "arm": "cot", "task": "t", "protocol": "cot", "cast": "c"}],
        "rates": {"c": 1.5},
        "published": [{"table": "du2023/main", "where": {}, "arm": "cot"}],
    }
).encode()
PAIR = json.dumps(
    {
        "id": "p",
        "artifact_id": "a",
        "finding": {"span": {"document": "a.py", "first": 1, "last": 1}, "text": "x"},
        "issue": {"id": "i", "spans": [{"document": "a.py", "first": 1, "last": 1}]},
        "reference": "MATCH",
    }
).encode()


def inside(name, read):
    """A target that puts its bytes into a file of that name and reads it."""

    def entry(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            read(path)

    return entry


def shard(path: Path) -> None:
    folder = RunFolder(path.parents[1])
    folder.plan.write_bytes(PLAN)
    for record in source(folder):
        assert isinstance(record, Record)


def journal(path: Path) -> None:
    with Journal(path.parent) as held:
        for identity in ("a", "", "é"):
            found = held.get(identity)
            assert found is None or isinstance(found, Completion)


def plan(path: Path) -> None:
    folder = RunFolder(path.parent)
    plan, asked = folder.read_plan(), folder.read_asked()
    asked.view(plan)


def tables(path: Path) -> None:
    for other in ("turns", "events"):
        (path.parent / f"{other}.parquet").write_bytes(EMPTY[other])
    for record in read_records(RunFolder(path.parent)):
        assert isinstance(record, Record)


def _tables() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder))
        write_tables(run, [RECORD])
        return {name: getattr(run, name).read_bytes() for name in ("records", "turns", "events")}


EMPTY = _tables()


def transcripts(path: Path) -> None:
    for columns in (Columns(), Columns(turn="turn", epoch="epoch", finish="finish", output_tokens="out")):
        Transcripts(path=str(path), columns=columns, bytes_per_token=4.0).read()


def wheel(path: Path) -> None:
    """What is taken out of a wheel stays where it was put."""
    into = path.parent / "into"
    into.mkdir()
    names = ["model.gguf", "../out.gguf", "/tmp/out.gguf"]
    found = [taken(path, name, into) for name in names if _holds(path, name)] or [
        taken(path, "model.gguf", into)
    ]
    assert all(one.resolve().is_relative_to(into.resolve()) for one in found)


def _holds(path: Path, name: str) -> bool:
    try:
        return name in zipfile.ZipFile(path).namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError):
        return False


def zipped(*names: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in names:
            archive.writestr(name, b"GGUF")
    return held.getvalue()


def gguf(*pairs: bytes, tensors: bytes = b"", count: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, count, len(pairs)) + b"".join(pairs) + tensors


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


ARCHITECTURE = key("general.architecture", 8, text("llama"))
NESTED = key("deep", 9, struct.pack("<IQ", 9, 1) * 4 + struct.pack("<IQ", 0, 1) + b"x")
TENSOR = text("w") + struct.pack("<IQQIQ", 2, 4, 8, 1, 0)


def safetensors(header: dict | bytes, body: bytes = b"") -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + body


def parquet(columns: dict) -> bytes:
    held = io.BytesIO()
    pq.write_table(pa.table(columns), held)
    return held.getvalue()


WEIGHTS = safetensors({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, b"\0" * 4)
TARGETS = {
    "shard": (inside("shards/0.jsonl", shard), [LINE, LINE * 2, b'{"id": ["q1", 0, 0]}\n'], (SeamError,)),
    "journal": (
        inside("j/0.jsonl", journal),
        [b'["a",["text","stop",1,2,[["t",-0.5]]]]\n', b'["a",[]]\n'],
        (),
    ),
    "plan": (inside("plan.json", plan), [PLAN, b'{"asked": {}, "owed": [["a", -1]]}'], ()),
    "status": (inside("status.json", lambda path: read_status(RunFolder(path.parent))), [STATUS], ()),
    "manifest": (inside("manifest.json", lambda path: config_of(RunFolder(path.parent))), [MANIFEST], ()),
    "kept": (inside(FILE, lambda path: read_kept(path.parent)), [KEPT], ()),
    "tables": (
        inside("records.parquet", tables),
        [EMPTY["records"], parquet({"sample": ["a"]})],
        (SeamError,),
    ),
    "questions": (inside("data.jsonl", lambda path: read_file(str(path))), ["\n".join(ITEMS).encode()], ()),
    "parquet": (
        inside("data.parquet", lambda path: read_file(str(path))),
        [parquet({"question": ["a"]})],
        (),
    ),
    "artifacts": (
        inside("pull.json", lambda path: read_artifacts(str(path))),
        [f"[{', '.join(REVIEWS)}]".encode(), b'{"files": []}'],
        (),
    ),
    "patches": (inside("a.diff", lambda path: read_artifacts(str(path))), [DIFF.encode()], ()),
    "pairs": (inside("pairs.jsonl", lambda path: FindingPairs(str(path)).samples()), [PAIR], ()),
    "verdicts": (
        inside("labels.jsonl", lambda path: JudgedMatcher(str(path))._said),
        [b'{"id": "a", "label": "MATCH"}\n{"id": "b", "label": null}'],
        (),
    ),
    "transcripts": (
        inside("t.jsonl", transcripts),
        [
            b'{"sample": "q", "speaker": "solver/0", "text": "7", "turn": 0, "epoch": 0, "finish": "stop", "out": 3}'
        ],
        (),
    ),
    "gguf": (
        inside("m.gguf", read_header),
        [gguf(ARCHITECTURE), gguf(ARCHITECTURE, NESTED, tensors=TENSOR, count=1), b"GGUF", b""],
        (),
    ),
    "safetensors": (
        inside("model.safetensors", lambda path: check_weights(path, "m")),
        [WEIGHTS, b"\x80\x04cos\nsystem\n(S'x'\ntR.", safetensors(b"[]"), safetensors({"w": 3})],
        (),
    ),
    "wheel": (
        inside("a.whl", wheel),
        [
            zipped("model.gguf"),
            zipped("../out.gguf", "a/b"),
            zipped("/tmp/out.gguf", "model.gguf"),
            b"PK\x05\x06",
        ],
        (),
    ),
}
