"""Do the intervals cover what they say, and do the tests keep their level? On data whose truth is known.

    python experiments/validity/simulate.py [repeats]

Prints one table: what a sweep's table prints, at sample sizes that sweeps have, and beside it what a percentile
bootstrap (of whole clusters) would have covered where that is the usual choice.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from madbench.metrics import calibration
from madbench.metrics.comparisons import Paired, interval, p_value
from madbench.metrics.estimates import Floats, Ints, mean, rate, ratio
from madbench.metrics.estimates import share as pooled_share
from madbench.metrics.pooled import PooledPair, difference, swap_test
from madbench.metrics.sureness import auroc, ece
from madbench.types import Estimate

SIZES = (8, 20, 48, 200)
SESSIONS = ((48, 8), (160, 8), (400, 8))
"""Rows, and rows a cluster."""
RESAMPLES = 400


@dataclass(frozen=True)
class Case:
    """One line of the table. `once` simulates one experiment and says whether the truth was covered (or, for a test,
    whether it rejected), and the same of the bootstrap; None where there is none.
    """

    what: str
    where: str
    n: str
    once: Callable[[np.random.Generator], tuple[bool, bool | None]]
    wanted: str = "0.95"


def cases() -> Iterator[Case]:
    yield from rates()
    yield from clustered_rates()
    yield from differences()
    yield from clustered_differences()
    yield from levels()
    yield from costs()
    yield from calibrations()
    yield from reviews()


def covers(low: float | None, high: float | None, truth: float) -> bool:
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def within(estimate: Estimate, truth: float) -> bool:
    return covers(estimate.low, estimate.high, truth)


def percentile(above: Floats, below: Floats, rng: np.random.Generator, truth: float) -> bool:
    """Whether the percentile bootstrap of a ratio of sums covers."""
    picks = rng.integers(len(above), size=(RESAMPLES, len(above)))
    tops, bottoms = above[picks].sum(axis=1), below[picks].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(bottoms > 0, tops / bottoms, np.inf)
    low, high = np.percentile(values, [2.5, 97.5], method="inverted_cdf")
    return covers(float(low), float(high), truth)


def rates() -> Iterator[Case]:
    for n in SIZES:
        for p in (0.05, 0.5, 0.9):

            def once(rng: np.random.Generator, n: int = n, p: float = p) -> tuple[bool, bool | None]:
                rows = (rng.random(n) < p).astype(float)
                return within(rate(rows, np.arange(n)), p), percentile(rows, np.ones(n), rng, p)

            yield Case("rate", f"independent, p = {p}", str(n), once)


def sessions(
    rng: np.random.Generator, n: int, size: int, shares: Floats, strength: float
) -> tuple[Ints, Ints]:
    """Outcomes 0, 1, … of rows in clusters whose own shares scatter around the whole's (Dirichlet)."""
    own = rng.dirichlet(shares * strength, size=n // size)
    chosen = (rng.random((n // size, size, 1)) > own.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return chosen.ravel(), np.arange(n) // size


def clustered_rates() -> Iterator[Case]:
    for n, size in SESSIONS:
        for p in (0.1, 0.5):

            def once(
                rng: np.random.Generator, n: int = n, size: int = size, p: float = p
            ) -> tuple[bool, bool | None]:
                found, clusters = sessions(rng, n, size, np.array([p, 1 - p]), 4)
                rows = (found == 0).astype(float)
                per = np.full(n // size, float(size))
                return within(rate(rows, clusters), p), percentile(np.bincount(clusters, rows), per, rng, p)

            yield Case("rate", f"sessions of {size}, p = {p}", f"{n} ({n // size} clusters)", once)


CHANCES = ((0.02, 0.02), (0.1, 0.05), (0.3, 0.1), (0.2, 0.2))
"""Share of samples that only the first arm has right, and only the second."""


def differences() -> Iterator[Case]:
    for n in SIZES:
        for first, second in CHANCES:

            def once(
                rng: np.random.Generator, n: int = n, first: float = first, second: float = second
            ) -> tuple[bool, bool | None]:
                found = rng.choice(3, size=n, p=[first, second, 1 - first - second])
                rows, truth = (found == 0).astype(float) - (found == 1), first - second
                covered = covers(*interval(Paired(rows, np.arange(n), n)), truth)
                return covered, percentile(rows, np.ones(n), rng, truth)

            yield Case("paired difference", f"{first} right against {second}", str(n), once)


def clustered_differences() -> Iterator[Case]:
    for n, size in SESSIONS:
        for first, second in CHANCES[1:]:

            def once(
                rng: np.random.Generator,
                n: int = n,
                size: int = size,
                first: float = first,
                second: float = second,
            ) -> tuple[bool, bool | None]:
                shares = np.array([first, second, 1 - first - second])
                found, clusters = sessions(rng, n, size, shares, 5)
                rows, truth = (found == 0).astype(float) - (found == 1), first - second
                covered = covers(*interval(Paired(rows, clusters, n)), truth)
                per = np.full(n // size, float(size))
                return covered, percentile(np.bincount(clusters, rows), per, rng, truth)

            where = f"sessions of {size}, {first} right against {second}"
            yield Case("paired difference", where, f"{n} ({n // size} clusters)", once)


def levels() -> Iterator[Case]:
    """How often the tests reject at 5 % where there is no difference."""
    for n in SIZES:

        def once(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            found = rng.choice(3, size=n, p=[0.2, 0.2, 0.6])
            rows = (found == 0).astype(float) - (found == 1)
            return p_value(Paired(rows, np.arange(n), n)) < 0.05, None

        yield Case("exact McNemar, rejects", "0.2 right against 0.2", str(n), once, "at most 0.05")

        def tied(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            rows = rng.choice([-1, -0.5, -1 / 3, 0, 1 / 3, 0.5, 1], size=n)
            return p_value(Paired(rows, np.arange(n), n)) < 0.05, None

        yield Case("sign flips, rejects", "differences in thirds and halves (ties)", str(n), tied, "0.05")
    for n, size in SESSIONS:

        def flipped(rng: np.random.Generator, n: int = n, size: int = size) -> tuple[bool, bool | None]:
            found, clusters = sessions(rng, n, size, np.array([0.2, 0.2, 0.6]), 5)
            rows = (found == 0).astype(float) - (found == 1)
            naive = p_value(Paired(rows, np.arange(n), n)) < 0.05
            return p_value(Paired(rows, clusters, n)) < 0.05, naive

        where = f"sessions of {size} (beside it: rows taken as independent)"
        yield Case("sign flips, rejects", where, f"{n} ({n // size} clusters)", flipped, "0.05")


def costs() -> Iterator[Case]:
    for n in SIZES:

        def tokens(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            rows = rng.lognormal(5, 0.5, n)
            truth = math.exp(5 + 0.125)
            return within(mean(rows, np.arange(n)), truth), percentile(rows, np.ones(n), rng, truth)

        yield Case("mean tokens", "log-normal, sigma 0.5", str(n), tokens)
        for p in (0.3, 0.9):

            def per_right(rng: np.random.Generator, n: int = n, p: float = p) -> tuple[bool, bool | None]:
                right = np.zeros(n)
                while not right.sum():
                    right = (rng.random(n) < p).astype(float)
                rows = rng.gamma(4, 50, n) * (1.3 - 0.5 * right)
                truth = 200 * (1.3 - 0.5 * p) / p
                return within(ratio(rows, right, np.arange(n)), truth), percentile(rows, right, rng, truth)

            yield Case("tokens a right answer", f"p = {p}", str(n), per_right)


def calibrations() -> Iterator[Case]:
    for n in SIZES[1:]:
        for off in (0.0, 0.1, 0.3):

            def once(rng: np.random.Generator, n: int = n, off: float = off) -> tuple[bool, bool | None]:
                confidence = 0.5 + 0.5 * rng.random(n)
                right = (rng.random(n) < confidence - off).astype(float)
                bins, clusters = calibration.equal_mass(confidence), np.arange(n)
                found = ece(confidence, right, bins, clusters, n)
                gaps = (bins[:, None] == np.arange(10)) * (confidence - right)[:, None]
                draws = np.abs(rng.multinomial(n, np.full(n, 1 / n), RESAMPLES) @ gaps).sum(axis=1) / n
                low, high = np.percentile(draws, [2.5, 97.5])
                return within(found, off), covers(float(low), float(high), off)

            yield Case("ECE", f"confidence {off} too high", str(n), once)

        def ranks(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            right = np.zeros(n)
            while not 0 < right.sum() < n:
                right = (rng.random(n) < 0.5).astype(float)
            confidence = rng.normal(right, 1.0)
            truth = 0.5 * (1 + math.erf(0.5))
            return within(auroc(confidence, right, np.arange(n), n), truth), None

        yield Case("AUROC", "normal, one sigma apart", str(n), ranks)


def reviewed(rng: np.random.Generator, n: int) -> tuple[Floats, Floats, Floats]:
    """One reviewer's artifacts: known issues (0 to 3), found ones (half, by how hard the artifact is), false alarms."""
    known = rng.integers(0, 4, n)
    return (
        known.astype(float),
        rng.binomial(known, rng.beta(2, 2, n)).astype(float),
        rng.poisson(0.7, n).astype(float),
    )


def reviews() -> Iterator[Case]:
    for n in SIZES:

        def recall(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            known, found, _ = reviewed(rng, n)
            return within(pooled_share(found, known, np.arange(n)), 0.5), percentile(found, known, rng, 0.5)

        def precision(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            _, found, false = reviewed(rng, n)
            truth = 0.75 / (0.75 + 0.7)
            covered = within(pooled_share(found, found + false, np.arange(n)), truth)
            return covered, percentile(found, found + false, rng, truth)

        def pair(rng: np.random.Generator, n: int) -> PooledPair:
            known, hard = rng.integers(0, 4, n), rng.beta(2, 2, n)
            found = [rng.binomial(known, hard).astype(float) for _ in range(2)]
            all_found = [one + rng.poisson(0.7, n) for one in found]
            return PooledPair((found[0], all_found[0]), (found[1], all_found[1]), np.arange(n), n)

        def between(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            return within(difference(pair(rng, n)), 0.0), None

        def swapped(rng: np.random.Generator, n: int = n) -> tuple[bool, bool | None]:
            return (swap_test(pair(rng, n)) or 0.0) < 0.05, None

        yield Case("recall, pooled", "0 to 3 issues an artifact, half found", str(n), recall)
        yield Case("precision, pooled", "0.75 found and 0.7 false an artifact", str(n), precision)
        yield Case("difference of precisions", "two equal reviewers", str(n), between)
        yield Case("swap test, rejects", "two equal reviewers", str(n), swapped, "0.05")


def share(case: Case, repeats: int) -> tuple[float, float | None]:
    """How often the truth was covered (a test rejected), and the same of the bootstrap."""
    rng = np.random.default_rng(sum(map(ord, case.what + case.where + case.n)))
    found = [case.once(rng) for _ in range(repeats)]
    beside = [other for _, other in found if other is not None]
    return sum(one for one, _ in found) / repeats, sum(beside) / len(beside) if beside else None


def noise(repeats: int) -> Iterator[str]:
    """ECE of perfectly calibrated answers, beside the value that the table prints as expected."""
    rng = np.random.default_rng(0)
    for n in SIZES:
        seen, said = [], []
        for _ in range(max(repeats // 20, 10)):
            confidence = 0.5 + 0.5 * rng.random(n)
            bins = calibration.equal_mass(confidence)
            right = (rng.random((20, n)) < confidence).astype(float)
            seen += [calibration.ece(confidence, row, bins) or 0.0 for row in right]
            said.append(calibration.expected_ece(confidence, bins, draws=100) or 0.0)
        yield f"| {n} | {np.mean(seen):.3f} | {np.mean(said):.3f} |"


def main(repeats: int) -> None:
    print("| number | data | n | wanted | here | bootstrap |\n|---|---|---|---|---|---|")
    for case in cases():
        here, beside = share(case, repeats)
        other = "" if beside is None else f"{beside:.3f}"
        print(f"| {case.what} | {case.where} | {case.n} | {case.wanted} | {here:.3f} | {other} |", flush=True)
    print("\n| n | mean ECE of a calibrated model | `ece_expected` |\n|---|---|---|")
    print("\n".join(noise(repeats)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
