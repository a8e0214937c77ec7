"""What an optimising sweeper is told of a job: metrics of its run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import JsonValue

from madbench.sweep.configs import Objective, Parts
from madbench.sweep.settings import TARGET
from madbench.types import InputError

if TYPE_CHECKING:
    from madbench.records.layout import RunFolder

OPTIMISERS = ("hydra_plugins.hydra_optuna_sweeper.", "hydra_plugins.hydra_nevergrad_sweeper.",
              "hydra_plugins.hydra_ax_sweeper.")  # fmt: skip
"""How the classes of sweepers are called that cannot go on without a number of every job."""
OURS = "madbench."
Number = float | tuple[float, ...]


def refuse_unknown(objective: Objective, parts: Parts) -> None:
    """Raises InputError for a name that no metric has. Where a protocol or a task is not ours, it may measure anything,
    and nothing is refused before it has.
    """
    from madbench.metrics import definitions, is_defined

    if not all(target.startswith(OURS) for part in (parts.task, parts.protocol) for target in _targets(part)):
        return
    for name in _names(objective):
        if not is_defined(name):
            near = "".join(f" ({one}?)" for one in get_close_matches(name, definitions(), 1))
            raise InputError(
                f"objective: no metric {name!r}{near}; there are {', '.join(sorted(definitions()))}, and those of "
                "rounds, roles, protocols and tasks, as in a run's metrics.json"
            )


def optimises(sweeper: str) -> bool:
    """Whether a sweeper, given by its class, is one of those that ask for numbers."""
    return sweeper.startswith(OPTIMISERS)


def refuse_without(objective: Objective, sweeper: str) -> None:
    """Raises InputError where a sweeper is to optimise nobody knows what."""
    if not objective and optimises(sweeper):
        raise InputError(
            f"objective: {sweeper.rpartition('.')[2]} needs a number of every job; name a metric, objective=accuracy "
            "(several, 'objective=[accuracy,calls]', for as many directions)"
        )


class Teller:
    """Reads numbers of finished runs for a sweeper, and prints of an undefined metric that it is, once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def number(self, objective: Objective, folder: RunFolder) -> Number | None:
        """The value of a run's metric, NaN where undefined; a tuple of several, in order; None for no name.

        Raises InputError for a name that this run has no metric of, naming those that it has.
        """
        if objective is None:
            return None
        from madbench.records.layout import read_json

        metrics = read_json(folder.metrics)["metrics"]
        values = tuple(self._value(name, metrics, folder.path.name) for name in _names(objective))
        return values[0] if isinstance(objective, str) else values

    def _value(self, name: str, metrics: Mapping[str, Mapping[str, float | None]], run: str) -> float:
        if name not in metrics:
            there = ", ".join(sorted(known for known, one in metrics.items() if one["value"] is not None))
            raise InputError(
                f"objective: no metric {name!r} in {run}, whose results are kept; there is {there}"
            )
        if (value := metrics[name]["value"]) is not None:
            return value
        if name not in self._said:
            self._said.add(name)
            print(
                f"objective: {name} is undefined in {run}; the sweeper is told nan there, and wherever it is",
                flush=True,
            )
        return math.nan


def _names(objective: Objective) -> tuple[str, ...]:
    return (objective,) if isinstance(objective, str) else objective or ()


def _targets(plain: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    """All classes that a part of a config names, however deep."""
    if isinstance(plain, Mapping):
        yield from (str(value) for key, value in plain.items() if key == TARGET)
    for inner in plain.values() if isinstance(plain, Mapping) else plain if isinstance(plain, list) else ():
        yield from _targets(inner)
