"""Generated questions of reasoning-gym (Stojanovski et al., 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from madbench.tasks.gym_kinds import OURS, check_dataset, reader_for
from madbench.tasks.gym_pool import Entry, distinct, stream_settings
from madbench.tasks.gym_scorer import LimitedScorer
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.types import AnswerReader, InputError, Outcome, Problem, Sample, Shot, Target, seed_of


@dataclass(frozen=True)
class ReasoningGym:
    """`size` different questions of one data set, `config` being its own settings.

    The first `reserve` questions of its stream are kept for worked examples, of which `shots` are shown, and
    never scored; seed 0 scores the next `size`, seed 1 the `size` after those, and so on: no two seeds share a
    question. Raises InputError where the data set has too few for a seed.
    """

    dataset: str
    name: str = ""
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    size: int = 100
    shots: int = 0
    seed: int = 0
    reserve: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.dataset)
        check_dataset(self.dataset)
        if not (self.size >= 1 and self.seed >= 0 and 0 <= self.shots <= self.reserve):
            raise InputError(
                f"task: size={self.size}, seed={self.seed}, shots={self.shots}; wanted size at least 1, seed at "
                f"least 0, and shots at most task.reserve={self.reserve}"
            )

    def samples(self) -> list[Sample]:
        shots = tuple(self._shot(entry) for entry in self._examples())
        return [self._sample(entry, shots) for entry in self._items]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        """Exact where one answer is right, else by the data set's own scorer, which must give the full score.

        There every seat's answers are judged too (`right:<answer>`), for what is measured within an episode.
        """
        if self.dataset in OURS:
            return exact(outcome, target)
        given = {answer for seats in (*outcome.positions, (outcome.answer,)) for answer in seats if answer}
        right = {f"right:{answer}": self._right(answer, target) for answer in sorted(given)}
        return {"correct": right.get(f"right:{outcome.answer}", 0.0), **right}

    def _right(self, answer: str, target: Target) -> float:
        index, ending = int(str(target.facts["index"])), str(target.facts["ending"])
        return float(self._scorer.right(answer + ending, index))

    def facts(self) -> Mapping[str, JsonValue]:
        """What a manifest says of the data."""
        return {"source": f"reasoning-gym {_version()}", "rows": len(self._items), "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    @cached_property
    def _scorer(self) -> LimitedScorer:
        return LimitedScorer(self.dataset, stream_settings(self.config, self._pool[-1].index + 1))

    @cached_property
    def _pool(self) -> list[Entry]:
        wanted = self.reserve + (self.seed + 1) * self.size
        pool = distinct(self.dataset, self.config, wanted)
        if len(pool) < wanted:
            seeds = (len(pool) - self.reserve) // self.size
            choices = f"seeds 0 to {seeds - 1}" if seeds > 0 else "no seed at all"
            raise InputError(
                f"task {self.name}: reasoning-gym's {self.dataset} has {len(pool)} different questions under this "
                f"config, {self.reserve} of them reserved for worked examples: enough for {choices} of size "
                f"{self.size}, not for seed {self.seed}"
            )
        return pool

    @property
    def _items(self) -> list[Entry]:
        return self._pool[self.reserve + self.seed * self.size :]

    def _examples(self) -> list[Entry]:
        reserved = self._pool[: self.reserve]
        return sorted(reserved, key=lambda entry: seed_of("shots", self.seed, entry.question))[: self.shots]

    def _reader(self, entry: Entry) -> AnswerReader:
        return reader_for(self.dataset, entry.answer)

    def _shot(self, entry: Entry) -> Shot:
        reader = self._reader(entry)
        step = f"{entry.working} = {entry.answer}\n" if entry.working else ""
        prompt = f"{entry.question}\n{reader.instruction}"
        return Shot(prompt, f"{step}Answer: {reader.canonical(entry.answer)}")

    def _sample(self, entry: Entry, shots: tuple[Shot, ...]) -> Sample:
        reader = self._reader(entry)
        identity = f"{self.dataset}-{short_hash(entry.question)}"
        ending = "." if entry.answer.endswith(".") else ""
        facts: dict[str, JsonValue] = {"dataset": self.dataset, "index": entry.index, "ending": ending}
        answer = reader.canonical(entry.answer)
        if answer is None:
            raise InputError(
                f"task {self.name}: item {entry.index} has the unreadable answer {entry.answer!r}"
            )
        return Sample(Problem(identity, identity, entry.question, reader, shots), Target(answer, facts))


def _version() -> str:
    from importlib.metadata import version

    return version("reasoning-gym")
