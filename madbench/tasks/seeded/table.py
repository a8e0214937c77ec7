"""What has been proved about functions of the standard library, function by function, in `proved.jsonl`.

The proofs take minutes, so they are made once (`experiments/seeded_defects/prove.py`), kept beside the code, and
bound to the text that they are about: a row holds for a function only while its digest does. Loading a task runs
nothing of the standard library; the tests and the experiment prove samples of the table anew.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

from madbench.types import Strict

TABLE = Path(__file__).with_name("proved.jsonl")
EQUIVALENT, HANGS, CRASHES = 0, -1, -2
"""A fault that changed nothing on any input, and those that never ended or took the checker with them."""


class Proved(Strict):
    """One function. `exposure` has, for every site by number, the share of inputs that show its fault in percent
    (at least 1), or why it is none; `sets` are faults that go together: each still shows beside the others.
    """

    module: str
    name: str
    digest: str
    group: str
    inputs: int
    exposure: list[int]
    sets: list[list[int]]
    examples: list[list[str]]
    """Arguments and result, as they are written."""

    @property
    def qualified(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def faults(self) -> tuple[tuple[int, ...], ...]:
        """All sets of sites that are proved, single ones first."""
        single = [(number,) for number, share in enumerate(self.exposure) if share > 0]
        return (*single, *map(tuple, self.sets))

    def count(self, verdict: Literal[0, -1, -2]) -> int:
        return self.exposure.count(verdict)


@lru_cache
def proved() -> tuple[Proved, ...]:
    """All rows, in the order of their modules and places."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(Proved.model_validate_json(line) for line in lines)
