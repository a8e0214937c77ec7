"""What is fuzzed: every parser that reads text of models, configs or files, with seeds that we wrote.

A target takes bytes. It returns, or raises one of the errors that it documents (`raises`); anything else is a crash,
and so is a longer time than `BOUND`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fuzz import files, rows, texts

from madbench.types import InputError

BOUND = 2.0
"""Seconds of computing that a target may take for an input of a few kilobytes."""


@dataclass(frozen=True)
class Target:
    name: str
    entry: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    raises: tuple[type[Exception], ...] = ()
    text: bool = True

    def __call__(self, data: bytes) -> None:
        try:
            self.entry(data)
        except self.raises:
            return


def _targets():
    for name, (entry, seeds) in texts.TARGETS.items():
        yield Target(name, entry, tuple(seed.encode() for seed in seeds))
    for name, (entry, seeds, raises) in rows.TARGETS.items():
        yield Target(name, entry, tuple(seed.encode() for seed in seeds), (InputError, *raises))
    for name, (entry, seeds, raises) in files.TARGETS.items():
        yield Target(name, entry, tuple(seeds), (InputError, *raises), text=False)


TARGETS = {target.name: target for target in _targets()}
