"""Everything a sweep leaves to read, written whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from madbench.records.layout import beside, stored, tidy
from madbench.records.views import asked_records
from madbench.report.figures import draw_figures
from madbench.report.material import gather
from madbench.report.page import report_html
from madbench.report.payload import summary_json
from madbench.report.text import summary_markdown
from madbench.types import Summary


def write_report(summary: Summary, folder: Path, runs: Mapping[str, Path]) -> Path:
    """Write summary.json, summary.md, figures/ and report.html into `folder`; `runs` maps an arm's label to its
    run folder, of which the rows last asked for are shown. Returns the path of report.html.

    `summaries/<utc time>/` keeps every one; the files in `folder` itself are the last one's, each replaced by a
    rename, so that a reader never meets half a file. Raises StorageError where the disk refuses.
    """
    with stored(folder):
        kept = _new_folder(folder / "summaries")
        for path, content in _files(summary, runs):
            (kept / path).parent.mkdir(exist_ok=True)
            (kept / path).write_bytes(content)
            _place(kept / path, folder / path)
        tidy(folder)
        tidy(folder / "figures")
    return folder / "report.html"


def _files(summary: Summary, runs: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """The numbers first, so that nothing that comes after can cost them."""
    yield "summary.json", summary_json(summary).encode()
    yield "summary.md", summary_markdown(summary).encode()
    material = gather(runs, asked_records)
    figures = draw_figures(summary, material.reliability)
    for name, drawn in figures.items():
        for suffix in ("png", "pdf"):
            yield f"figures/{name}.{suffix}", drawn[suffix]
    yield "report.html", report_html(summary, material, figures).encode()


def _new_folder(parent: Path) -> Path:
    """A folder named by the UTC time, and a count where two summaries fall into one second."""
    name = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for count in range(1, 1000):
        path = parent / (name if count == 1 else f"{name}-{count}")
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{parent}: a thousand summaries in one second")


def _place(source: Path, target: Path) -> None:
    """Copy beside, then rename."""
    target.parent.mkdir(parents=True, exist_ok=True)
    new = beside(target)
    try:
        shutil.copyfile(source, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
