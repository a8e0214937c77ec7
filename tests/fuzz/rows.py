"""Parsers of text that users and servers give: diffs, rows of data sets, configs, answers of servers."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

from fuzz.texts import parts, said

from madbench.engines.chat import fold_system, merge_turns, plain
from madbench.engines.wire import answer_in, completion_of
from madbench.report.cells import HIDDEN, JOINERS
from madbench.report.cells import plain as spelled
from madbench.sweep.complaints import told
from madbench.sweep.configs import job_config
from madbench.sweep.rereading import reread_named
from madbench.sweep.settings import made
from madbench.tasks.answers import NumberReader
from madbench.tasks.changes import files_in
from madbench.tasks.diffs import artifact_of_diff
from madbench.tasks.documents import artifact_of
from madbench.tasks.layout import Layout, item_of
from madbench.tasks.reviewed import ReviewLayout, reviewed_of
from madbench.tracking.parcel import flat, table_of
from madbench.types import Completion, EngineError, InputError, Message

DIFF = """diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,3 +1,4 @@
 import os
-x = 1
+x = 2
+y = 3
 print(x)
"""
PAGE = (
    "<!doctype html><html><head><title>t</title></head><body><p>"
    + "one two three four five " * 6
    + "</p></body></html>"
)
ITEMS = [
    '{"question": "What is 2 + 2?", "answer": "4", "id": "q1", "group": "g"}',
    '{"question": "Which?", "choices": [{"label": "A", "text": "one"}, {"label": "B", "text": "two"}], "answer": "B"}',
    '{"question": "Is it?", "answer": true, "answer_type": "bool"}',
    '{"question": "Q\\n(A) x\\n(B) y", "choices": {"label": ["A", "B"], "text": ["x", "y"]}, "answer": 1}',
    '{"question": "How many?", "answer": "steps <<1+1=2>>\\n#### 1,234", "rationale": "so"}',
]
REVIEWS = [
    '{"id": "r", "code": "x = 1\\ny = 2", "issues": [{"line_start": 1, "line_end": 2, "category": "bug"}]}',
    '{"code": "a\\nb\\nc", "fixed_code": "a\\nx\\nc", "category": "k"}',
    '{"steps": ["one", "two", "three"], "mistake_index": 1, "input": "task"}',
    '{"files": [{"path": "a.py", "content": "x"}, {"filename": "b.py", "patch": "@@ -1 +1 @@\\n-a\\n+b"}], '
    '"clean": true}',
    json.dumps({"diff": DIFF, "title": "t"}),
]
CONFIG = {
    "task": {"_target_": "madbench.tasks.synthetic.Synthetic", "n": 3},
    "protocol": {"_target_": "madbench.protocols.cot.ChainOfThought"},
    "cast": {"default": {"_target_": "madbench.engines.simulated.SimulatedModel", "accuracy": 0.5}},
    "tracking": {"_target_": "madbench.tracking.NoTracking"},
    "name": "trial",
    "output_root": "outputs",
    "seed": 0,
    "limit": None,
    "epochs": 1,
    "dry_run": False,
}
SERVED = [
    '{"choices": [{"message": {"content": "Answer: 4"}, "finish_reason": "stop", "logprobs": {"content": '
    '[{"token": "Answer", "logprob": -0.1, "bytes": [65]}]}}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}',
    '{"choices": [], "error": {"message": "context length exceeded"}}',
    '{"choices": [{"message": {"refusal": "no"}, "finish_reason": "content_filter"}], "usage": null}',
]


def plain_json(data: bytes):
    """JSON, or the end of this try: files are read as JSON by others first."""
    try:
        value = json.loads(said(data))
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError("no JSON") from error
    return value


def row_of(data: bytes) -> dict:
    value = plain_json(data)
    if not isinstance(value, dict):
        raise InputError("no object")
    return value


def diffs(data: bytes) -> None:
    artifact = artifact_of_diff(said(data), "why", "here")
    assert artifact.documents


def documents(data: bytes) -> None:
    name, text = parts(data, 2)
    artifact = artifact_of({name: text, "b.txt": text[:40]}, "why", "here")
    for document in artifact.documents:
        assert not document.name.startswith(("/", "~"))
        assert ".." not in document.name.split("/")


def items(data: bytes) -> None:
    row = row_of(data)
    for layout in (Layout(), Layout(choices="options", suspect="a.b", shuffle=True), Layout(kind="text")):
        item = item_of(row, layout, "row 1")
        assert (
            item.reader.canonical(item.answer) == item.answer
            or item.reader.canonical(item.answer) is not None
        )


def reviews(data: bytes) -> None:
    row = row_of(data)
    for layout in (ReviewLayout(), ReviewLayout(twins=True, one_issue=True)):
        for item in reviewed_of(row, layout, "row 1"):
            layout.reader(item.artifact).read("app.py:1: x")


def changed(data: bytes) -> None:
    for name, text, patch in files_in(plain_json(data), "here"):
        assert name
        assert isinstance(text, str)
        assert isinstance(patch, str)


def configs(data: bytes) -> None:
    value = plain_json(data)
    job_config(value if isinstance(value, dict) else {"task": value}, {}, ())


def targets(data: bytes) -> None:
    """Settings of ours from a stranger's config: built or refused, whatever stands in it."""
    row = row_of(data)
    for part in ("task", "protocol", "cast", "tracking"):
        plain = row.get(part, row)
        made(part, plain if isinstance(plain, dict) else {"_target_": plain}, frozenset())


def served(data: bytes) -> None:
    done = completion_of(answer_in(said(data).encode("utf-8", "replace").decode()))
    assert isinstance(done, Completion)
    assert all(value <= 0 for _, value in done.pieces)


def parcels(data: bytes) -> None:
    """What a tracker is sent is JSON, whatever stands in the rows and the config."""
    try:
        value = json.loads(said(data))
    except (ValueError, RecursionError):
        return
    rows = value if isinstance(value, list) else [value]
    table = table_of([row if isinstance(row, dict) else {"id": row} for row in rows], 3)
    json.loads(table.model_dump_json())
    json.dumps(flat(value if isinstance(value, dict) else {"a": value}), allow_nan=False).encode()


def chats(data: bytes) -> None:
    value = plain_json(data)
    roles = ("system", "user", "assistant")
    messages = tuple(
        Message(roles[place * len(str(text)) % 3], str(text))
        for place, text in enumerate(value if isinstance(value, list) else [value])
    )
    once = merge_turns(fold_system(messages))
    assert all(one.role != other.role for one, other in pairwise(once))
    assert not [one for one in once if one.role == "system"]
    assert plain(once).endswith("Assistant:")


def readers(data: bytes) -> None:
    """The name of another reader, as `score reader=` takes it."""
    reader = reread_named(said(data))(NumberReader())
    reader.read("Answer: 3")


def errors(data: bytes) -> None:
    """Whatever is wrong with the input, what is printed of it shows no control characters."""
    line = spelled(told(InputError(said(data))), keep="\n\t")
    assert not [c for c in line if unicodedata.category(c) in HIDDEN and c not in f"{JOINERS}\n\t"], line


TARGETS = {
    "diffs": (
        diffs,
        [DIFF, DIFF.replace("@@ -1,3 +1,4 @@", "@@ -9,1 +99999,2 @@"), "--- a/x\n+++ /dev/null\n"],
        (),
    ),
    "documents": (documents, ["a.md\fText.", f"page.html.txt\f{PAGE}", "../x\fy", "C:\\x\fy", "a\0b\fz"], ()),
    "items": (items, ITEMS, ()),
    "reviews": (reviews, REVIEWS, ()),
    "changed": (changed, ['{"a.py": "x"}', '[{"filename": "b", "patch": "@@ -1 +1 @@"}]'], ()),
    "configs": (
        configs,
        [json.dumps(CONFIG), '{"roles": {"solver": {"sampling": {"temperature": 0.5}}}}'],
        (),
    ),
    "targets": (targets, [json.dumps(CONFIG), '{"_target_": "os.system"}'], ()),
    "served": (served, SERVED, (EngineError,)),
    "parcels": (
        parcels,
        ['[{"id": "a/0", "x": 1}, {"id": "b/0", "x": NaN, "y": [1]}]', '{"a": {"b": 1e999}}'],
        (),
    ),
    "chats": (chats, ['["be kind", "hello", "yes", "hello again"]', '[1, {"a": 2}]'], ()),
    "readers": (readers, ["strict", "choice:ABCD", "number", "text"], ()),
    "errors": (errors, ["here: \x1b]0;x\x07 found", "\u202eabc"], ()),
}
