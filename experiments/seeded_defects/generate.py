"""Ten thousand artifacts with seeded defects: how long, which kinds, how many alike, and do their faults show?

    python experiments/seeded_defects/generate.py [artifacts a seed] [artifacts to prove anew]

Generates so many artifacts (625) under each of the 16 seeds, as they stand and renamed, some of them again in another
process; then proves the faults of some (40), drawn at random, anew. Prints tables.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

from madbench.tasks.hashing import content_hash
from madbench.tasks.seeded.cases import Case, Cases
from madbench.tasks.seeded.defects import SeededDefects
from madbench.tasks.seeded.drawing import SEEDS
from madbench.tasks.seeded.modules import Disguise
from madbench.tasks.seeded.proving import Checker
from madbench.tasks.seeded.survey import Prover
from madbench.tasks.seeded.table import CRASHES, EQUIVALENT, HANGS, proved
from madbench.types import Sample

MIX = (1, 1, 2, 3)
ELSEWHERE = 2
"""Seeds that are generated in another process too."""


def verdicts() -> Iterator[str]:
    rows = proved()
    tried = sum(len(row.exposure) for row in rows)
    words = {EQUIVALENT: "changed nothing on any input", HANGS: "did not end", CRASHES: "broke off"}
    yield f"| functions | {len(rows)} |"
    yield f"| artifacts of 1 to 4 of them | {len({row.group for row in rows})} |"
    yield f"| faults tried | {tried} |"
    for verdict, word in words.items():
        count = sum(row.exposure.count(verdict) for row in rows)
        yield f"| {word} | {count} ({count / tried:.1%}) |"
    kept = sum(share > 0 for row in rows for share in row.exposure)
    yield f"| proved | {kept} ({kept / tried:.1%}) |"
    for size in (2, 3):
        yield f"| sets of {size} proved | {sum(len(some) == size for row in rows for some in row.sets)} |"


def generated(number: int, disguise: Disguise) -> list[list[Sample]]:
    return [SeededDefects(n=number, seed=seed, disguise=disguise).samples() for seed in range(SEEDS)]


def counted(title: str, counter: Counter[str]) -> Iterator[str]:
    whole = sum(counter.values())
    yield f"\n| {title} | | share |\n|---|---|---|"
    yield from (f"| {what} | {count} | {count / whole:.1%} |" for what, count in counter.most_common())


def described(samples: list[Sample]) -> Iterator[str]:
    facts = [sample.target.facts for sample in samples]
    issues = [issue for some in facts for issue in some["issues"]]  # type: ignore[union-attr]
    yield from counted("kind of fault", Counter(issue["kind"] for issue in issues))  # type: ignore[index, call-overload, misc]
    yield from counted("faults of an artifact", Counter(str(some["defects"]) for some in facts))
    yield from counted(
        "difficulty of a faulty artifact", Counter(str(f["difficulty"]) for f in facts if f["defects"])
    )
    lines = sorted(int(str(some["lines"])) for some in facts)
    yield f"\nLines: {lines[0]} to {lines[-1]}, median {lines[len(lines) // 2]}."
    yield f"Clusters: {len({sample.problem.cluster for sample in samples})}."


def elsewhere(number: int, disguise: Disguise) -> list[str]:
    code = (
        "from madbench.tasks.seeded import SeededDefects as S\n"
        f"for seed in range({ELSEWHERE}): print(S(n={number}, seed=seed, disguise={disguise!r}).content())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def proved_anew(number: int) -> tuple[int, int]:
    """How many of the functions with faults in so many artifacts were looked at, and how many showed them all."""
    cases = [
        case for seed in range(SEEDS) for case in _first(Cases(proved(), seed, MIX, "none", twins=False))
    ]
    chosen = random.Random(0).sample(cases, number)
    asked = shown = 0
    with Checker() as first, Checker() as second:
        for case in chosen:
            for place, function in enumerate(case.shown.group.functions):
                numbers = [site for where, site in case.faults if where == place]
                if numbers:
                    asked += 1
                    shown += Prover(first, second).shows(function, numbers)
    return asked, shown


def _first(cases: Cases) -> list[Case]:
    return [case for case, _ in zip(cases, range(50), strict=False)]


def main() -> None:
    number, anew = [int(word) for word in sys.argv[1:3]] + [625, 40][len(sys.argv) - 1 :]
    print("| the table | |\n|---|---|", *verdicts(), sep="\n")
    start = time.perf_counter()
    SeededDefects(n=50).samples()
    print(f"\nFirst 50 artifacts in a fresh process: {time.perf_counter() - start:.1f} s.")
    disguises: tuple[Disguise, ...] = ("none", "renamed")
    for disguise in disguises:
        start, computing = time.perf_counter(), time.process_time()
        seeds = generated(number, disguise)
        took, computed = time.perf_counter() - start, time.process_time() - computing
        samples = [sample for some in seeds for sample in some]
        faulty = [sample.problem.question for sample in samples if not sample.target.facts["clean"]]
        contents = [content_hash(some) for some in seeds[:ELSEWHERE]]
        print(
            f"\n**disguise: {disguise}**: {len(samples)} artifacts in {took:.0f} s ({computed:.0f} s of computing).",
            flush=True,
        )
        print(f"{len(faulty)} are faulty, {len(set(faulty))} of them different.")
        print(
            f"{ELSEWHERE} seeds are the same in another process: {elsewhere(number, disguise) == contents}.",
            flush=True,
        )
        if disguise == "none":
            print("\n".join(described(samples)))
    start = time.perf_counter()
    asked, shown = proved_anew(anew)
    took = time.perf_counter() - start
    print(f"\nProved anew: {shown} of {asked} functions of {anew} faulty artifacts, in {took:.0f} s.")


if __name__ == "__main__":
    main()
