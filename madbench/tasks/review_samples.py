"""Samples of reviews: how an artifact is shown, and what its target holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from madbench.tasks.hashing import short_hash
from madbench.types import Artifact, Finding, Issue, Target, canonical_findings


def question_of(artifact: Artifact) -> str:
    """What reviewers are shown: the purpose, then every document with its lines numbered."""
    shown = [f"{document.name}\n{document.numbered}" for document in artifact.documents]
    return "\n\n".join(filter(None, (artifact.purpose, *shown))) + "\n"


def artifact_id_of(artifact: Artifact) -> str:
    """A name that depends on what reviewers are shown alone."""
    return short_hash(question_of(artifact))


def review_target(
    artifact: Artifact,
    issues: Sequence[Issue] | None,
    *,
    strange: Sequence[Issue] = (),
    more: Mapping[str, JsonValue] | None = None,
) -> Target:
    """The target of a review sample. No issues: a negative control; None: not known, so that nothing is scored.

    `strange` are another artifact's issues, at home in this one, for the noise floor. The facts hold them, the
    documents and `more` besides.
    """
    documents: JsonValue = [[document.name, document.text] for document in artifact.documents]
    facts: dict[str, JsonValue] = {"documents": documents, **(more or {})}
    if issues is None:
        return Target("", facts)
    facts |= {"issues": _plain(issues), "clean": not issues, "strange_issues": _plain(strange)}
    return Target(canonical_findings(map(gold, issues)), facts)


def gold(issue: Issue) -> Finding:
    """The finding that would report an issue exactly, at the first of its places."""
    return Finding(span=issue.spans[0], text=issue.description or issue.kind, kind=issue.kind)


def _plain(issues: Sequence[Issue]) -> JsonValue:
    return [issue.model_dump(mode="json") for issue in issues]
