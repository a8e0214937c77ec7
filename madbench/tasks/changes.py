"""Artifacts from files: tables of reviews, diffs, a pull request's files as a folder or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import JsonValue

from madbench.tasks.sources import Row, Table, read_file
from madbench.types import InputError

DIFFS = (".diff", ".patch")
SHAPE = (
    "wanted .jsonl or .parquet (a row an artifact), .diff or .patch, .json (a pull request with files), or a folder "
    "of files or of diffs"
)


def read_artifacts(path: str) -> Table:
    """Rows of artifacts from a file or folder. Raises InputError that names it.

    A folder with data.jsonl is a table; a folder of diffs holds an artifact a diff; any other folder is one
    artifact of all text files in it, hidden ones apart.
    """
    place = Path(path).expanduser()
    if place.is_dir() and not (place / "data.jsonl").is_file():
        return Table(str(place), None, _folder(place), 1)
    if place.is_file() and place.suffix in DIFFS:
        return Table(str(place), None, [_diff(place)], 1)
    if place.is_file() and place.suffix == ".json":
        return Table(str(place), None, _json(place), 1)
    if not place.exists() or (place.is_file() and place.suffix not in (".jsonl", ".parquet")):
        raise InputError(
            f"task.path: {place}: {'not there' if not place.exists() else 'of no known kind'}; {SHAPE}"
        )
    return read_file(path)


def _folder(folder: Path) -> list[Row]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not _hidden(file, folder))
    if not files:
        raise InputError(f"task.path: {folder} holds no files; {SHAPE}")
    if all(file.suffix in DIFFS for file in files):
        return [_diff(file) for file in files]
    inside = folder.resolve()
    for file in files:
        if not file.resolve().is_relative_to(inside):
            raise InputError(f"task.path: {file} leads out of {folder}; wanted files inside it")
    contents: JsonValue = [
        {"path": file.relative_to(folder).as_posix(), "content": _text(file)} for file in files
    ]
    return [{"id": inside.name, "files": contents}]


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in file.relative_to(folder).parts)


def _diff(file: Path) -> Row:
    return {"id": file.stem, "diff": _text(file)}


def _json(file: Path) -> list[Row]:
    try:
        value = json.loads(_text(file))
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:
        raise InputError(f"task.path: {file} is no JSON ({error})") from error
    if (
        isinstance(value, list)
        and value
        and all(isinstance(row, dict) and "files" not in row for row in value)
    ):
        value = {"files": value}
    rows = value if isinstance(value, list) else [value]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"task.path: {file}: wanted an object with files, or a list of such")
    return [
        {"id": f"{file.stem}-{number}" if len(rows) > 1 else file.stem, **row}
        for number, row in enumerate(rows, 1)
    ]


def _text(file: Path) -> str:
    """A file's text; what is no UTF-8 keeps a mark of that, by which it is refused as binary."""
    return file.read_bytes().decode("utf-8-sig", "replace")


def files_in(value: JsonValue, where: str) -> Iterator[tuple[str, str, str]]:
    """Name, text and patch of every file in a row: `[{path, content}]`, `[{filename, patch}]` or `{path: text}`.

    Raises InputError for any other shape.
    """
    rows = (
        [{"path": name, "content": text} for name, text in value.items()]
        if isinstance(value, dict)
        else value
    )
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
        name = _first(row, "path", "filename", "name") if isinstance(row, dict) else ""
        if not isinstance(row, dict) or not name:
            raise InputError(
                f"{where}: file {number} of 'files' has no path; wanted [{{path, content}}] or [{{path, patch}}]"
            )
        yield name, _first(row, "content", "text", "code"), _first(row, "patch", "diff")


def _first(row: Mapping[str, JsonValue], *names: str) -> str:
    return next((value for name in names if isinstance(value := row.get(name), str) and value), "")


def patched(name: str, patch: str) -> str:
    """A file's hunks with the heads that make them a diff."""
    return patch if patch.startswith(("--- ", "diff ")) else f"--- a/{name}\n+++ b/{name}\n{patch}"
