"""Questions about generated passages: only the text tells the answer, and the wrong option stands in it too.

Made for judges who cannot read what debaters can (Khan et al., 2024); nothing needs to be downloaded.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from madbench.tasks.answers.passages import PassageChoiceReader
from madbench.tasks.hashing import content_hash, short_hash
from madbench.tasks.scoring import exact
from madbench.types import InputError, Outcome, Problem, Sample, Target, seed_of

PEOPLE = (
    "miller", "potter", "baker", "weaver", "smith", "tailor", "mason", "fisher", "cooper", "gardener", "shepherd",
    "carpenter", "cobbler", "glazier", "saddler", "thatcher",
)  # fmt: skip
PLACES = (
    "the mill", "the harbour", "the chapel", "the bridge", "the inn", "the orchard", "the quarry", "the ferry",
    "the tower", "the market", "the well", "the barn",
)  # fmt: skip
THINGS = (
    "a lantern", "a rope", "a letter", "a basket", "a ladder", "a kettle", "a drum", "a map", "a barrel", "a saw",
    "a net", "a bell",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ASIDES = (
    "The weather was dull and nobody stayed out for long.",
    "Most of the village heard about it only later.",
    "There was talk of it at the inn for weeks.",
    "The road was muddy and the carts were slow.",
    "Nobody could say afterwards who had thought of it first.",
    "A dog barked somewhere behind the houses.",
    "The bells were being mended and did not ring.",
)


@dataclass(frozen=True, slots=True)
class Fact:
    """What one person carried, from where, to where, and on which day."""

    person: str
    thing: str
    origin: str
    goal: str
    day: str

    @property
    def sentence(self) -> str:
        return f"On {self.day} the {self.person} carried {self.thing} from {self.origin} to {self.goal}."


ASKED: Mapping[str, str] = {
    "thing": "What did the {person} carry?",
    "origin": "From where did the {person} set out?",
    "goal": "Where did the {person} bring it?",
    "day": "On which day did the {person} carry something?",
}
"""What may be asked of a fact; the wrong option is the same detail of another fact in the passage."""


@dataclass(frozen=True)
class Passages:
    """`n` questions, each about a passage of its own with `people` people in it; the right option is A or B evenly."""

    n: int = 100
    people: int = 5
    seed: int = 0
    name: str = "passages"

    def __post_init__(self) -> None:
        most = len(DAYS)
        if self.n < 1 or not 2 <= self.people <= most:
            raise InputError(
                f"task: n={self.n}, people={self.people}; wanted n from 1 and 2 to {most} people"
            )

    def samples(self) -> list[Sample]:
        return [self._sample(number) for number in range(self.n)]

    def score(self, outcome: Outcome, target: Target) -> dict[str, float]:
        return exact(outcome, target)

    def facts(self) -> Mapping[str, JsonValue]:
        return {"rows": self.n, "content": self.content()}

    def content(self) -> str:
        """Hash over all items, in order."""
        return content_hash(self.samples())

    def _sample(self, number: int) -> Sample:
        rng = random.Random(seed_of("passage", self.seed, number))
        facts = _facts(rng, self.people)
        about, other = rng.sample(facts, 2)
        detail = rng.choice(sorted(ASKED))
        stem = ASKED[detail].format(person=about.person)
        right = rng.randrange(2)
        options = [str(getattr(fact, detail)) for fact in (about, other)][:: 1 - 2 * right]
        question = f"{stem}\nA) {options[0]}\nB) {options[1]}"
        passage = _passage(rng, facts)
        reader = PassageChoiceReader(options=tuple(options), stem=stem, passage=passage)
        identity = f"passages-{short_hash(passage + question)}"
        return Sample(Problem(identity, identity, question, reader), Target("AB"[right]))


def _facts(rng: random.Random, count: int) -> list[Fact]:
    """Facts that differ in every detail."""
    places = rng.sample(PLACES, min(2 * count, len(PLACES)))
    goals = rng.sample(PLACES, count)
    origins = [rng.choice([place for place in places if place != goal]) for goal in goals]
    while len(set(origins)) < count:
        origins = [rng.choice([place for place in PLACES if place != goal]) for goal in goals]
    columns = (rng.sample(PEOPLE, count), rng.sample(THINGS, count), origins, goals, rng.sample(DAYS, count))
    return [Fact(*row) for row in zip(*columns, strict=True)]


def _passage(rng: random.Random, facts: Sequence[Fact]) -> str:
    sentences = [fact.sentence for fact in facts] + rng.sample(ASIDES, min(len(facts), len(ASIDES)) // 2)
    return " ".join(rng.sample(sentences, len(sentences)))
