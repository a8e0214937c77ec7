"""Counter-intuitive arithmetic: short questions whose first answer that comes to mind is wrong, drawn from templates.

Every right answer is derived from the numbers in the question, and every question knows its lure, the answer that
intuition gives. Made for debates in which one side must disagree (Liang et al., 2023, tested such questions).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers import NumberReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.types import InputError, Outcome, Problem, Sample, Target, seed_of


@dataclass(frozen=True, slots=True)
class Riddle:
    """A question, its right answer, and the wrong one that comes to mind."""

    question: str
    answer: int
    lure: int


Draw = Callable[[random.Random], Riddle]


def two_prices(rng: random.Random) -> Riddle:
    """The difference must fit between the two prices, so the cheap one costs half of what is left."""
    cheap, more = rng.randrange(2, 60), rng.randrange(20, 400, 2)
    total = 2 * cheap + more
    return Riddle(
        f"A pan and a lid cost {total} coins together. The pan costs {more} coins more than the lid. "
        "How many coins does the lid cost?",
        cheap,
        total - more,
    )


def there_and_back(rng: random.Random) -> Riddle:
    """The mean speed over equal ways is the harmonic mean."""
    out, back = rng.choice(
        ((10, 40), (20, 30), (30, 60), (40, 60), (60, 90), (20, 60), (30, 70), (12, 60), (60, 84))
    )
    way = rng.randrange(2, 40) * 60
    return Riddle(
        f"A van drives {way} km at {out} km/h and the same way back at {back} km/h. "
        "What is its average speed for the whole trip, in km/h?",
        2 * out * back // (out + back),
        (out + back) // 2,
    )


def doubling(rng: random.Random) -> Riddle:
    """What doubles each day was half a day before it was whole."""
    days, steps = rng.randrange(10, 90), rng.randrange(1, 4)
    part = {1: "half", 2: "a quarter", 3: "an eighth"}[steps]
    thing, place = rng.choice((("Algae", "pond"), ("Mould", "dish"), ("Weeds", "lake"), ("Moss", "wall")))
    return Riddle(
        f"{thing} cover twice as much of a {place} each day and cover all of it on day {days}. "
        f"On which day did they cover {part} of it?",
        days - steps,
        days // 2**steps,
    )


def same_pace(rng: random.Random) -> Riddle:
    """Twice the workers make twice the things in the same time."""
    few, many = rng.randrange(3, 30), rng.randrange(31, 300)
    maker, thing = rng.choice(
        (("machines", "bolts"), ("bakers", "loaves"), ("printers", "posters"), ("hens", "eggs"))
    )
    return Riddle(
        f"{few} {maker} take {few} hours to make {few} {thing}. "
        f"How many hours do {many} {maker} take to make {many} {thing}?",
        few,
        many,
    )


def posts(rng: random.Random) -> Riddle:
    """A straight row has one more post than gaps."""
    gap, gaps = rng.randrange(2, 13), rng.randrange(4, 60)
    return Riddle(
        f"A straight fence is {gap * gaps} metres long and has a post every {gap} metres, one at each end included. "
        "How many posts are there?",
        gaps + 1,
        gaps,
    )


def climbing(rng: random.Random) -> Riddle:
    """Nobody slips back from the top."""
    slip = rng.randrange(1, 6)
    up, days = slip + rng.randrange(1, 4), rng.randrange(4, 30)
    depth = up + (days - 1) * (up - slip)
    return Riddle(
        f"A snail sits at the bottom of a well {depth} metres deep. By day it climbs {up} metres, by night it slips "
        f"back {slip}. On which day does it reach the top?",
        days,
        -(-depth // (up - slip)),
    )


def up_and_down(rng: random.Random) -> Riddle:
    """A rise and an equal fall in percent end below the start."""
    percent, price = rng.choice((10, 20, 30, 40, 50)), 100 * rng.randrange(2, 90)
    return Riddle(
        f"A price of {price} coins rises by {percent} %, and then the new price falls by {percent} %. "
        "What is it then, in coins?",
        price * (100 + percent) * (100 - percent) // 10_000,
        price,
    )


def handshakes(rng: random.Random) -> Riddle:
    """Every handshake belongs to two people."""
    people, who = rng.randrange(5, 160), rng.choice(("people", "players", "guests", "delegates"))
    return Riddle(
        f"{people} {who} meet and each shakes hands once with every other. How many handshakes are there?",
        people * (people - 1) // 2,
        people * (people - 1),
    )


def cuts(rng: random.Random) -> Riddle:
    """The last piece needs no cut of its own."""
    pieces, minutes = rng.randrange(4, 40), rng.randrange(2, 15)
    return Riddle(
        f"Each cut through a plank takes {minutes} minutes. How many minutes does it take to cut it into {pieces} "
        "pieces, one cut after another and no two at once?",
        (pieces - 1) * minutes,
        pieces * minutes,
    )


def overtaking(rng: random.Random) -> Riddle:
    """Who overtakes a runner takes that runner's place."""
    place, runners = rng.randrange(2, 40), rng.randrange(50, 400)
    return Riddle(
        f"In a race of {runners} runners you overtake the one in place {place}. In which place are you now?",
        place,
        place - 1,
    )


TEMPLATES: tuple[Draw, ...] = (
    two_prices, there_and_back, doubling, same_pace, posts, climbing, up_and_down, handshakes, cuts, overtaking,
)  # fmt: skip


@dataclass(frozen=True)
class Counterintuitive:
    """`n` different questions, the templates in turn; one template's questions share a cluster.

    Seeds draw apart: a question belongs to the seed whose number its text hashes to, modulo `seeds`. The target's
    facts name the `lure`, and `score` tells whether an answer fell for it (`fact:lured`, a metric `lured`).
    """

    n: int = 100
    seed: int = 0
    seeds: int = 8
    name: str = "counterintuitive"

    def __post_init__(self) -> None:
        if self.n < 1 or not 0 <= self.seed < self.seeds:
            raise InputError(
                f"task: n={self.n}, seed={self.seed}; wanted n from 1 and seed from 0 to {self.seeds - 1}"
            )

    def samples(self) -> list[Sample]:
        """Raises InputError where a template has too few different questions for `n`."""
        found: dict[str, Sample] = {}
        for number in range(self.n):
            sample = self._fresh(number, found)
            found[sample.problem.id] = sample
        return list(found.values())

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target) | {"fact:lured": float(outcome.answer == target.facts["lure"])}

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _fresh(self, number: int, taken: Mapping[str, Sample]) -> Sample:
        """The next question of its template that is this seed's own and not there yet."""
        draw = TEMPLATES[number % len(TEMPLATES)]
        for attempt in range(1000):
            riddle = draw(random.Random(seed_of("riddle", draw.__name__, number // len(TEMPLATES), attempt)))
            identity = f"counterintuitive-{short_hash(riddle.question)}"
            ours = seed_of("seed", riddle.question) % self.seeds == self.seed
            if ours and identity not in taken and riddle.lure != riddle.answer:
                problem = Problem(identity, draw.__name__, riddle.question, NumberReader())
                return Sample(problem, Target(str(riddle.answer), {"lure": str(riddle.lure)}))
        raise InputError(
            f"task: n={self.n} is more than template {draw.__name__} has different questions for"
        )
