"""Which functions of the standard library can be made wrong, and which faults show? Writes the task's table.

    python experiments/seeded_defects/prove.py [--write] [module ...]

Goes through the standard library of the Python that runs it, proves every fault of every function that can be used,
and prints what was thrown away and why. `--write` replaces `madbench/tasks/seeded/proved.jsonl`.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from madbench.tasks.seeded.acceptance import accepted
from madbench.tasks.seeded.mutations import sites
from madbench.tasks.seeded.proving import Checker
from madbench.tasks.seeded.stdlib import Function, Library
from madbench.tasks.seeded.survey import Prover
from madbench.tasks.seeded.table import CRASHES, EQUIVALENT, HANGS, TABLE, Proved

_WORDS = (
    "aifc antigravity asynchat asyncio asyncore cgi cgitb chunk crypt ctypes curses distutils ensurepip idlelib imghdr"
    " imp lib2to3 mailcap msilib multiprocessing nntplib pdb pip pipes site-packages smtpd sndhdr sunau telnetlib test"
    " this tkinter turtle turtledemo uu venv xdrlib lib-dynload config socketserver webbrowser pydoc_data"
)
LEFT_OUT = frozenset(_WORDS.split())
"""Modules that later Pythons no longer have, that not all have, or that are about other things than computing."""
SIZES = (1, 1, 1, 1, 2, 2, 3, 4)
LONGEST = 60
"""Functions in an artifact, and lines of one that holds several."""


@dataclass
class Tally:
    """What became of the functions and of their faults."""

    functions: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)


def modules() -> list[str]:
    """The names of all modules with a source, in order."""
    root = Path(random.__file__).parent
    names = []
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        if not LEFT_OUT & set(parts) and not parts[0].startswith(("config-", "_sysconfigdata")):
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(names)


def candidates(library: Library, names: list[str], tally: Tally) -> Iterator[Function]:
    for name in names:
        module = library.module(name)
        for known in module.functions if module else ():
            function = module.function(known) if module else None
            tally.functions["in all"] += 1
            if function and module and accepted(function, module):
                yield function
            else:
                tally.functions["not of a shape that can be shown alone"] += 1


def count(row: Proved, source: str, tally: Tally) -> None:
    tally.functions["proved"] += 1
    for site, share in zip(sites(source), row.exposure, strict=True):
        words = {EQUIVALENT: "changed nothing", HANGS: "did not end", CRASHES: "broke the checker"}
        tally.faults[words.get(share, "proved")] += 1
        tally.kinds[site.kind] += share > 0
    for chosen in row.sets:
        tally.faults[f"proved sets of {len(chosen)}"] += 1


def grouped(rows: list[tuple[Function, Proved]], library: Library) -> list[Proved]:
    """Rows with the artifact that each belongs to: neighbours of one module, none of which leads to another."""
    result = []
    for name, of_module in groupby(rows, key=lambda row: row[0].module):
        members: list[Function] = []
        for function, row in of_module:
            room = (
                SIZES[random.Random(f"size {members[0].qualified}").randrange(len(SIZES))] if members else 1
            )
            lines = sum(member.source.count("\n") for member in (*members, function))
            module = library.module(name)
            reached = (
                {member.name: module.reached(member.name) for member in (*members, function)}
                if module
                else {}
            )
            tied = any(function.name in reached[m.name] or m.name in reached[function.name] for m in members)
            if len(members) >= room or lines > LONGEST or tied:
                members = []
            members.append(function)
            result.append(row.model_copy(update={"group": members[0].qualified}))
    return result


def main() -> None:
    start, tally, library = time.monotonic(), Tally(), Library()
    write = "--write" in sys.argv
    functions = list(candidates(library, [a for a in sys.argv[1:] if a != "--write"] or modules(), tally))

    def prove(some: list[Function]) -> list[tuple[Function, Proved | str]]:
        with Checker() as first, Checker() as second:
            return [(function, Prover(first, second).prove(function)) for function in some]

    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(prove, [functions[::2], functions[1::2]])
        found = dict(pair for half in halves for pair in half)
    rows = []
    for function in functions:
        row = found[function]
        if isinstance(row, Proved):
            rows.append((function, row))
            count(row, function.source, tally)
        else:
            tally.functions[row] += 1
    for title, counter in (("functions", tally.functions), ("faults", tally.faults), ("kinds", tally.kinds)):
        print(f"\n{title}", *(f"  {n:>6} {what}" for what, n in counter.most_common()), sep="\n")
    table = grouped(rows, library)
    print(
        f"\n{len({row.group for row in table})} artifacts of 1 to 4 functions, {time.monotonic() - start:.0f} s"
    )
    if write:
        TABLE.write_text("".join(row.model_dump_json() + "\n" for row in table), encoding="utf-8")


if __name__ == "__main__":
    main()
