"""Printed values of others beside ours, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from pydantic import JsonValue

from madbench.report.cells import defined, figures
from madbench.report.sheet import Sheet
from madbench.report.tables import NOTHING, label, shown
from madbench.types import Arm, Estimate, Published, Summary

HEADS = ("arm", "metric", "ours [95 %]", "n", "theirs [95 %]", "n", "their metric", "their setting", "source")
Pair = tuple[Published, Arm | None]


def published_table(summary: Summary) -> Sheet:
    """One row for each printed value and each arm (cast, task, seed) that it is set beside."""
    return Sheet("Beside what others printed", HEADS, tuple(_row(*pair, summary) for pair in pairs(summary)))


def differences(summary: Summary) -> list[str]:
    """What differs beside n, one line for each source and setting; then what is known of the printed values."""
    lines = [f"{value.source}: {'; '.join(_differs(value, arm))}" for value, arm in pairs(summary)]
    notes = [f"{value.source}: {note}" for value in summary.published for note in value.notes]
    return list(dict.fromkeys([*lines, *notes]))


def published_data(summary: Summary) -> list[JsonValue]:
    """The same as plain data."""
    return [
        {
            "source": value.source,
            "setting": dict(value.setting),
            "metric": value.metric,
            "printed": _plain(value.printed),
            "arm": value.arm,
            "task": None if arm is None else arm.task,
            "cast": None if arm is None else arm.cast,
            "our_metric": value.ours,
            "ours": _plain(_ours(value, arm)),
            "differs": [
                f"n: {value.printed.n or 'not printed'}, ours {_ours(value, arm).n}",
                *_differs(value, arm),
            ],
            "notes": list(value.notes),
        }
        for value, arm in pairs(summary)
    ]


def pairs(summary: Summary) -> list[Pair]:
    """Every printed value with every arm of its name; with None where there is no such arm."""
    arms, found = shown(summary.arms), list[Pair]()
    for value in summary.published:
        beside = [arm for arm in arms if arm.arm == value.arm]
        found += [(value, arm) for arm in beside] or [(value, None)]
    return found


def _row(value: Published, arm: Arm | None, summary: Summary) -> tuple[str, ...]:
    ours = _ours(value, arm)
    name = value.arm if arm is None else label(arm, shown(summary.arms))
    setting = ", ".join(filter(None, (value.setting["model"], value.setting["config"])))
    theirs = (figures(value.printed), str(value.printed.n or "–"), value.metric, setting, value.source)
    return (name, value.ours, figures(ours), str(ours.n), *theirs)


def _ours(value: Published, arm: Arm | None) -> Estimate:
    return NOTHING if arm is None else arm.metrics.get(value.ours, NOTHING)


def _differs(value: Published, arm: Arm | None) -> Iterator[str]:
    """Model and data as they are on both sides; then what the source's tables say of prompts and extraction."""
    if arm is None:
        yield f"{value.arm} was not run"
        return
    theirs, ours = value.setting, {"model": arm.cast, "task": arm.task}
    yield from (f"{what}: {theirs[what]}, ours {ours[what]}" for what in ours if theirs[what] != ours[what])
    yield from (f"{what}: {said}" for what, said in value.differs.items())


def _plain(estimate: Estimate) -> JsonValue:
    return {key: defined(number) if key != "n" else number for key, number in asdict(estimate).items()}
