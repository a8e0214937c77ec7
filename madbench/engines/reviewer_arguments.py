"""What a reviewer of known statistics says of claims, objections and answers, one record for each id."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pydantic import JsonValue

from madbench.engines.review_marks import Place, place_of
from madbench.engines.reviewer_settings import Arguing
from madbench.types import Message

Record = dict[str, JsonValue]


def stance(model: Arguing, place: Place, rng: random.Random) -> Record:
    """On a claim of another's."""
    objects = rng.random() < (model.objects_real if place.real else model.objects_false)
    accepts = rng.random() < model.accepts
    said = "OBJECTED" if objects else "ACCEPTED" if accepts else "PASSED"
    argument = f"Against {place.text}: {fresh_words(rng)}"
    return {"stance": said, "argument": argument, "evidence": [place.reference]}


def move(model: Arguing, place: Place, rng: random.Random) -> Record:
    """On an objection to a claim of its own."""
    concedes = rng.random() < (model.concedes_real if place.real else model.concedes_false)
    cheap = rng.random() < model.cheap
    if cheap and not concedes:
        return {"move": "CARRIED", "reason": "Carried.", "evidence": []}
    reason = f"{place.reference} shows {fresh_words(rng)}"
    return {"move": "CONCEDED" if concedes else "REBUTTED", "reason": reason, "evidence": [place.reference]}


def decision(model: Arguing, place: Place, rng: random.Random) -> Record:
    """On an objection of its own that was answered."""
    said = "WITHDRAWN" if rng.random() < model.withdraws else "MAINTAINED"
    return {"decision": said, "reason": f"{place.reference} still says {fresh_words(rng)}"}


def settlement(model: Arguing, place: Place, rng: random.Random) -> Record:
    """On a point that stayed open."""
    return {"would_resolve_if": f"Somebody shows {fresh_words(rng)} at {place.reference}"}


SAYS: Mapping[str, Callable[[Arguing, Place, random.Random], Record]] = MappingProxyType(
    {"claims": stance, "answers": move, "decisions": decision, "points": settlement}
)
"""What it is asked for, by the name of a form's records."""


STRICT = "specific technical reason"
"""What a prompt says that demands reasons."""
FORM = re.compile(r'\{"(' + "|".join(SAYS) + r')": \{')
ID = re.compile(r"(?<![\w/])([A-Z])/\d+(?:/\d+)?(?![\w/])")
SELF = re.compile(r"You are reviewer ([A-Z])\b")


def asked_in_words(messages: Sequence[Message]) -> dict[str, tuple[str, ...]]:
    """The records that the last message to describe a form asks for, and their ids; nothing where none does.

    Of claims those of other sides; of all else the objections.
    """
    for message in reversed(messages):
        if message.role != "assistant" and (form := FORM.search(message.text)):
            own = SELF.search(message.text)
            ids = {found[0]: found[1] for found in ID.finditer(message.text)}
            claims = form[1] == "claims"
            wanted = [name for name in ids if name.count("/") == (1 if claims else 2)]
            theirs = [name for name in wanted if not (claims and own and ids[name] == own[1])]
            return {form[1]: tuple(theirs)}
    return {}


LISTED = re.compile(r"^- (\S+) \(claim \S+\): ", re.MULTILINE)


def moves_in_lines(model: Arguing, messages: Sequence[Message], rng: random.Random) -> str | None:
    """A line for each objection that the last message lists without a form for answers; None where it lists none."""
    ids = LISTED.findall(messages[-1].text)
    said = records("answers", ids, model, messages, rng)
    lines = [f"{name}: {one['move']}, {one['reason']}" for name, one in said.items() if isinstance(one, dict)]
    return "\n".join(lines) if lines else None


def records(
    asked: str, ids: Sequence[str], model: Arguing, messages: Sequence[Message], rng: random.Random
) -> dict[str, JsonValue]:
    """One record for each id that something is known of."""
    if any(STRICT in message.text for message in messages if message.role != "assistant"):
        model = replace(model, cheap=model.cheap_when_strict)
    places = {name: place_of(name, messages) for name in ids}
    return {name: SAYS[asked](model, place, rng) for name, place in places.items() if place is not None}


def fresh_words(rng: random.Random) -> str:
    """Six words that nobody else has said."""
    return " ".join(
        "".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(4)) for _ in range(6)
    )
