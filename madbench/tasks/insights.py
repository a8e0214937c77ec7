"""Insights about a data set: which column goes with the outcome, if any? Strengths are planted, so the truth is known.

A table of generated rows has one outcome and several other columns, each with a correlation of its own. What is
shown are the statistics of these rows, one option a column, and an option for reporting nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import correlation, fmean, stdev
from string import ascii_uppercase
from typing import Literal

from pydantic import JsonValue

from madbench.tasks.answers import ChoiceReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.types import InputError, Outcome, Problem, Sample, Target, seed_of

Kind = Literal["strong", "medium", "weak", "absent"]
PLANTED: Mapping[str, tuple[float, float]] = {
    "strong": (0.60, 0.85), "medium": (0.35, 0.45), "weak": (0.12, 0.25), "absent": (0.0, 0.08),
}  # fmt: skip
"""The range of the planted |r|; all other columns of a table are absent ones."""
HIGH, REPORTED = 0.5, 0.3
"""The least |r| of an insight that is stated with high confidence, and of any insight."""
NONE = "none of these"
OUTCOMES = ("sales", "visits", "complaints", "repairs", "returns", "signups")
COLUMNS = (
    "price", "discount", "staff", "distance", "age", "rain", "queue", "space", "stock", "noise", "light", "parking",
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """One data set: `strengths` are the columns' correlations with the outcome, as shown (two decimals)."""

    kind: Kind
    outcome: str
    columns: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    """The outcome first, then the columns in order."""

    @cached_property
    def series(self) -> list[tuple[float, ...]]:
        """The values of the outcome, then of every column."""
        return list(zip(*self.rows, strict=True))

    @cached_property
    def strengths(self) -> tuple[float, ...]:
        outcome, *others = self.series
        return tuple(round(correlation(outcome, column), 2) + 0.0 for column in others)

    @property
    def planted(self) -> int | None:
        """The place of the column that is worth reporting; None if there is none."""
        strongest = max(range(len(self.columns)), key=lambda place: abs(self.strengths[place]))
        return strongest if abs(self.strengths[strongest]) >= REPORTED else None


@dataclass(frozen=True)
class Insights:
    """`n` tables, their kinds taken in turn, with `columns` columns and `rows` rows each; other seeds are other tables.

    `strong`, `medium` and `weak` tables have one column of that strength, `absent` tables none.
    """

    n: int = 48
    kinds: Sequence[Kind] = ("strong", "weak", "medium", "absent")
    columns: int = 4
    rows: int = 80
    seed: int = 0
    name: str = "insights"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", tuple(self.kinds))
        if unknown := set(self.kinds) - set(PLANTED):
            raise InputError(f"task.kinds: no {sorted(unknown)}; there are {list(PLANTED)}")
        if self.n < 1 or not self.kinds or not 2 <= self.columns <= len(COLUMNS):
            raise InputError(
                f"task: n={self.n}, kinds={list(self.kinds)}, columns={self.columns}; wanted at least one "
                f"table, one kind, and 2 to {len(COLUMNS)} columns"
            )
        if self.rows < 2 * self.columns + 8:
            raise InputError(
                f"task.rows: {self.rows}, wanted at least {2 * self.columns + 8} for {self.columns} columns"
            )

    def tables(self) -> list[Table]:
        """The data sets themselves."""
        return [self._table(number) for number in range(self.n)]

    def samples(self) -> list[Sample]:
        return [_sample(table) for table in self.tables()]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        """`correct`, and what became of weak insights, as metrics of their own (`fact:<name>`).

        An answer that names a column is an insight; it is *weak* if the column's |r| is under 0.3, or under 0.5 and
        the insight was stated with high confidence. `weak_approval` and `sound_approval`: the answer is a weak, or a
        sound insight (a protocol that votes gives one only if its vote passed). What a vote adds to the facts
        (`proposal`, `approved`, `unanimous`, `adversary_fold_rate`) gives unanimous weak approval, and of what came to
        the vote the shares of weak and of sound insights that passed, and folding on weak ones.
        """
        correct = float(outcome.answer is not None and outcome.answer == target.answer)
        return {"correct": correct, **_approvals(outcome, target), **_voted(outcome, target)}

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "kinds": list(self.kinds), "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _table(self, number: int) -> Table:
        kind = self.kinds[number % len(self.kinds)]
        draw = random.Random(seed_of("insights", self.seed, number, kind, self.columns, self.rows))
        outcome, names = draw.choice(OUTCOMES), tuple(draw.sample(COLUMNS, self.columns))
        ranges = [PLANTED["absent"]] * self.columns
        ranges[draw.randrange(self.columns)] = PLANTED[kind]
        strengths = [draw.choice((-1, 1)) * draw.uniform(*bounds) for bounds in ranges]
        rows = _rows(strengths, self.rows, draw)
        return Table(kind, outcome, names, rows)


def _rows(strengths: Sequence[float], count: int, draw: random.Random) -> tuple[tuple[float, ...], ...]:
    """Rows in which every column has (up to rounding to one decimal) exactly its strength with the first."""
    first, *others = _independent(len(strengths) + 1, count, draw)
    columns = [first]
    for r, other in zip(strengths, others, strict=True):
        rest = math.sqrt(1 - r * r)
        columns.append([r * x + rest * y for x, y in zip(first, other, strict=True)])
    scales = [(draw.uniform(60, 200), draw.uniform(8, 30) * math.sqrt(count - 1)) for _ in columns]
    scaled = [
        [round(mean + spread * value, 1) for value in column]
        for column, (mean, spread) in zip(columns, scales, strict=True)
    ]
    return tuple(zip(*scaled, strict=True))


def _independent(width: int, count: int, draw: random.Random) -> list[list[float]]:
    """So many series of mean 0 and length 1 without any correlation (Gram and Schmidt's way)."""
    found: list[list[float]] = []
    while len(found) < width:
        series = [draw.gauss(0, 1) for _ in range(count)]
        for other in ([1 / math.sqrt(count)] * count, *found):
            shared = _product(series, other)
            series = [value - shared * part for value, part in zip(series, other, strict=True)]
        length = math.sqrt(_product(series, series))
        found.append([value / length for value in series])
    return found


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def _sample(table: Table) -> Sample:
    letters = ascii_uppercase[: len(table.columns) + 1]
    options = (*table.columns, NONE)
    described = zip(letters, table.columns, table.series[1:], table.strengths, strict=False)
    lines = [
        f"{letter}) {name}: mean {fmean(values):.1f}, sd {stdev(values):.1f}, r with {table.outcome} = {r:.2f}"
        for letter, name, values, r in described
    ]
    question = "\n".join(
        [
            f"A data set of {len(table.rows)} shops has these columns beside {table.outcome}:",
            *lines,
            f"{letters[-1]}) {NONE}",
            f"Which column goes with {table.outcome} clearly enough to be reported as an insight?",
        ]
    )
    identity = f"insights-{short_hash(question + repr(table.rows))}"
    strengths: dict[str, JsonValue] = dict(zip(letters, map(abs, table.strengths), strict=False))
    answer = letters[-1] if table.planted is None else letters[table.planted]
    problem = Problem(identity, identity, question, ChoiceReader(letters, options))
    return Sample(problem, Target(answer, {"kind": table.kind, "strengths": strengths}))


def weak(answer: str | None, confidence: object, target: Target) -> bool | None:
    """Whether an insight is too weak for how sure it is said to be; None where the answer is no insight."""
    strengths = target.facts.get("strengths")
    strength = strengths.get(answer) if isinstance(strengths, Mapping) and answer else None
    if not isinstance(strength, int | float):
        return None
    return strength < (HIGH if confidence == "high" else REPORTED)


def _approvals(outcome: Outcome, target: Target) -> dict[str, float]:
    found = weak(outcome.answer, outcome.confidence.get("stated_label"), target)
    scores = {"fact:weak_approval": float(found is True), "fact:sound_approval": float(found is False)}
    if "approved" in outcome.facts:
        scores["fact:unanimous_weak_approval"] = float(found is True and outcome.facts.get("unanimous") == 1)
    return scores


def _voted(outcome: Outcome, target: Target) -> dict[str, float]:
    """What a vote on one proposal did, weak or sound; nothing where no proposal came to a vote."""
    facts = outcome.facts
    proposal = facts.get("proposal")
    if not isinstance(proposal, Mapping):
        return {}
    found = weak(_text(proposal.get("answer")), proposal.get("confidence"), target)
    if found is None:
        return {}
    passed, folding = float(facts.get("approved") == 1), facts.get("adversary_fold_rate")
    numbers = {"fact:weak_proposal": float(found), f"fact:{'weak' if found else 'sound'}_passed": passed}
    if found and isinstance(folding, int | float):
        numbers["fact:fold_rate_on_weak"] = float(folding)
    return numbers


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
