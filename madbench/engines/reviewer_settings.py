"""How well a simulated reviewer reviews, and how it argues: probabilities and rates."""

from __future__ import annotations

from dataclasses import dataclass, fields

from madbench.types import InputError


@dataclass(frozen=True, slots=True)
class Reviewing:
    """How well it reviews. `sure_real` and `sure_false` are the confidences that it states with findings."""

    recall: float = 0.6
    false_alarms: float = 0.5
    adopts: float = 0.0
    sure_real: float = 0.8
    sure_false: float = 0.4


@dataclass(frozen=True, slots=True)
class Arguing:
    """How it argues: probabilities, by whether the claim at stake is real.

    A claim that is not objected to is accepted with `accepts`, else passed over. An objection that is not conceded is
    carried without a reason with `cheap`, or, where the prompt demands a specific reason, with `cheap_when_strict`;
    else it is rebutted for a reason of its own. What was answered and not conceded is withdrawn with `withdraws`.
    """

    objects_real: float = 0.2
    objects_false: float = 0.7
    accepts: float = 0.5
    concedes_real: float = 0.1
    concedes_false: float = 0.6
    cheap: float = 0.6
    cheap_when_strict: float = 0.1
    withdraws: float = 0.2


def check_rates(settings: Reviewing | Arguing, where: str) -> None:
    """Raise InputError naming the first number that is no probability, or no rate."""
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        most = float("inf") if setting.name == "false_alarms" else 1.0
        if not 0 <= value <= most:
            raise InputError(f"{where}.{setting.name}: {value}; wanted 0 to {most:g}")
