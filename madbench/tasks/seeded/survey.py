"""Proving a function: its inputs, its faults one by one, and those that show beside one another."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from madbench.tasks.seeded.edits import applied, lines_after
from madbench.tasks.seeded.mutations import sites
from madbench.tasks.seeded.proving import Checker, Trial, Vector, differs
from madbench.tasks.seeded.sites import Site
from madbench.tasks.seeded.stdlib import Function
from madbench.tasks.seeded.table import CRASHES, EQUIVALENT, HANGS, Proved

FEWEST_INPUTS, FEWEST_RESULTS, FEWEST_FAULTS = 6, 4, 4
PAIRS, TRIPLES = 16, 8
"""Sets of two and of three faults that are tried with each function."""
EXAMPLES, WIDEST = 3, 70


@dataclass(frozen=True)
class Prover:
    """Two subprocesses, so that what differs between processes (the hashes of texts, say) is found out."""

    first: Checker
    second: Checker

    def prove(self, function: Function) -> Proved | str:
        """The function's row, or in a word why there is none."""
        known = self._inputs(function)
        if isinstance(known, str):
            return known
        trials, clean = known
        found = sites(function.source)
        texts = [applied(function.source, [site.edit]) for site in found]
        vectors = self.first.run(function, texts, trials)
        exposure = [_verdict(clean, vector) for vector in vectors]
        if sum(share > 0 for share in exposure) < FEWEST_FAULTS:
            return "few faults"
        single = {number: vectors[number] for number, share in enumerate(exposure) if share > 0}
        sets = Sets(self.first, function, trials, clean, found).proved(single)
        examples = _examples(self.first.show(function, trials))
        return Proved(
            module=function.module,
            name=function.name,
            digest=function.digest,
            group="",
            inputs=len(trials),
            exposure=exposure,
            sets=sets,
            examples=examples,
        )

    def shows(self, function: Function, numbers: Sequence[int]) -> bool:
        """Whether these faults, planted together, change behaviour, and each of them beside the others."""
        known = self._inputs(function)
        if isinstance(known, str):
            return False
        trials, clean = known
        found = sites(function.source)
        chosen = [found[number].edit for number in numbers]
        less = [[*chosen[:place], *chosen[place + 1 :]] for place in range(len(chosen))]
        texts = [applied(function.source, edits) for edits in (chosen, *less)]
        whole, *others = self.first.run(function, texts, trials)
        return differs(clean, whole) > 0 and all(differs(whole, other) > 0 for other in others)

    def _inputs(self, function: Function) -> tuple[list[Trial], Vector] | str:
        arguments = ast.parse(function.source).body[0].args  # type: ignore[attr-defined]
        names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        found = self.first.search(function, names, len(names) - len(arguments.defaults))
        if len(found) < FEWEST_INPUTS or len({said for _, said in found}) < FEWEST_RESULTS:
            return "few inputs"
        trials = [trial for trial, _ in found]
        again = [checker.run(function, [function.source], trials)[0] for checker in (self.first, self.second)]
        if any(vector != [said for _, said in found] for vector in again):
            return "not the same twice"
        return trials, again[0]


@dataclass(frozen=True)
class Sets:
    """Several faults in one function, proved together: with each taken back, something changes."""

    checker: Checker
    function: Function
    trials: list[Trial]
    clean: Vector
    found: Sequence[Site]

    def proved(self, single: dict[int, Vector]) -> list[list[int]]:
        rng = random.Random(self.function.qualified)
        pairs: list[tuple[int, ...]] = [pair for pair in combinations(sorted(single), 2) if self._apart(pair)]
        rng.shuffle(pairs)
        vectors: dict[tuple[int, ...], Vector] = {
            (): self.clean,
            **{(one,): said for one, said in single.items()},
        }
        good = self._hold(pairs[:PAIRS], vectors)
        triples: list[tuple[int, ...]] = [
            (*pair, third) for pair in good for third in sorted(single) if third > pair[-1]
        ]
        rng.shuffle(triples)
        apart = [triple for triple in triples if self._apart(triple)][:TRIPLES]
        self._hold([two for triple in apart for two in combinations(triple, 2)], vectors)
        return [list(chosen) for chosen in sorted({*good, *self._hold(apart, vectors)})]

    def _hold(
        self, chosen: list[tuple[int, ...]], vectors: dict[tuple[int, ...], Vector]
    ) -> list[tuple[int, ...]]:
        """Those of the sets whose every fault shows beside the others."""
        new = [some for some in dict.fromkeys(chosen) if some not in vectors]
        texts = [applied(self.function.source, [self.found[one].edit for one in some]) for some in new]
        vectors.update(zip(new, self.checker.run(self.function, texts, self.trials), strict=True))
        return [
            some
            for some in dict.fromkeys(chosen)
            if differs(self.clean, vectors[some])
            and all(differs(vectors[some], vectors[less]) for less in combinations(some, len(some) - 1))
        ]

    def _apart(self, chosen: tuple[int, ...]) -> bool:
        """Whether edits do not touch and leave a line between their places."""
        edits = [self.found[one].edit for one in chosen]
        ordered = sorted(edits)
        if any(one.end > other.start for one, other in pairwise(ordered)):
            return False
        spans = sorted(lines_after(self.function.source, edits))
        return all(one[1] + 1 < other[0] for one, other in pairwise(spans))


def _verdict(clean: Vector, vector: Vector) -> int:
    if isinstance(vector, str):
        return HANGS if vector == "hang" else CRASHES
    share = differs(clean, vector)
    return max(round(100 * share), 1) if share else EQUIVALENT


def _examples(shown: list[tuple[str, str]]) -> list[list[str]]:
    """Short ones with different results, those that say something first."""
    short = [
        (given, result) for given, result in shown if len(given) > 2 and len(given) + len(result) <= WIDEST
    ]
    telling = sorted(short, key=lambda pair: pair[1] in ("''", "[]", "False", "b''", "()", "{}"))
    by_result = {result: [given, result] for given, result in reversed(telling)}
    return list(reversed(by_result.values()))[:EXAMPLES]
