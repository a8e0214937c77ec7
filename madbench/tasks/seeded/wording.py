"""Names and phrases of made-up plans and incidents."""

from __future__ import annotations

import random
from dataclasses import dataclass

SERVICES = (
    "basket",
    "billing",
    "search",
    "mailer",
    "catalog",
    "login",
    "reports",
    "uploads",
    "pricing",
    "chat",
    "maps",
)
TEAMS = (
    "Team Blue",
    "Team Green",
    "Team North",
    "Team Harbor",
    "Team Cedar",
    "Team Delta",
    "Team Orbit",
    "Team Quartz",
)
PLACES = ("east", "west", "north", "south", "lab", "core", "edge", "blue")
DATABASES = ("orders", "members", "invoices", "sessions", "stock", "prices", "letters", "files")
FLAGS = ("fast_path", "new_index", "short_links", "warm_cache", "two_step", "strict_mode", "batch_mode")
TROUBLES = (
    "loses connections at night",
    "needs twice the memory it should",
    "answers slowly under load",
    "writes some entries twice",
    "forgets settings after a restart",
    "fails on long names",
)
ALERTS = (
    "Alert 'error rate'",
    "Alert 'slow answers'",
    "Alert 'queue length'",
    "Alert 'failed logins'",
    "Alert 'disk'",
)
EVENTS = (
    ("the rollout of {service} {new}", "try {service} {new} under load before it goes out again"),
    ("the change of the connection limit of {database}", "test limits of {database} on a copy"),
    ("the new certificate of {service}", "check certificates of {service} before they are used"),
    ("the import into {database}", "import into {database} at night, in parts"),
    ("the switch of {flag}", "turn on {flag} for one host first"),
    ("the move of {database} to another disk", "measure the disk before {database} moves"),
    ("the new rule of the firewall before {service}", "have rules read by two people"),
)


@dataclass(frozen=True, slots=True)
class Release:
    """What is installed, over what."""

    old: str
    new: str


@dataclass(frozen=True)
class World:
    """What a document is about."""

    service: str
    release: Release
    hosts: tuple[str, ...]
    database: str
    team: str
    phrases: dict[str, str]

    @property
    def old(self) -> str:
        return self.release.old

    @property
    def new(self) -> str:
        return self.release.new

    @property
    def flag(self) -> str:
        return self.phrases["flag"]

    @property
    def trouble(self) -> str:
        return self.phrases["trouble"]

    @property
    def alert(self) -> str:
        return self.phrases["alert"]

    @property
    def event(self) -> str:
        return self.phrases["event"]

    @property
    def lesson(self) -> str:
        return self.phrases["lesson"]


def drawn(rng: random.Random) -> World:
    """One of some billions."""
    service, database, flag = rng.choice(SERVICES), rng.choice(DATABASES), rng.choice(FLAGS)
    major, minor = rng.randint(1, 9), rng.randint(0, 8)
    release = Release(f"{major}.{minor}", f"{major}.{minor + 1}")
    place, first = rng.choice(PLACES), rng.randint(1, 60)
    hosts = tuple(f"{place}-{first + step}" for step in range(rng.randint(2, 5)))
    event, lesson = (
        text.format(service=service, new=release.new, database=database, flag=flag)
        for text in rng.choice(EVENTS)
    )
    phrases = {"flag": flag, "trouble": rng.choice(TROUBLES), "alert": rng.choice(ALERTS)}
    return World(
        service, release, hosts, database, rng.choice(TEAMS), {**phrases, "event": event, "lesson": lesson}
    )
