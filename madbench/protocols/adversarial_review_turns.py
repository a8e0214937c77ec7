"""From what a side said on its turn to entries of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from madbench.protocols.adversarial_review_evidence import cited, unresolved
from madbench.protocols.adversarial_review_forms import Defence, Objections, Rejoinder
from madbench.protocols.adversarial_review_seen import Contested
from madbench.protocols.adversarial_review_sheet import Sheet
from madbench.types import (
    Accepted,
    Answered,
    AnyEntry,
    Artifact,
    Fault,
    Maintained,
    Objected,
    Passed,
    Unaddressed,
    Withdrawn,
)


def faults_of(side: str, round: int, sheet: Sheet) -> list[AnyEntry]:
    faults: list[AnyEntry] = [Fault(by=side, round=round, what=s.what, text=s.text) for s in sheet.slips]
    return faults + [Fault(by=side, round=round, what="degraded", text=sheet.flag)] * bool(sheet.flag)


def objected(side: str, round: int, sheet: Objections, artifact: Artifact) -> Iterable[AnyEntry]:
    raised = [row for row in sheet.rows if row.stance == "OBJECTED"]
    for number, row in enumerate(raised, 1):
        references = cited(row.evidence, row.argument, artifact)
        yield Objected(
            by=side,
            round=round,
            objection=f"{side}/{round}/{number}",
            claim=row.id,
            text=row.argument,
            severity=row.severity,
            references=references,
            unresolved=unresolved(references, artifact),
        )
    for row in sheet.rows:
        if row.stance == "ACCEPTED":
            yield Accepted(by=side, round=round, claim=row.id)
        elif row.stance == "PASSED":
            yield Passed(by=side, round=round, claim=row.id, reason=row.argument)


def answered(
    side: str, round: int, sheet: Defence, contested: Sequence[Contested], artifact: Artifact
) -> Iterable[AnyEntry]:
    rows = {row.id: row for row in sheet.rows}
    for objection in (each.objection for each in contested):
        about = {"by": side, "round": round, "objection": objection.objection, "claim": objection.claim}
        row = rows.get(objection.objection)
        if row is None:
            yield Unaddressed.model_validate(about)
            continue
        references = cited(row.evidence, row.reason, artifact)
        said = {"move": row.move, "reason": row.reason, "fault": row.fault}
        evidence = {"references": references, "unresolved": unresolved(references, artifact)}
        yield Answered.model_validate({**about, **said, **evidence})


def rejoined(side: str, round: int, sheet: Rejoinder, contested: Sequence[Contested]) -> Iterable[AnyEntry]:
    """A side that says nothing of an objection leaves it as it is."""
    claims = {each.objection.objection: each.claim.id for each in contested}
    for row in sheet.rows:
        if row.decision == "WITHDRAWN":
            yield Withdrawn(by=side, round=round, objection=row.id, claim=claims[row.id])
        else:
            yield Maintained(by=side, round=round, objection=row.id, claim=claims[row.id], reason=row.reason)
