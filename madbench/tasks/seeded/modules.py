"""The artifacts that faults are planted in: one to four functions of a module, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal

from madbench.tasks.seeded.disguise import bare, drawn_names, own_names, renamed
from madbench.tasks.seeded.edits import applied, lines_after
from madbench.tasks.seeded.mutations import sites
from madbench.tasks.seeded.sites import Kind, Site
from madbench.tasks.seeded.stdlib import Function, Library
from madbench.tasks.seeded.table import Proved

Disguise = Literal["none", "renamed"]
BETWEEN = "\n\n"
"""What stands between two functions."""
Fault = tuple[int, int]
"""A function by its place in the group, and a site of it by its number."""
Kinds = tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Planted:
    """One fault in the text that is shown: its lines, and what is wrong there."""

    function: str
    kind: Kind
    first: int
    last: int
    description: str
    exposure: int
    """Share of inputs that show it, in percent."""


@dataclass(frozen=True)
class Group:
    """Functions that are shown together: no fault of one can show in another."""

    rows: tuple[Proved, ...]
    functions: tuple[Function, ...]

    @property
    def name(self) -> str:
        return self.rows[0].group

    @cached_property
    def faults(self) -> list[dict[int, dict[Kinds, list[tuple[Fault, ...]]]]]:
        """For each of its functions all sets of faults that are proved, by their number and their kinds."""
        return [self._by_kind(place) for place in range(len(self.rows))]

    def _by_kind(self, place: int) -> dict[int, dict[Kinds, list[tuple[Fault, ...]]]]:
        found: dict[int, dict[Kinds, list[tuple[Fault, ...]]]] = {}
        every = sites(self.functions[place].source)
        for chosen in self.rows[place].faults:
            kinds = tuple(every[number].kind for number in chosen)
            same = found.setdefault(len(chosen), {}).setdefault(kinds, [])
            same.append(tuple((place, number) for number in chosen))
        return found


@dataclass(frozen=True)
class Shown:
    """A group's functions as they are shown: as they stand, or under other names."""

    group: Group
    texts: tuple[str, ...]
    names: tuple[str, ...]

    def with_faults(self, faults: Sequence[Fault]) -> tuple[str, tuple[Planted, ...]]:
        """The whole text with these faults in it, and where they are, in the order of their places."""
        parts: list[str] = []
        planted: list[Planted] = []
        for place, text in enumerate(self.texts):
            numbers = sorted(number for where, number in faults if where == place)
            above = sum(part.count("\n") for part in parts) + len(BETWEEN) * len(parts)
            all_sites = sites(text) if numbers else ()
            chosen = [all_sites[number] for number in numbers]
            edits = [site.edit for site in chosen]
            for site, number, lines in zip(chosen, numbers, lines_after(text, edits), strict=True):
                last = lines[0] + site.head - 1 if site.head else lines[1]
                planted.append(self._planted(place, number, site, (lines[0] + above, last + above)))
            parts.append(applied(text, edits))
        return BETWEEN.join(parts), tuple(planted)

    def _planted(self, place: int, number: int, site: Site, lines: tuple[int, int]) -> Planted:
        exposure = self.group.rows[place].exposure[number]
        return Planted(self.names[place], site.kind, *lines, site.description, exposure)

    def examples(self) -> list[str]:
        """What the functions give where they are right."""
        return [
            f"{name}({given}) gives {result}"
            for name, row in zip(self.names, self.group.rows, strict=True)
            for given, result in row.examples
        ]


def shown(group: Group, library: Library, disguise: Disguise, seed: int) -> Shown:
    """A group under its own names, or under names drawn from a seed."""
    sources = [function.source for function in group.functions]
    names = [function.name for function in group.functions]
    if disguise == "none":
        return Shown(group, tuple(sources), tuple(names))
    stripped = [bare(source) for source in sources]
    own = [name for text, f in zip(stripped, group.functions, strict=True) for name in _own(text, f, library)]
    drawn = drawn_names(own, seed)
    return Shown(
        group, tuple(renamed(text, drawn) for text in stripped), tuple(drawn[name] for name in names)
    )


def _own(text: str, function: Function, library: Library) -> list[str]:
    module = library.module(function.module)
    return own_names(text, module) if module else []


def groups(rows: Sequence[Proved]) -> dict[str, tuple[Proved, ...]]:
    """Rows by the artifact that they belong to."""
    return {name: tuple(members) for name, members in groupby(rows, key=lambda row: row.group)}


def available(rows: tuple[Proved, ...], library: Library) -> Group | str:
    """A group whose functions are all as they were when they were proved; else why it is left out."""
    functions = []
    for row in rows:
        function = library.function(row.module, row.name)
        if function is None:
            return "missing here"
        if function.digest != row.digest or len(sites(function.source)) != len(row.exposure):
            return "other source here"
        functions.append(function)
    return Group(rows, tuple(functions))
