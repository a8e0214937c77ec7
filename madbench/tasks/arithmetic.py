"""Arithmetic expressions as Du et al. (2023) generate them: a + b * c + d - e * f, by default of numbers up to 30."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers import NumberReader
from madbench.tasks.hashing import content_hash
from madbench.tasks.scoring import exact
from madbench.types import InputError, Outcome, Problem, Sample, Shot, Target, seed_of

OPERATORS = ("+", "*", "+", "-", "*")


@dataclass(frozen=True)
class Arithmetic:
    """`n` different expressions of `numbers` numbers from 0 up to, not including, `below`; worked examples are others.

    An expression belongs to one seed alone (of `seeds`), so that no two seeds share one.
    """

    n: int = 100
    numbers: int = 6
    below: int = 30
    shots: int = 0
    seed: int = 0
    seeds: int = 8
    name: str = "arithmetic"

    def __post_init__(self) -> None:
        if not 2 <= self.numbers <= len(OPERATORS) + 1 or not 0 <= self.seed < self.seeds or self.below < 2:
            raise InputError(
                f"task: numbers={self.numbers}, seed={self.seed}, below={self.below}; wanted 2 to {len(OPERATORS) + 1} "
                f"numbers, a seed from 0 to {self.seeds - 1}, below from 2"
            )
        if self.n < 1 or (self.n + self.shots) * self.seeds * 2 > self.below**self.numbers:
            raise InputError(
                f"task: n={self.n} and shots={self.shots}; there are {self.below**self.numbers} expressions for "
                f"{self.seeds} seeds, of which no more than half may be drawn"
            )

    def samples(self) -> list[Sample]:
        drawn = self._drawn()
        shots = tuple(Shot(_problem(terms).prompt, f"Answer: {value(terms)}") for terms in drawn[self.n :])
        return [Sample(_problem(terms, shots), Target(str(value(terms)))) for terms in drawn[: self.n]]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _drawn(self) -> list[tuple[int, ...]]:
        """Expressions of the seed, worked examples last."""
        rng, found = (
            random.Random(seed_of("arithmetic", self.numbers, self.below)),
            dict[tuple[int, ...], None](),
        )
        while len(found) < self.n + self.shots:
            terms = tuple(rng.randrange(self.below) for _ in range(self.numbers))
            if seed_of("seed", *terms) % self.seeds == self.seed:
                found[terms] = None
        return list(found)


def written(terms: tuple[int, ...]) -> str:
    return "".join([str(terms[0]), *(op + str(term) for op, term in zip(OPERATORS, terms[1:], strict=False))])


def value(terms: tuple[int, ...]) -> int:
    """Products before sums and differences."""
    total, sign, product = 0, 1, terms[0]
    for operator, term in zip(OPERATORS, terms[1:], strict=False):
        if operator == "*":
            product *= term
        else:
            total, sign, product = total + sign * product, 1 if operator == "+" else -1, term
    return total + sign * product


def _problem(terms: tuple[int, ...], shots: tuple[Shot, ...] = ()) -> Problem:
    expression = written(terms)
    question = f"What is the result of {expression}?"
    return Problem(f"arithmetic-{expression}", expression, question, NumberReader(), shots)
