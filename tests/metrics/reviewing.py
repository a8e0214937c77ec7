"""Reviews made by hand: findings as (line, text), known issues by their lines, scores by the simplest matcher."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metrics.build import Plain, record, turn

from madbench.types import (
    Accepted,
    Answered,
    Answers,
    AnyEntry,
    Artifact,
    Claimed,
    Finding,
    Issue,
    Objected,
    Problem,
    Record,
    Sample,
    Span,
    StopReason,
    Target,
    Turn,
    Unaddressed,
    Withdrawn,
    canonical_findings,
    event_of,
)

Findings = Sequence[Finding]
NOTHING = Artifact(())


@dataclass(frozen=True)
class Reads(Plain):
    """A reader of findings; answers stand as they are."""

    artifact: Artifact = field(default=NOTHING)

    def reply_schema(self) -> dict[str, object]:
        return {}

    def merge(self, answers: Answers, *, quorum: float) -> str | None:
        return None

    def canonical(self, answer: str) -> str | None:
        return answer


def finding(line: int, id: str = "", *, text: str = "off by one", sure: float | None = None) -> Finding:
    return Finding(span=Span(document="a.py", first=line, last=line), text=text, id=id, confidence=sure)


def artifact(name: str = "a0", lines: Sequence[int] = (3, 7), *, cluster: str = "") -> Sample:
    """An artifact with a known issue on each of `lines`; clean without any."""
    issues = [
        Issue(id=f"i{n}", spans=(Span(document="a.py", first=n, last=n),)).model_dump(mode="json")
        for n in lines
    ]
    problem = Problem(name, cluster or name, f"Review {name}.", Reads())
    return Sample(problem, Target("[]", {"issues": issues, "clean": not issues}))


def count(found: Findings, lines: Sequence[int]) -> dict[str, float]:
    """A finding matches the issue on its own line; the first one does."""
    hit = [f.span.first for f in found if f.span.first in lines]
    matched, findings = len(set(hit)), len(found)
    return {
        "matched": matched,
        "unmatched": findings - len(hit),
        "duplicates": len(hit) - matched,
        "missed": len(lines) - matched,
        "findings": findings,
        "known": len(lines),
    }


def scored(views: Mapping[str, Findings], lines: Sequence[int]) -> dict[str, float]:
    """What the review task gives for these views."""
    scores = {"clean": float(not lines)}
    for view, found in views.items():
        scores |= {f"view:{view}:{name}": float(value) for name, value in count(found, lines).items()}
    taken = set[int]()
    for one in views.get("union", ()):
        place = one.span.first
        known = list(lines).index(place) if place in lines else -1
        scores[f"finding:{one.id or 'unnamed'}"] = float(-2 if place in taken else known)
        taken |= {place} if place in lines else set()
    return scores


def review(
    final: Findings | None,
    first: Sequence[Findings | None] | None = None,
    *,
    name: str = "a0",
    lines: Sequence[int] = (3, 7),
    ledger: Sequence[AnyEntry] = (),
    turns: Sequence[Turn] = (),
    cluster: str = "",
    **outcome: object,
) -> Record:
    """One review: what the reviewers found alone (the final findings, if not said) and what stood in the end."""
    seats = [final] if first is None else list(first)
    views = {f"reviewer_{seat}": found or () for seat, found in enumerate(seats)}
    views |= {"union": [f for found in seats for f in found or ()], "final": final or ()}
    answers = [None if found is None else canonical_findings(found) for found in seats]
    answer = None if final is None else canonical_findings(final)
    positions = [answers] if first is None else [answers, [answer] * len(seats)]
    return record(
        answer,
        positions,
        turns or [turn(f"{name} seat {seat}", seat=seat) for seat in range(len(seats))],
        of=artifact(name, lines, cluster=cluster),
        scores=scored(views, lines),
        ledger=tuple(map(event_of, ledger)),
        **outcome,
    )


@dataclass
class Script:
    """A debate's ledger, entry by entry. Claims are `A/1`, objections `B/1/1`."""

    entries: list[AnyEntry] = field(default_factory=list)

    def claim(
        self, id: str, line: int = 3, *, sure: float | None = None, refs: Sequence[str] = (), bad=()
    ) -> Script:
        one = finding(line, id, sure=sure).model_copy(update={"references": tuple(refs)})
        return self._add(Claimed(by=id[0], round=0, finding=one, unresolved=tuple(bad)))

    def object(self, claim: str, number: int = 1, round: int = 1, *, by: str = "") -> Script:
        by = by or {"A": "B", "B": "A"}[claim[0]]
        self._add(Objected(by=by, round=round, objection=f"{by}/{round}/{number}", claim=claim, text="why?"))
        return self

    def move(
        self, claim: str, objection: str, move: str, fault: str = "", *, round: int = 0, by: str = ""
    ) -> Script:
        round = round or int(objection.split("/")[1])
        by = by or claim[0]
        return self._add(
            Answered(by=by, round=round, objection=objection, claim=claim, move=move, reason="", fault=fault)
        )

    def silent(self, claim: str, objection: str) -> Script:
        return self._add(Unaddressed(by=claim[0], round=1, objection=objection, claim=claim))

    def drop(self, claim: str, objection: str, round: int = 2) -> Script:
        return self._add(Withdrawn(by=objection[0], round=round, objection=objection, claim=claim))

    def accept(self, claim: str, round: int = 1, *, by: str = "") -> Script:
        return self._add(Accepted(by=by or {"A": "B", "B": "A"}[claim[0]], round=round, claim=claim))

    def _add(self, entry: AnyEntry) -> Script:
        self.entries.append(entry)
        return self


def argued(script: Script, *, name: str = "a0", lines: Sequence[int] = (3, 7), **outcome: object) -> Record:
    """The debate of a script: whatever was conceded does not survive."""
    claims = {e.finding.id: e.finding for e in script.entries if isinstance(e, Claimed)}
    gone = {e.claim for e in script.entries if isinstance(e, Answered) and e.move == "CONCEDED"}
    first = [[f for key, f in claims.items() if key[0] == side] for side in "AB"]
    final = [f for key, f in claims.items() if key not in gone]
    return review(final, first, name=name, lines=lines, ledger=script.entries, **outcome)


def failed_debate(script: Script, stop: StopReason, name: str = "a0") -> Record:
    return argued(script, name=name, stop=stop)


def texts(record: Record) -> str:
    return json.dumps([turn.completion.text for turn in record.turns])
