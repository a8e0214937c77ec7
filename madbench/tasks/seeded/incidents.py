"""Timelines of incidents: what happened when, what it cost, and what it came from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from madbench.tasks.seeded.drafts import MARK, Contradiction, Draft, clock, other_number, swapped
from madbench.tasks.seeded.wording import World

PURPOSE = (
    "Review this account of an incident. Report where it contradicts itself: events out of order, numbers "
    "that do not agree, a missing rollback, a cause that cannot be; maybe nowhere."
)
EVENTS = (
    *(
        "event",
        "first",
        "alert",
        "taken",
        "peak",
        "restart",
        "result",
        "decided",
        "undoing",
        "undone",
        "quiet",
    ),
    "closed",
)
ORDERS = (
    ("restart", "result", "what came of the restart stands before the restart"),
    ("decided", "undoing", "what was decided is done before it is decided"),
    ("taken", "peak", "the team that took the alert looks before it took it"),
)


def incident(world: World, number: int, rng: random.Random) -> Draft:
    """One incident of ten to twelve events."""
    skipped = rng.choice(({"restart", "result"}, {"quiet"}, set[str]()))
    keys = [key for key in EVENTS if key not in skipped]
    start = rng.randrange(7 * 60, 20 * 60)
    gaps = [rng.randint(2, 14) for _ in keys[1:]]
    times = dict(zip(keys, accumulate(gaps, initial=start), strict=True))
    requests, share, peak = rng.randrange(20, 400) * 100, rng.randint(2, 9), rng.randint(11, 60)
    length = times["closed"] - times["first"]
    rows = {
        "title": f"Incident {number}: errors of {world.service}",
        "hosts": f"Concerned: {len(world.hosts)} hosts ({', '.join(world.hosts)}), team: {world.team}",
        "times": f"Began {clock(times['first'])}, over {clock(times['closed'])}, {length} minutes",
        "cost": f"Of {requests} requests {requests * share // 100} failed, {share} %; the peak was {peak} %",
        "undo": f"Rolled back at {clock(times['undone'])}, see below",
        "timeline": "Timeline",
        **{
            key: f"{clock(times[key])}{MARK}{text}"
            for key, text in _events(world, peak).items()
            if key in times
        },
        "cause": f"Cause: {world.event} at {clock(times['event'])}, before which there were no errors",
        "next": f"To do: {world.lesson}",
    }
    found = (*_orders(rows), *_numbers(world, rows, times, rng), *_cost(rows, (requests, share, peak), rng))
    return Draft(
        "incident.md", PURPOSE, tuple(rows.items()), (*found, _rollback(times), _cause(world, rows, times))
    )


def _events(world: World, peak: int) -> dict[str, str]:
    service, host = world.service, world.hosts[0]
    return {
        "event": f"{world.event[0].upper()}{world.event[1:]}",
        "first": f"First errors of {service} on {host}",
        "alert": f"{world.alert} fires",
        "taken": f"{world.team} takes the alert",
        "peak": f"{world.team}, on the alert, sees {peak} % errors, the peak",
        "restart": f"{host} is restarted",
        "result": f"The restart of {host} has changed nothing",
        "decided": "A rollback is decided",
        "undoing": "The rollback begins, as decided",
        "undone": "The rollback is done, errors fall",
        "quiet": f"{service} answers as fast as before",
        "closed": f"No errors of {service} any more, the incident is over",
    }


def _orders(rows: dict[str, str]) -> Iterator[Contradiction]:
    for first, second, said in ORDERS:
        if first in rows:
            texts = swapped((first, rows[first]), (second, rows[second]))
            yield Contradiction("order", f"Order: {said}", (first, second), texts)


def _numbers(
    world: World, rows: dict[str, str], times: dict[str, int], rng: random.Random
) -> Iterator[Contradiction]:
    length = times["closed"] - times["first"]
    wrong = other_number(length, rng)
    text = rows["times"].replace(f"{length} minutes", f"{wrong} minutes")
    yield Contradiction("numbers", f"It took {length} minutes, not {wrong}", ("times",), {"times": text})
    hosts = len(world.hosts)
    wrong = other_number(hosts, rng)
    text = rows["hosts"].replace(f"{hosts} hosts", f"{wrong} hosts")
    yield Contradiction("numbers", f"{hosts} hosts are named, not {wrong}", ("hosts",), {"hosts": text})
    over, wrong_time = clock(times["closed"]), clock(times["closed"] + 30)
    text = f"Began {clock(times['first'])}, over {wrong_time}, {length + 30} minutes"
    said = f"It was over at {over} by the timeline, not at {wrong_time}"
    yield Contradiction("numbers", said, ("times", "closed"), {"times": text})


def _cost(rows: dict[str, str], known: tuple[int, int, int], rng: random.Random) -> Iterator[Contradiction]:
    requests, share, peak = known
    wrong = share + rng.choice((1, 2, 3))
    said = f"{requests * share // 100} of {requests} are {share} %, not {wrong} %"
    text = rows["cost"].replace(f"failed, {share} %", f"failed, {wrong} %")
    yield Contradiction("numbers", said, ("cost",), {"cost": text})
    wrong = other_number(peak, rng)
    text = rows["cost"].replace(f"peak was {peak} %", f"peak was {wrong} %")
    yield Contradiction(
        "numbers", f"The peak seen was {peak} %, not {wrong} %", ("cost", "peak"), {"cost": text}
    )


def _rollback(times: dict[str, int]) -> Contradiction:
    said = f"The rollback of {clock(times['undone'])} is missing in the timeline"
    return Contradiction("missing_rollback", said, ("undo", "undone"), missing="undone")


def _cause(world: World, rows: dict[str, str], times: dict[str, int]) -> Contradiction:
    """What is called the cause comes after the first errors, in the timeline too."""
    late = clock((times["first"] + times["alert"] + 1) // 2)
    texts = {key: rows[key].replace(clock(times["event"]), late) for key in ("event", "cause")}
    said = f"{world.event} at {late} cannot be the cause of errors that began at {clock(times['first'])}"
    return Contradiction(
        "impossible_cause", said, ("first", "event", "cause"), texts, moved="event", below="first"
    )
