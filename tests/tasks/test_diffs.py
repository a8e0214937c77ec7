"""Diffs, pull requests and other texts as documents: the new lines' numbers, and what is refused or cleaned."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madbench.tasks.changes import read_artifacts
from madbench.tasks.diffs import artifact_of_diff, runs
from madbench.tasks.documents import LONGEST, artifact_of, document_of
from madbench.tasks.review_samples import question_of
from madbench.tasks.reviewed import ReviewLayout, reviewed_of
from madbench.types import Document, InputError

DIFF = """\
From 1234 Mon Sep 17 00:00:00 2001
Subject: [PATCH] Keep the last item
---
 2 files changed
diff --git a/src/loop.py b/src/loop.py
index 83db48f..bf269f4 100644
--- a/src/loop.py
+++ b/src/loop.py
@@ -10,4 +10,5 @@ def walk(items):
     count = 0
-    for at in range(len(items) - 1):
+    for at in range(len(items)):
+        # all of them
         count += items[at]

@@ -30 +31,2 @@ def other():
-    return 1
+    one = 1
+    return one
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1,2 +0,0 @@
-x = 1
-y = 2
diff --git "a/na\\303\\257ve.py" "b/na\\303\\257ve.py"
new file mode 100644
--- /dev/null
+++ "b/na\\303\\257ve.py"
@@ -0,0 +1 @@
+print("hi")
\\ No newline at end of file
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
diff --git a/was.py b/is.py
similarity index 100%
rename from was.py
rename to is.py
"""
PLAIN = "--- loop.py\t2024-01-01 10:00\n+++ loop.py\t2024-01-02 10:00\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n"


def test_a_diff_is_its_new_files_under_their_own_line_numbers():
    artifact = artifact_of_diff(DIFF, "Mind the loop.", "here")
    loop, naive = artifact.documents
    assert (loop.name, naive) == ("src/loop.py", Document("naïve.py", 'print("hi")'))
    assert loop.lines[9:14] == (
        "    count = 0", "    for at in range(len(items)):", "        # all of them", "        count += items[at]", "",
    )  # fmt: skip
    assert loop.lines[30:] == ("    one = 1", "    return one")
    assert artifact.notes == ("old.py: deleted", "logo.png: binary", "is.py: no lines of it are shown")


def test_reviewers_see_gaps_new_lines_and_removed_ones():
    shown = question_of(artifact_of_diff(DIFF, "Mind the loop.", "here"))
    assert "   ⋯\n  10 |     count = 0\n" in shown
    assert "  14 | \n   ⋯\n  31 |     one = 1\n  32 |     return one" in shown
    assert shown.startswith(
        "Mind the loop.\nNew lines: src/loop.py:11-12, 31-32, naïve.py:1\nRemoved lines:\n"
        "src/loop.py, before line 11:     for at in range(len(items) - 1):\n"
        "src/loop.py, before line 31:     return 1\n\nsrc/loop.py\n"
    )


@pytest.mark.parametrize("diff", [PLAIN, PLAIN.replace("\n", "\r\n")])
def test_plain_diffs_and_other_line_ends(diff):
    assert artifact_of_diff(diff, "", "here").documents == (Document("loop.py", "b\nc"),)


@pytest.mark.parametrize(
    ("diff", "problem"),
    [
        ("", "no unified diff"),
        ("def f():\n    pass\n", "no unified diff"),
        ("--- a/x\n+++ b/x\n", "leaves no file to review; x: no lines of it are shown"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "leaves no file to review; x: deleted"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n", "line 3: a hunk of x ends early: 1 old, 2 new lines wanted"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\nwhat\n", "here, line 3: a hunk of x ends early"),
        ("diff --git a/x b/x\n@@@ -1,2 -1,2 +1,3 @@@\n", "here, line 2: a combined diff"),
        ("--- a/x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", r"document name '\.\./\.\./x'"),
        ("--- /x\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "document name '/etc/passwd'"),
        ("--- a/x\n+++ b/x\n@@ -1 +999999999 @@\n-a\n+b\n", "here, line 3: a hunk beyond line 100000 of x"),
        ("--- a/x\n+++ \n@@ -1 +1 @@\n-a\n+b\n", "here, line 2: a file without a name"),
    ],
)  # fmt: skip
def test_what_is_no_whole_diff_is_refused(diff, problem):
    with pytest.raises(InputError, match=problem):
        artifact_of_diff(diff, "", "here")


@given(
    st.lists(
        st.sampled_from(
            [*DIFF.splitlines(), *PLAIN.splitlines(), "+", "-", "@@ -1 +1 @@", "+++ ", '+++ "b/\\']
        )
    )
)
def test_any_text_is_a_diff_or_refused(lines):
    with contextlib.suppress(InputError):
        assert artifact_of_diff("\n".join(lines), "", "here").documents


@pytest.mark.parametrize(
    ("said", "name"), [(r"a\8", "a8"), (r"a\1", "a1"), (r"a\²", "a²"), (r"naïve \303\257", "naïve ï")]
)
def test_escapes_that_git_does_not_write_are_letters(said, name):
    artifact = artifact_of_diff(f'--- a\n+++ "{said}"\n@@ -0,0 +1 @@\n+x\n', "", "here")
    assert [document.name for document in artifact.documents] == [name]


def test_runs_of_numbers():
    assert runs([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"


PAGE = """<!DOCTYPE html>
<html><head><title>Incident</title><style>p {color: red}</style></head><body>
<nav><a href="/">Home</a> <a href="/all">All incidents</a></nav>
<script>track("everything");</script>
<h1>Outage &amp; repair</h1><p>At 10:00 the queue stopped. At 10:20 the workers were started again, and at 10:25 the
queue was empty.</p><p>The cause was a lock that nobody released.</p></body></html>"""
INDEX = (
    "<html><body>"
    + "".join(f'<a href="/{n}">Incident number {n} of the year</a><br>' for n in range(30))
    + "</body></html>"
)


def test_pages_are_stripped_of_their_markup_with_a_note():
    document, notes = document_of("incident.txt", PAGE, "here")
    assert document.lines[0] == "Outage & repair"
    assert "track" not in document.text
    assert "Home" not in document.text
    assert "queue was empty." in document.text
    assert notes == (
        f"incident.txt: tags of an HTML page taken out, {len(document.text)} of {len(PAGE)} characters left",
    )


def test_markup_that_is_the_source_stays():
    assert document_of("page.html", PAGE, "here") == (Document("page.html", PAGE), ())
    inside = 'page = """<html><body>%s</body></html>""" % name\n'
    assert document_of("page.py", inside, "here") == (Document("page.py", inside), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n\t\n", "empty"),
        ("\x7fELF\x02\0\0\0", "binary"),
        ("ok \ufffd\ufffd\ufffd", "binary"),
        ("x" * (LONGEST + 1), f"{LONGEST + 1} characters, at most {LONGEST}"),
        ("<html><body><script>app()</script><div id=root></div></body></html>", "0 words of text"),
        (INDEX, "mostly links"),
        ("<html><![broken[ x", "a broken HTML page"),
    ],
)
def test_what_is_no_document_is_refused(text, problem):
    with pytest.raises(InputError, match=f"here: notes.txt: .*{problem}"):
        artifact_of({"notes.txt": text}, "", "here")


def test_of_several_documents_the_bad_ones_are_left_out_with_a_note():
    artifact = artifact_of({"__init__.py": "", "a.py": "x = 1\n", "b.bin": "\0"}, "", "here")
    assert [document.name for document in artifact.documents] == ["a.py"]
    assert artifact.notes == ("left out: here: __init__.py: empty", "left out: here: b.bin: binary, no text")
    with pytest.raises(InputError, match="here: no document to review; left out: here: a: empty"):
        artifact_of({"a": "", "b": ""}, "", "here")


def test_documents_together_are_no_longer_than_one_may_be():
    half = "x" * (LONGEST // 2)
    assert len(artifact_of({"a": half, "b": half}, "", "here").documents) == 2
    with pytest.raises(InputError, match=f"3 documents of {3 * len(half)} characters, at most {LONGEST}"):
        artifact_of({"a": half, "b": half, "c": half}, "", "here")
    far = f"--- a/x\n+++ b/x\n@@ -{LONGEST - 9} +{LONGEST - 9} @@\n-a\n+b\n"
    assert len(artifact_of_diff(far, "", "here").documents[0].lines) == LONGEST - 9


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "C:\\x", "a\nb", "", "~/x", "..\\x"])
def test_names_stay_in_their_folder(name):
    with pytest.raises(InputError, match="wanted a path inside the artifact's own folder"):
        document_of(name, "x", "here")


def test_line_numbers_are_those_of_an_editor():
    document, notes = document_of("a.py", "one\r\ntwo\f two\u2028two\rthree\x1b[0m\n", "here")
    assert document.lines == ("one", "two  two two", "three [0m")
    assert notes == ("a.py: 3 control characters made spaces",)


@given(st.text())
def test_any_text_is_a_document_or_refused(text):
    for shown in (text, f"<html>{text}", f"<!doctype html><p>{'word ' * 30}{text}"):
        try:
            document, _ = document_of("a.txt", shown, "here")
        except InputError:
            continue
        assert len(document.lines) == document.text.count("\n") + (not document.text.endswith("\n"))


def only(path):
    (row,) = read_artifacts(str(path)).rows
    (item,) = reviewed_of(row, ReviewLayout(), "here")
    return item


def test_a_folder_of_files_is_one_artifact(tmp_path):
    change = tmp_path / "change-7"
    (change / "src").mkdir(parents=True)
    (change / "src" / "a.py").write_text("x = 1\n")
    (change / "README.md").write_text("# Read me\n")
    (change / ".git").mkdir()
    (change / ".git" / "HEAD").write_text("ref")
    (change / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    item = only(change)
    assert item.id == "change-7"
    assert [document.name for document in item.artifact.documents] == ["README.md", "src/a.py"]
    assert item.artifact.notes == ("left out: here: logo.png: binary, no text",)
    assert item.issues is None


def test_a_folder_that_leads_elsewhere_is_refused(tmp_path):
    change = tmp_path / "change"
    change.mkdir()
    (tmp_path / "secret").write_text("s")
    (change / "a.py").symlink_to(tmp_path / "secret")
    with pytest.raises(InputError, match="leads out of"):
        read_artifacts(str(change))


def test_folders_of_diffs_and_single_diffs(tmp_path):
    for name in ("one.diff", "two.patch"):
        (tmp_path / name).write_text(PLAIN)
    assert [row["id"] for row in read_artifacts(str(tmp_path)).rows] == ["one", "two"]
    assert only(tmp_path / "one.diff").artifact.documents == (Document("loop.py", "b\nc"),)


@pytest.mark.parametrize(
    "value",
    [
        {"title": "Keep the last", "files": [{"path": "loop.py", "content": "b\nc"}]},
        {"title": "Keep the last", "files": {"loop.py": "b\nc"}},
        {
            "title": "Keep the last",
            "files": [{"filename": "loop.py", "patch": "@@ -1,2 +1,2 @@\n-a\n+b\n c"}],
        },
        [{"filename": "loop.py", "status": "modified", "patch": "@@ -1,2 +1,2 @@\n-a\n+b\n c"}],
    ],
)
def test_pull_requests_as_json(tmp_path, value):
    path = tmp_path / "pr.json"
    path.write_text(json.dumps(value))
    item = only(path)
    assert item.id == "pr"
    assert item.artifact.documents == (Document("loop.py", "b\nc"),)
    assert item.artifact.purpose.startswith(
        "Keep the last" if isinstance(value, dict) else "New lines: loop.py:1"
    )


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.txt", "x", "of no known kind; wanted .jsonl"),
        ("a.json", "{", "no JSON"),
        ("a.json", "[]", "wanted an object with files"),
        ("a.json", "3", "wanted an object with files"),
        ("a.json", '{"files": [{"content": "x"}]}', "file 1 of 'files' has no path"),
        ("a.json", '{"files": [{"path": "../x", "content": "x"}]}', "document name"),
        (
            "a.json",
            '{"files": [{"path": "x", "content": "x"}, {"path": "x", "content": "y"}]}',
            "stands twice",
        ),
        ("a.json", '{"files": []}', "none of 0 'files'"),
        ("a.json", '{"text": 3}', "no text in column 'code', no steps, files or diff"),
    ],
)
def test_other_files_are_refused(tmp_path, name, text, problem):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        only(path)
    with pytest.raises(InputError, match="not there; wanted"):
        read_artifacts(str(tmp_path / "nowhere"))


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no files"):
        read_artifacts(str(tmp_path))
