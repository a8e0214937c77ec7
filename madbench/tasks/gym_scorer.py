"""Scoring by reasoning-gym's own scorers, kept at a distance."""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock

from pydantic import JsonValue

from madbench.types import EngineError

PROGRAM = Path(__file__).with_name("limited.py")
PATIENCE = 120.0
"""Seconds for one answer of the subprocess, its start and the item's generation included."""
EVALUATORS = frozenset(
    {"binary_matrix", "countdown", "n_queens", "puzzle24", "simple_integration", "spiral_matrix"}
) | {"intermediate_integration"}
"""Data sets whose scorer evaluates the reply as an expression."""
FUNCTIONS = frozenset(
    ["exp", "log", "ln", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "Abs"]
)
CALL = re.compile(r"(?<!\w)(\w++)\s*+\(")
CODE = re.compile(
    r"__|[\w)\]'\"]\s*\.\s*[A-Za-z_]|\b(?:lambda|import|for|if|else|while|yield|await)\b|[:;=@{}\\]"
)


def is_expression(answer: str) -> bool:
    """Whether a text is at most arithmetic over numbers, names and lists: no attribute, no call but of functions
    known from school.
    """
    called = {name.lstrip("0123456789") for name in CALL.findall(answer)}  # 2sin(x) calls sin, 2(x) nothing
    return not CODE.search(answer) and called <= {"", *FUNCTIONS}


class LimitedScorer:
    """One data set's scorer in a subprocess of its own (see `limited.py`), started when first needed."""

    def __init__(self, dataset: str, settings: Mapping[str, JsonValue]) -> None:
        self._dataset, self._settings, self._lock = dataset, dict(settings), Lock()

    def right(self, answer: str, index: int) -> bool:
        """Whether an extracted answer to item `index` earns the full score: partial credit is none.

        Raises EngineError if the subprocess dies of something that is not the answer's doing.
        """
        if self._dataset in EVALUATORS and not is_expression(answer):
            return False
        return self.score(answer, index) == 1.0

    def score(self, answer: str, index: int) -> float | None:
        """The scorer's own number; None where it broke, ran out of time, or was tampered with."""
        line = json.dumps({"index": index, "answer": answer.strip()})
        with self._lock:
            reply = self._ask(line) or self._again(line)
        if reply is None:
            raise EngineError(f"the scorer of reasoning-gym's {self._dataset} does not run (item {index})")
        score: float | None = json.loads(reply)["score"]
        return score

    def close(self) -> None:
        """End the subprocess; the next score starts another."""
        if "_process" in self.__dict__:
            self._process.kill()
            self._process.communicate()
            del self.__dict__["_process"]

    def _again(self, line: str) -> str | None:
        self.close()
        return self._ask(line)

    def _ask(self, line: str) -> str | None:
        process = self._process
        if process.stdout is None:
            return None
        try:
            print(line, file=process.stdin, flush=True)
        except OSError:
            return None
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
        return process.stdout.readline() or None if ready else None

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"OPENBLAS_NUM_THREADS": "1"},
            cwd=tempfile.gettempdir(),
            text=True,
        )
        print(
            json.dumps({"dataset": self._dataset, "settings": self._settings}), file=process.stdin, flush=True
        )
        return process

    def __del__(self) -> None:
        self.close()
