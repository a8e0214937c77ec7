"""What a review is worth: its findings matched to the known issues, view by view.

A view is a set of findings that is scored apart: `reviewer_0`, `reviewer_1`, … (each seat's first review), `union`
(all of these), `final` (the outcome's answer), and those that a protocol adds under `views` in its facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue, TypeAdapter

from madbench.tasks.matching import LocationMatcher, Matcher, Matching
from madbench.types import (
    Artifact,
    Document,
    Finding,
    Issue,
    Outcome,
    Target,
    findings_of,
)

ISSUES = TypeAdapter(tuple[Issue, ...])
Views = Mapping[str, Sequence[Finding] | None]
"""The findings of each view; None for a review that was never given."""


@dataclass(frozen=True)
class ReviewScoring:
    """Scores of one review by a matcher. Accuracy is not among them: a review is not right or wrong as a whole.

    - `view:<name>:` `matched`, `unmatched`, `duplicates`: what the view's `findings` add up from; `missed`: of the
      `known` issues those that it did not find.
    - `noise:<name>:matched`: findings that match another artifact's issues, of `noise:<name>:known`.
    - `finding:<id>`: the index of the issue that a finding was matched to, -1 for none, -2 for one already
      found, in the union if it is there, else in the first view that has it. Findings without an id go by their
      reviewer and their place in that review alone: `finding:reviewer_0/0`.
    - `clean`: 1 for a negative control.

    Where the issues are not known, `view:<name>:findings` alone.
    """

    matcher: Matcher = field(default_factory=LocationMatcher)

    def __call__(self, outcome: Outcome, target: Target) -> dict[str, float]:
        views = views_of(outcome)
        scores = {f"view:{name}:findings": float(len(found or ())) for name, found in views.items()}
        if "issues" not in target.facts:
            return scores
        artifact = artifact_in(target)
        issues, strange = issues_in(target, "issues"), issues_in(target, "strange_issues")
        matchings = {name: self.matcher.match(found, issues, artifact) for name, found in views.items()}
        scores |= {"clean": float(not issues), **_placed(views, matchings)}
        for name, found in views.items():
            scores |= _counted(f"view:{name}", matchings[name])
            if strange:
                noise = self.matcher.match(found, strange, artifact)
                scores |= {
                    f"noise:{name}:matched": float(noise.matched),
                    f"noise:{name}:known": float(noise.known),
                }
        return scores


def views_of(outcome: Outcome) -> dict[str, tuple[Finding, ...] | None]:
    """Every view of an outcome. A text that holds no findings is a review that was not given."""
    first = [_read(answer) for answer in (outcome.positions[0] if outcome.positions else ())]
    given = [review for review in first if review is not None]
    views: dict[str, tuple[Finding, ...] | None] = {
        f"reviewer_{seat}": review for seat, review in enumerate(first)
    }
    views["union"] = tuple(finding for review in given for finding in review) if given else None
    views["final"] = _read(outcome.answer)
    more = outcome.facts.get("views")
    for name, answer in (more if isinstance(more, dict) else {}).items():
        views[name] = _read(answer if isinstance(answer, str) else None)
    return views


def _read(answer: str | None) -> tuple[Finding, ...] | None:
    try:
        return None if answer is None else findings_of(answer)
    except ValueError:
        return None


def _counted(view: str, matching: Matching) -> dict[str, float]:
    return {
        f"{view}:matched": float(matching.matched),
        f"{view}:unmatched": float(matching.unmatched),
        f"{view}:duplicates": float(matching.duplicates),
        f"{view}:missed": float(matching.missed),
        f"{view}:known": float(matching.known),
    }


def _placed(views: Views, matchings: Mapping[str, Matching]) -> dict[str, float]:
    """Where each finding went."""
    places: dict[str, float] = {}
    for name in ("union", *(name for name in views if name != "union")):
        for number, (finding, place) in enumerate(zip(views[name] or (), matchings[name].of, strict=True)):
            if finding.id or name.startswith("reviewer_"):
                places.setdefault(f"finding:{finding.id or f'{name}/{number}'}", float(place))
    return places


def artifact_in(target: Target) -> Artifact:
    """The documents that a target's facts hold."""
    rows = target.facts.get("documents")
    return Artifact(tuple(Document(name, text) for name, text in _pairs(rows)))


def _pairs(rows: JsonValue) -> Iterator[tuple[str, str]]:
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, list | tuple) and len(row) == 2:
            yield str(row[0]), str(row[1])


def issues_in(target: Target, name: str) -> tuple[Issue, ...]:
    """The `issues` or `strange_issues` of a target; none where it holds none."""
    return ISSUES.validate_python(target.facts.get(name, ()), strict=False)
