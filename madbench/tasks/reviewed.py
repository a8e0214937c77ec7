"""From a row of some review set to an artifact and the issues known in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from madbench.tasks.answers import FindingsReader
from madbench.tasks.changes import files_in, patched
from madbench.tasks.diffs import artifact_of_diff
from madbench.tasks.documents import artifact_of
from madbench.tasks.known_issues import differences, issues_of
from madbench.tasks.review_columns import Columns, Row, text_in
from madbench.tasks.review_samples import artifact_id_of
from madbench.types import Artifact, InputError, Issue

TWIN = "~fixed"
"""Ends the id of a corrected twin."""


@dataclass(frozen=True)
class ReviewLayout:
    """How rows become artifacts, and in what form their reviews are wanted.

    `lead` is said before each artifact's own purpose. `one_issue`: all line ranges of a row are one fault.
    `twins`: each row's corrected text is a negative control, in a cluster with it, unless the set has it already.
    `findings` is how many count of a review, `longest` bounds each one's text and `evidence` its references, under
    a grammar.
    """

    columns: Columns = field(default_factory=Columns)
    lead: str = ""
    one_issue: bool = False
    twins: bool = False
    findings: int = 4
    longest: int = 80
    evidence: int = 0

    def __post_init__(self) -> None:
        if self.findings < 1 or self.longest < 1 or self.evidence < 0:
            raise InputError(
                f"task.layout: findings={self.findings}, longest={self.longest}, evidence={self.evidence}; "
                "wanted 1 or more, 1 or more, 0 or more"
            )

    def reader(self, artifact: Artifact) -> FindingsReader:
        return FindingsReader(artifact, self.findings, self.longest, self.evidence)


@dataclass(frozen=True)
class Reviewed:
    """An artifact with its known issues: none for a negative control, None where nothing is known of it."""

    id: str
    cluster: str
    artifact: Artifact
    issues: tuple[Issue, ...] | None
    suspect: str = ""


def reviewed_of(row: Row, layout: ReviewLayout, where: str) -> Iterator[Reviewed]:
    """The artifact in a row and, if the layout asks for it, its corrected twin. Raises InputError naming the row."""
    columns = layout.columns
    artifact = _artifact(row, layout, where)
    name = text_in(row, columns.id) or artifact_id_of(artifact)
    cluster = text_in(row, columns.group) or name
    text, fixed = text_in(row, columns.text), text_in(row, columns.fixed)
    if fixed and not row.keys() & {"issues", "clean", "mistake_index"}:
        row = {**row, "issues": differences(text, fixed, text_in(row, columns.kind))}
    issues = issues_of(row, artifact, name, one=layout.one_issue, where=where)
    if issues and any("tags of an HTML page" in note for note in artifact.notes):
        raise InputError(
            f"{where}: issues are given by line, and the text is a raw HTML page; wanted the text itself"
        )
    item = Reviewed(name, cluster, artifact, issues, _suspect(row))
    yield item
    if layout.twins and issues and fixed and fixed != text:
        document = artifact.documents[0].name
        twin = artifact_of({document: fixed}, artifact.purpose, f"{where}, {columns.fixed}")
        yield replace(item, id=f"{name}{TWIN}", artifact=twin, issues=())


def _artifact(row: Row, layout: ReviewLayout, where: str) -> Artifact:
    columns = layout.columns
    purpose = "\n\n".join(filter(None, (layout.lead, text_in(row, columns.purpose).strip())))
    if isinstance(steps := row.get("steps"), list):
        lines = [" ".join(str(step).split()) for step in steps]
        return artifact_of({text_in(row, columns.name) or "steps": "\n".join(lines)}, purpose, where)
    if diff := text_in(row, "diff"):
        return artifact_of_diff(diff, purpose, where)
    if row.get("files") is not None:
        return _of_files(row["files"], purpose, where)
    if not (text := text_in(row, columns.text)):
        raise InputError(
            f"{where}: no text in column {columns.text!r}, no steps, files or diff; columns: {sorted(row)}"
        )
    return artifact_of({text_in(row, columns.name) or "document": text}, purpose, where)


def _of_files(files: JsonValue, purpose: str, where: str) -> Artifact:
    """Whole files as they are; of files that are known by their patches alone, what these show."""
    found = list(files_in(files, where))
    if not any(text or patch for _, text, patch in found):
        raise InputError(f"{where}: none of {len(found)} 'files' has a content or a patch")
    if not any(text for _, text, _ in found):
        diff = "\n".join(patched(name, patch) for name, _, patch in found if patch)
        return artifact_of_diff(diff, purpose, where)
    texts = {name: text for name, text, _ in found}
    if len(texts) < len(found):
        raise InputError(f"{where}: a path stands twice in 'files': {sorted(name for name, _, _ in found)}")
    return artifact_of(texts, purpose, where)


def _suspect(row: Row) -> str:
    """Steps that are all called right and lead to a wrong answer cannot all be right."""
    if "mistake_index" in row and row["mistake_index"] is None and row.get("answer_correct") is False:
        return "no mistake labelled, answer wrong"
    return ""
