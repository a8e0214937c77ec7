"""One review in numbers: findings that matched known issues and findings that did not, view by view.

A view is a set of findings that is scored apart: each reviewer alone, their union, what survived a debate (`final`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from madbench.metrics.movement import own_positions
from madbench.types import Answers, Finding, Outcome, Record, findings_of, reads_findings

FINAL, UNION, VOTE = "final", "union", "vote_"
"""Views of the first so many votes (`vote_3`) serve comparisons at equal budgets."""
COUNTS = ("matched", "unmatched", "duplicates")
"""What the findings of a view add up from: matched to an issue of their own, to none, to one already found."""
TENTHS = 10
DUPLICATE = -2.0
"""The score of a finding whose issue another finding was matched to."""


def is_review(record: Record) -> bool:
    """Whether findings are asked for: then nothing is right or wrong as a whole, and no accuracy is defined."""
    if record.sample is not None and reads_findings(record.sample.problem.reader):
        return True
    return any(name.startswith("view:") for name in record.scores)


def reviewed(record: Record) -> dict[str, float]:
    """Counts by view (`matched:final`, …) and `known` issues; of failed reviews too, which miss every issue.

    An absent review (failed, unread) has matched nothing, and has no other counts: it neither raises nor spares
    false alarms. `found` is there where it is not as many as `matched`: lenient matchers let one finding find several
    issues, or none find all. `uncounted` findings are in none of the three counts: there must be none. Where no
    issues are known, nothing can be counted.
    """
    scores, absent, known = record.scores, _absent(record.outcome), _known(record)
    if known is None:
        return {}
    numbers = {"known": known, f"matched:{FINAL}": 0.0}
    for view in _views(record):
        counts = {count: float(scores.get(f"view:{view}:{count}", 0.0)) for count in COUNTS}
        if lost := abs(scores.get(f"view:{view}:findings", sum(counts.values())) - sum(counts.values())):
            numbers["uncounted"] = numbers.get("uncounted", 0.0) + lost
        kept = {"matched": 0.0} if view in absent else counts
        if view.startswith(VOTE):
            kept.pop("duplicates", None)
        numbers |= {f"{count}:{view}": value for count, value in kept.items()}
        found = known - scores.get(f"view:{view}:missed", known - kept["matched"])
        numbers |= {} if found == kept["matched"] else {f"found:{view}": found}
    return numbers | _noise(scores) | _sureness(record)


def _known(record: Record) -> float | None:
    """How many issues are known; None where nobody knows."""
    issues = None if record.sample is None else record.sample.target.facts.get("issues")
    counted = [
        value for name, value in record.scores.items() if name.startswith("view:") and name.endswith(":known")
    ]
    return float(len(issues)) if isinstance(issues, list) else float(counted[0]) if counted else None


def _noise(scores: Mapping[str, float]) -> dict[str, float]:
    """By view the findings that match another artifact's issues (`noise:final`), and how many those issues are."""
    noise: dict[str, float] = {}
    for name, value in scores.items():
        match name.split(":"):
            case ["noise", view, "matched"] if not view.startswith(VOTE):
                noise[f"noise:{view}"] = float(value)
            case ["noise", _, "known"]:
                noise["strange"] = float(value)
    return noise


def _views(record: Record) -> list[str]:
    """The views of a record that are the arm's own: reviews for comparison alone make no reviewer and no union, and a
    single review is the final one.
    """
    named = [name.split(":") for name in record.scores]
    found = [parts[1] for parts in named if parts[0] == "view" and parts[-1] == "matched"]
    positions, own = record.outcome.positions if record.outcome else (), len(_own(record))
    first = positions[0] if positions else ()
    others = {f"reviewer_{seat}" for seat in range(own, len(first))} | (
        {UNION} if own < len(first) else set()
    )
    others |= {"reviewer_0"} if own == 1 else set()
    others |= {UNION} if own == 1 and len(positions) == 1 else set()
    return [view for view in found if view not in others]


def _own(record: Record) -> Answers:
    """The first reviews that are charged to the arm."""
    charged = [turn for turn in record.turns if not turn.spare]
    own = () if record.outcome is None else own_positions(record.outcome.positions, charged)
    return own[0] if own else ()


def _absent(outcome: Outcome | None) -> frozenset[str]:
    """The views of reviewers who gave no review that could be read."""
    if outcome is None:
        return frozenset({FINAL, UNION})
    first = outcome.positions[0] if outcome.positions else ()
    found = {f"reviewer_{seat}" for seat, answer in enumerate(first) if answer is None}
    found |= {UNION} if all(answer is None for answer in first) else set()
    return frozenset(found | ({FINAL} if outcome.answer is None else set()))


def _sureness(record: Record) -> dict[str, float]:
    """Stated confidence of first findings against having matched, summed by tenths; duplicates are left out.

    `sure:n:<tenth>` findings, of which `sure:matched:<tenth>`; the sums of their confidence in thousandths and of
    its squared distance from having matched.
    """
    numbers: dict[str, float] = {}
    for finding, hit in _judged(record):
        sure = finding.confidence or 0.0
        tenth = min(int(sure * TENTHS), TENTHS - 1)
        sums = {"n": 1.0, "matched": hit, "thousandths": float(round(1000 * sure))}
        for name, value in sums.items():
            numbers[f"sure:{name}:{tenth}"] = numbers.get(f"sure:{name}:{tenth}", 0.0) + value
        numbers["sure:squares"] = numbers.get("sure:squares", 0.0) + (sure - hit) ** 2
    return numbers


def _judged(record: Record) -> Iterator[tuple[Finding, float]]:
    """First findings that state a confidence, each with whether it matched a known issue; spare reviews are not
    among them.
    """
    for seat, answer in enumerate(_own(record)):
        for number, finding in enumerate(read(answer)):
            place = record.scores.get(f"finding:{finding.id or f'reviewer_{seat}/{number}'}")
            if finding.confidence is not None and place is not None and place != DUPLICATE:
                yield finding, float(place >= 0)


def read(answer: str | None) -> tuple[Finding, ...]:
    """The findings of an answer; none in a text that holds none."""
    try:
        return findings_of(answer)
    except ValueError:
        return ()


def placed(positions: tuple[Answers, ...]) -> tuple[Answers, ...]:
    """Positions by place alone: a finding said in other words is the same finding."""
    return tuple(tuple(None if answer is None else _places(answer) for answer in said) for said in positions)


def _places(answer: str) -> str:
    return " ".join(sorted({f"{f.span.document}:{f.span.first}-{f.span.last}" for f in read(answer)}))


def agreement(own: tuple[Answers, ...]) -> dict[str, float]:
    """How far seats agree in the end: of two seats' findings the share that touches a line of the other's, mean over
    pairs. Pairs without findings agree on nothing and do not count.
    """
    final = own[-1] if own else ()
    shares = [share for one, two in combinations(final, 2) if (share := _shared(one, two)) is not None]
    return {"convergence": sum(shares) / len(shares)} if shares else {}


def _shared(one: str | None, two: str | None) -> float | None:
    ours, theirs = read(one), read(two)
    met = sum(any(_touch(f, g) for g in theirs) for f in ours) + sum(
        any(_touch(f, g) for g in ours) for f in theirs
    )
    total = len(ours) + len(theirs)
    return met / total if total else None


def _touch(one: Finding, two: Finding) -> bool:
    """Whether two findings have a line in common."""
    a, b = one.span, two.span
    return a.document == b.document and max(a.first, b.first) <= min(a.last, b.last)


def changes(own: tuple[Answers, ...]) -> dict[str, float]:
    """Seats whose last findings lie elsewhere than their first; of seats asked again those that changed none."""
    if len(own) < 2 or not own[0]:
        return {}
    moves = [old == new for before, after in pairwise(own) for old, new in zip(before, after, strict=False)]
    return {
        "seats": float(len(own[0])),
        "changed": float(sum(old != new for old, new in zip(own[0], own[-1], strict=False))),
        "moves": float(len(moves)),
        "cheap_moves": float(sum(moves)),
    }
