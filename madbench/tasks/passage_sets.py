"""Question sets with a passage (QuALITY and its like), each question cut down to its right option and one wrong one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from madbench.tasks.answers.passages import PassageChoiceReader
from madbench.tasks.drawing import drawn
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.tasks.sources import Hub, Row, Table, table_of
from madbench.types import InputError, Outcome, Problem, Sample, Target, seed_of


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Names of columns; `answer` holds the right option's place, counted from `first`. `only` keeps rows whose
    columns have these values.
    """

    passage: str = "article"
    question: str = "question"
    options: str = "options"
    answer: str = "answer"
    first: int = 0
    only: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PassageSet:
    """All questions of a set, or `size` of them; `path` is a local file that stands in for the hub.

    Which wrong option stands against the right one, and which comes first, is drawn by the question alone.
    Questions on one passage share a cluster.
    """

    name: str
    hub: Hub | None = None
    path: str | None = None
    columns: Columns = field(default_factory=Columns)
    size: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.hub is None and self.path is None:
            raise InputError(f"task {self.name}: neither task.path (a local file) nor task.hub is given")
        if self.seed < 0 or (self.size is not None and self.size < 1):
            raise InputError(
                f"task {self.name}: seed={self.seed}, size={self.size}; wanted 0 or more, 1 or more"
            )

    def samples(self) -> list[Sample]:
        by_problem = {sample.problem.id: sample for sample in self._all}
        _, problems = drawn(
            [sample.problem for sample in self._all],
            reserve=0,
            size=self.size,
            seed=self.seed,
            where=f"task {self.name}",
            what=f"questions of {self._table.origin}",
        )
        return [by_problem[problem.id] for problem in problems]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        table = self._table
        revision = table.revision or ("not pinned" if self.path is None else None)
        return {
            "source": table.origin,
            "revision": revision,
            "rows": len(table.rows),
            "content": self.content(),
        }

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    @cached_property
    def _table(self) -> Table:
        return table_of(self.hub, self.path, f"task {self.name}")

    @cached_property
    def _all(self) -> list[Sample]:
        rows = enumerate(self._table.rows)
        kept = [(place, row) for place, row in rows if self.columns.only.items() <= row.items()]
        samples = [sample_of(row, self.columns, self._table.where(place)) for place, row in kept]
        return list({sample.problem.id: sample for sample in samples}.values())


def sample_of(row: Row, columns: Columns, where: str) -> Sample:
    """Read one row. Raises InputError, naming it, where a column is missing or holds something else."""
    passage, stem = (str(row.get(column) or "").strip() for column in (columns.passage, columns.question))
    options, place = row.get(columns.options), row.get(columns.answer)
    if not passage or not stem or not isinstance(options, list) or not isinstance(place, int):
        wanted = [columns.passage, columns.question, columns.options, columns.answer]
        raise InputError(
            f"{where}: wanted columns {wanted} with two texts, a list and a place; found {sorted(row)}"
        )
    right = place - columns.first
    if not 0 <= right < len(options) or len(set(map(str, options))) < 2:
        raise InputError(
            f"{where}: place {place} in column {columns.answer!r} is none of {len(options)} options"
        )
    rng = random.Random(seed_of("options", passage, stem))
    wrong = rng.choice([str(option) for option in options if option != options[right]])
    letter = rng.choice("AB")
    pair = (str(options[right]), wrong) if letter == "A" else (wrong, str(options[right]))
    question = f"{stem}\nA) {pair[0]}\nB) {pair[1]}"
    reader = PassageChoiceReader(options=pair, stem=stem, passage=passage)
    problem = Problem(short_hash(f"{passage}\n{question}"), short_hash(passage), question, reader)
    return Sample(problem, Target(letter))
