"""Change plans: a release put on a host, step by step, with what undoes each step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from madbench.tasks.seeded.drafts import MARK, Contradiction, Draft, clock, other_number, swapped
from madbench.tasks.seeded.wording import World

PURPOSE = (
    "Review this change plan. Report where it contradicts itself: steps in an order that cannot work, numbers that do "
    "not agree, a change without a rollback, a reason that cannot be; maybe nowhere."
)


@dataclass(frozen=True, slots=True)
class Step:
    """What is done, what must be done before, and what undoes it (nothing: it changes nothing)."""

    key: str
    text: str
    needs: str = ""
    undo: str = ""


def steps_of(world: World) -> list[Step]:
    """All steps that a plan may have, in an order that works."""
    service, host, database = world.service, world.hosts[0], world.database
    return [
        Step("announce", f"Announce the start to {world.team}"),
        Step("backup", f"Back up {database}"),
        Step("restore", f"Restore the finished backup of {database} on a test host to try it", "backup"),
        Step(
            "drain", f"Take {host} out of the load balancer", undo=f"put {host} back into the load balancer"
        ),
        Step(
            "stop",
            f"Stop {service} on {host}, which is out of the load balancer",
            "drain",
            f"start {service} again",
        ),
        Step("migrate", f"Migrate {database}, now that its backup is there", "backup", "restore the backup"),
        Step(
            "install",
            f"Install {service} {world.new} on {host}, now stopped",
            "stop",
            f"install {world.old} again",
        ),
        Step("start", f"Start the new {service} {world.new}", "install", f"stop {service} {world.new}"),
        Step("smoke", f"Test {service} {world.new}, which is running", "start"),
        Step("flag", f"Turn on {world.flag} for the tested {service}", "smoke", f"turn off {world.flag}"),
        Step(
            "return", f"Put the tested {host} back into the load balancer", "smoke", f"take {host} out again"
        ),
        Step("close", f"Announce to {world.team} that all is done"),
    ]


OPTIONAL = ("restore", "flag", "migrate", "close", "announce")


def plan(world: World, number: int, rng: random.Random) -> Draft:
    """One plan of eight to twelve steps."""
    without = set(rng.sample(OPTIONAL, rng.randint(1, 4)))
    steps = [step for step in steps_of(world) if step.key not in without]
    minutes = [rng.choice((5, 10, 15, 20)) for _ in steps]
    start = rng.randrange(18 * 4, 23 * 4) * 15
    times = [*accumulate(minutes, initial=start)]
    rows = {
        "title": f"Change {number}: {world.service} {world.new}",
        "today": f"Today: {world.service} {world.old} runs on {len(world.hosts)} hosts ({', '.join(world.hosts)})",
        "reason": f"Reason: {world.service} {world.old}, the release in use, {world.trouble}",
        "window": f"Window: {clock(start)} to {clock(times[-1])}, {sum(minutes)} minutes, {len(steps)} steps",
        "steps": "Steps, one after the other",
    }
    for place, step in enumerate(steps):
        rows[step.key] = f"{place + 1}. {clock(times[place])}, {minutes[place]} min{MARK}{step.text}"
    rows["rollback"] = "Rollback, for every step that changes something"
    rows |= {f"undo {step.key}": f"- {step.key}{MARK}{step.undo}" for step in steps if step.undo}
    found = (*_orders(steps, rows), *_numbers(world, rows, (sum(minutes), len(steps)), rng))
    found += (*_times(steps, rows, times, rng), *_rollbacks(steps), _reason(world))
    return Draft("plan.md", PURPOSE, tuple(rows.items()), found)


def _orders(steps: Sequence[Step], rows: dict[str, str]) -> Iterator[Contradiction]:
    """A step before the one it needs, with no other step concerned."""
    keys = [step.key for step in steps]
    for step in steps:
        if step.needs and keys.index(step.key) == keys.index(step.needs) + 1:
            at = (step.needs, step.key)
            said = f"Step '{step.key}' comes before '{step.needs}', which it needs"
            yield Contradiction("order", said, at, swapped(*((key, rows[key]) for key in at)))


def _numbers(
    world: World, rows: dict[str, str], sums: tuple[int, int], rng: random.Random
) -> Iterator[Contradiction]:
    whole, count = sums
    wrong = other_number(whole, rng)
    said = f"The steps take {whole} minutes, not {wrong}"
    text = rows["window"].replace(f"{whole} minutes", f"{wrong} minutes")
    yield Contradiction("numbers", said, ("window",), {"window": text})
    wrong = other_number(count, rng)
    text = rows["window"].replace(f"{count} steps", f"{wrong} steps")
    yield Contradiction("numbers", f"There are {count} steps, not {wrong}", ("window",), {"window": text})
    hosts = len(world.hosts)
    wrong = other_number(hosts, rng)
    text = rows["today"].replace(f"{hosts} hosts", f"{wrong} hosts")
    yield Contradiction("numbers", f"{hosts} hosts are named, not {wrong}", ("today",), {"today": text})


def _times(
    steps: Sequence[Step], rows: dict[str, str], times: Sequence[int], rng: random.Random
) -> Iterator[Contradiction]:
    place = rng.randrange(1, len(steps))
    key, wrong = steps[place].key, clock(times[place] - 5)
    text = rows[key].replace(clock(times[place]), wrong, 1)
    said = f"Step '{key}' begins at {wrong}, before the one above it is over"
    yield Contradiction("numbers", said, (key,), {key: text})


def _rollbacks(steps: Sequence[Step]) -> Iterator[Contradiction]:
    for step in steps:
        if step.undo:
            said = f"Nothing undoes step '{step.key}', which changes something"
            yield Contradiction(
                "missing_rollback", said, (step.key, f"undo {step.key}"), missing=f"undo {step.key}"
            )


def _reason(world: World) -> Contradiction:
    said = f"{world.service} {world.new} cannot be the reason: it is only installed by this change"
    text = f"Reason: {world.service} {world.new}, the release in use, {world.trouble}"
    return Contradiction("impossible_cause", said, ("today", "reason"), {"reason": text})
