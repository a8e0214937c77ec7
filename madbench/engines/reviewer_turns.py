"""What a reviewer of known statistics says, given all that it was shown: its findings and its moves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from madbench.engines.filling import fields_of_lists, names_of_records
from madbench.engines.forms import Schema
from madbench.engines.review_marks import MarkedDocument, Place, documents_in, places_in
from madbench.engines.reviewer_arguments import SAYS, asked_in_words, records
from madbench.engines.reviewer_settings import Arguing, Reviewing
from madbench.types import Message

LINES = frozenset({"line", "line_start", "first"})
"""Names by which a list of findings is known among a form's lists."""


def given_to(
    reviewing: Reviewing,
    arguing: Arguing,
    messages: Sequence[Message],
    form: Schema | None,
    rng: random.Random,
) -> Mapping[str, JsonValue]:
    """The values of the form's lists, by name; nothing where none of them is a reviewer's business."""
    places = reported(reviewing, messages, rng)
    rows: list[JsonValue] = [dict(finding_row(place, reviewing)) for place in places or ()]
    if form is None:
        asked = asked_in_words(messages)
        said = {name: records(name, ids, arguing, messages, rng) for name, ids in asked.items()}
        return said if said or places is None else {"findings": rows}
    if places is None:
        rows = [{}] * count(reviewing.false_alarms, rng)
    lists = {name: rows for name, fields in fields_of_lists(form).items() if fields & LINES}
    return lists | {
        name: records(name, ids, arguing, messages, rng)
        for name, ids in names_of_records(form).items()
        if name in SAYS
    }


def reported(model: Reviewing, messages: Sequence[Message], rng: random.Random) -> list[Place] | None:
    """The places that it reports now; None where no marked document was shown."""
    if not (documents := documents_in(messages)):
        return None
    said = [message.text for message in messages if message.role == "assistant"]
    if not said:
        return alone(model, documents, rng)
    own = places_in(said[-1])
    taken = {place.reference for place in own}
    heard = [place for place in places_in(messages[-1].text) if place.reference not in taken]
    return [*own, *(place for place in heard if rng.random() < model.adopts)]


def alone(model: Reviewing, documents: Sequence[MarkedDocument], rng: random.Random) -> list[Place]:
    """Known issues, each by chance, and sound lines, as many as chance allows."""
    known = [(document.name, line) for document in documents for line in document.issues]
    sound = [(document.name, line) for document in documents for line in document.sound]
    real = [place for place in known if rng.random() < model.recall]
    false = rng.sample(sound, min(count(model.false_alarms, rng), len(sound)))
    worth = [(place, True) for place in real] + [(place, False) for place in false]
    return [Place(*place, real, f"{rng.getrandbits(32):08x}") for place, real in worth]


def count(rate: float, rng: random.Random) -> int:
    """One for each whole of a rate, and one more with the probability of the rest: the rate, on average."""
    return int(rate) + (rng.random() < rate % 1)


def finding_row(place: Place, model: Reviewing) -> dict[str, JsonValue]:
    """A finding under the names that forms have for its parts."""
    return {
        "document": place.document,
        "line": place.line,
        "line_start": place.line,
        "line_end": place.line,
        "text": place.text,
        "references": [place.reference],
        "confidence": model.sure_real if place.real else model.sure_false,
    }
