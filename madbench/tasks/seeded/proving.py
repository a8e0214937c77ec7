"""Proofs that a fault changes behaviour: both versions run on the same inputs in a limited subprocess."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, TypeAdapter

from madbench.tasks.seeded.stdlib import Function
from madbench.types import EngineError

PROGRAM = Path(__file__).with_name("checker.py")
Trial = tuple[list[str], str]
Vector = list[str] | Literal["hang", "crash"]
"""What a function did with every input, as hashes; or why it did not come through them."""
FOUND = TypeAdapter(list[tuple[Trial, str]])
RAN = TypeAdapter(list[Vector])
SHOWN = TypeAdapter(list[tuple[str, str]])


class Checker:
    """The subprocess (see `checker.py`), started when first needed."""

    def search(self, function: Function, parameters: Sequence[str], required: int) -> list[tuple[Trial, str]]:
        """Inputs on which a function returns, or raises on purpose, each with what it does there; none if it dies."""
        found = self._ask(
            "search", function, [function.source], parameters=list(parameters), required=required
        )
        return FOUND.validate_python(found) if isinstance(found, list) else []

    def run(self, function: Function, texts: Sequence[str], trials: Sequence[Trial]) -> list[Vector]:
        """What each text of a function does with these inputs."""
        return RAN.validate_python(
            self._ask("run", function, texts, trials=list(trials)) or ["crash"] * len(texts)
        )

    def show(self, function: Function, trials: Sequence[Trial]) -> list[tuple[str, str]]:
        """Arguments and results as they are written, of those inputs where both are plain."""
        shown = self._ask("show", function, [function.source], trials=list(trials))
        return SHOWN.validate_python(shown) if isinstance(shown, list) else []

    def close(self) -> None:
        """End the subprocess; the next question starts another."""
        if "_process" in self.__dict__:
            self._process.kill()
            self._process.communicate()
            del self.__dict__["_process"]

    def _ask(self, do: str, function: Function, texts: Sequence[str], **more: object) -> JsonValue:
        request = {"do": do, "module": function.module, "name": function.name, "sources": list(texts), **more}
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise EngineError(f"the checker ended while it looked at {function.qualified}")
        reply: dict[str, JsonValue] = json.loads(line)
        return next(iter(reply.values())) if "error" not in reply else None

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-I", str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd=tempfile.gettempdir(),
            text=True,
        )

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def differs(one: Vector, other: Vector) -> float:
    """The share of inputs on which two versions do different things; 0 where one of them came to no end."""
    if isinstance(one, str) or isinstance(other, str):
        return 0.0
    return sum(a != b for a, b in zip(one, other, strict=True)) / len(one)
