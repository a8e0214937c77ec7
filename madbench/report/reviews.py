"""A review as the viewer draws it: the artifact with its known issues and findings, claims and what became of them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue, TypeAdapter, ValidationError

from madbench.metrics.claims import Ledger
from madbench.metrics.reviews import is_review, read
from madbench.report.cells import plain
from madbench.report.texts import KEPT, Texts
from madbench.types import (
    Answered,
    AnyEntry,
    Claimed,
    Finding,
    Issue,
    Maintained,
    Objected,
    Record,
    Span,
    Unaddressed,
    Withdrawn,
)

ISSUES = TypeAdapter(tuple[Issue, ...])
LONGEST = 3000
"""Lines of an artifact that a page shows at most."""


def review_data(record: Record, texts: Texts) -> dict[str, JsonValue]:
    """What the viewer draws of a review besides its turns; for other episodes that it is none."""
    if not is_review(record):
        return {"review": False, "artifact": None, "claims": [], "tally": None}
    return {
        "review": True,
        "artifact": _artifact(record, texts),
        "claims": _claims(record, texts),
        "tally": _tally(record),
    }


def shown_places(answer: str | None) -> str | None:
    """The findings of an answer by place, in reading length."""
    if answer is None:
        return None
    return plain("; ".join(_place(finding.span) for finding in read(answer)) or "no findings")


def _tally(record: Record) -> JsonValue:
    """Of the final findings: matched, unmatched, known issues; None where nothing was scored."""
    counts = [record.scores.get(f"view:final:{count}") for count in ("matched", "unmatched", "known")]
    return None if None in counts else [int(count or 0) for count in counts]


def _artifact(record: Record, texts: Texts) -> JsonValue:
    facts = {} if record.sample is None else record.sample.target.facts
    documents, issues = facts.get("documents"), _issues(facts.get("issues"))
    if not isinstance(documents, list):
        return None
    named = [row for row in documents if isinstance(row, list | tuple) and len(row) == 2]
    findings = _findings(record)
    return [
        {
            "name": plain(str(name)),
            "lines": [texts.put(line) for line in str(text).splitlines()[:LONGEST]],
            "issues": [
                [span.first, span.last, texts.put(f"{issue.kind}: {issue.description}".strip(": "))]
                for issue in issues
                for span in issue.spans
                if span.document == name
            ],
            "findings": [
                [one.span.first, one.span.last, who, texts.put(one.text), _match(record, key), stands]
                for one, who, key, stands in findings
                if one.span.document == name
            ],
        }
        for name, text in named
    ]


def _issues(facts: JsonValue) -> Sequence[Issue]:
    try:
        return ISSUES.validate_python(facts or (), strict=False)
    except ValidationError:
        return ()


def _findings(record: Record) -> list[tuple[Finding, str, str, bool]]:
    """First findings with who found them, what the scores call them, and whether they stand in the end."""
    outcome = record.outcome
    if outcome is None or not outcome.positions:
        return []
    final = {(one.span, one.text) for one in read(outcome.answer)}
    return [
        (
            one,
            plain(one.id) or f"seat {seat}",
            one.id or f"reviewer_{seat}/{number}",
            (one.span, one.text) in final,
        )
        for seat, answer in enumerate(outcome.positions[0])
        for number, one in enumerate(read(answer))
    ]


def _match(record: Record, key: str) -> JsonValue:
    """The known issue that a finding matched, counted from 0; -1 none, -2 found before; None not scored."""
    place = record.scores.get(f"finding:{key}")
    return None if place is None else int(place)


def _claims(record: Record, texts: Texts) -> list[JsonValue]:
    outcome = record.outcome
    ledger = Ledger.of(outcome.ledger, outcome.facts) if outcome is not None else None
    if ledger is None:
        return []
    return [_claim(ledger, entry, record, texts) for entry in ledger.entries if isinstance(entry, Claimed)]


def _claim(ledger: Ledger, claimed: Claimed, record: Record, texts: Texts) -> JsonValue:
    finding = claimed.finding
    made = [entry for entry in ledger.entries if isinstance(entry, Objected) and entry.claim == finding.id]
    return {
        "id": plain(finding.id),
        "by": plain(claimed.by),
        "place": plain(_place(finding.span)),
        "severity": finding.severity,
        "confidence": finding.confidence,
        "text": texts.put(finding.text),
        "evidence": [plain(reference) for reference in finding.references],
        "missing": [plain(reference) for reference in claimed.unresolved],
        "state": _state(ledger, finding.id),
        "match": _match(record, finding.id),
        "objections": [_objection(ledger, objection, texts) for objection in made],
    }


def _state(ledger: Ledger, claim: str) -> str:
    if claim in ledger.conceded:
        return "conceded"
    if claim in ledger.defaulted:
        return "fallen"
    return "accepted" if claim in ledger.accepted else "open"


def _objection(ledger: Ledger, objection: Objected, texts: Texts) -> JsonValue:
    """An objection and what was said on it, in order."""
    about = [entry for entry in ledger.entries if _is_about(entry, objection.objection)]
    return {
        "id": plain(objection.objection),
        "by": plain(objection.by),
        "round": objection.round,
        "text": texts.put(objection.text),
        "missing": [plain(reference) for reference in objection.unresolved],
        "said": [_said(entry, texts) for entry in about],
    }


def _is_about(entry: AnyEntry, objection: str) -> bool:
    kinds = Answered | Unaddressed | Withdrawn | Maintained
    return isinstance(entry, kinds) and entry.objection == objection


def _said(entry: AnyEntry, texts: Texts) -> JsonValue:
    """What was done, by whom, in which round, in what words, and what the strict contract finds wanting in it."""
    done = entry.move if isinstance(entry, Answered) else entry.kind
    fault = entry.fault if isinstance(entry, Answered) else None
    reason = entry.reason if isinstance(entry, Answered | Maintained) else ""
    return [
        done,
        plain(entry.by),
        entry.round,
        texts.put(reason),
        None if fault is None else plain(fault, KEPT),
    ]


def _place(span: Span) -> str:
    return f"{span.document}:{span.first}" + (f"-{span.last}" if span.last != span.first else "")
