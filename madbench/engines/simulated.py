"""A model of known statistics and no weights: closed forms can be asserted on it, and harnesses loaded with it.

What it does, exactly. A synthetic question carries the mark `⟦truth=B options=ABCD⟧`; the last one in the
conversation counts. All draws come from the request's seed alone (greedy requests: from the prompt alone).

- *Alone*, it answers the truth with probability `accuracy`, else one of the other options, uniformly.
- *Asked again* (it has answered this question before in this conversation), it keeps its own last answer.
- *Shown answers of others* (`Answer: X` in the last message), it takes their majority with probability `conformity`.
  Options that tie for the majority are drawn from uniformly.
- With probability `mute`, a free-text reply carries no answer at all.
- *Without a mark*, one of the options listed in the question (`A) …`), or a number from 0 to 99, is drawn.
- *Under a schema*, it writes the smallest valid JSON: fields called `answer` follow the rules above, all
  others are drawn uniformly; longer free texts repeat the mark, as a faithful restatement would.
- The probability stated for every answer's token is `accuracy`: answers given alone are perfectly calibrated.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import random
import re
import zlib
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from madbench.engines.forms import Instance
from madbench.engines.hashes import request_identity as request_identity
from madbench.types import Capability, Completion, ContextError, InputError, Message, Request, seed_of

MARK = re.compile(r"⟦truth=(?P<truth>[^\s⟧]+)(?: options=(?P<options>[^\s⟧]*))?(?: of=(?P<of>\w+))?⟧")
ANSWER = re.compile(r"\banswer\"?:\s*[^\w\s-]{0,3}(-?\w+)", re.IGNORECASE)
OPTION = re.compile(r"^\s*\(?([A-Z])[).:]\s", re.MULTILINE)
WIDTH = 4
"""Characters that count as one token."""


@dataclass(frozen=True, slots=True)
class SimulatedModel:
    """Settings of a simulated model; the module says what it does.

    `choices` are the options of marks that list none. `context` bounds prompt plus reply in tokens (of four
    characters). `features` are the capabilities it declares; log-probabilities come only if named.
    """

    accuracy: float
    conformity: float = 0.0
    name: str = "simulated"
    choices: str = "ABCD"
    mute: float = 0.0
    seconds_per_call: float = 0.0
    context: int = 1 << 30
    features: tuple[str, ...] = ("seeded", "grammar", "logprobs")

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability(feature) for feature in self.features)

    def fingerprint(self) -> str:
        """Over what can change a reply: neither the name nor the time that a call takes."""
        settings = replace(self, name="", seconds_per_call=0.0)
        return hashlib.sha256(repr(settings).encode()).hexdigest()

    def check(self) -> None:
        for field in ("accuracy", "conformity", "mute"):
            if not 0 <= getattr(self, field) <= 1:
                raise InputError(f"model.{field}: {getattr(self, field)} is no probability; wanted 0 to 1")
        if unknown := set(self.features) - set(Capability):
            raise InputError(f"model.features: no {sorted(unknown)}; there are {[*Capability]}")

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[SimulatedEngine]:
        yield SimulatedEngine(self)


class Question(NamedTuple):
    """What a conversation is about: the truth, the options, and whose mark it is, however it was put again."""

    truth: str
    options: tuple[str, ...]
    of: str

    @property
    def mark(self) -> str:
        """The mark of the same question in other words."""
        return f"⟦truth={self.truth} options={','.join(self.options)} of={self.of}⟧"


class SimulatedEngine:
    """Answers at once; yields to the event loop on every call, so that episodes interleave."""

    def __init__(self, model: SimulatedModel) -> None:
        self._model, self._fingerprint = model, model.fingerprint()
        self._logprobs = Capability.LOGPROBS in model.capabilities

    async def generate(self, request: Request) -> Completion:
        if (over := self.excess(request)) > 0:
            raise ContextError(f"prompt exceeds the context by {over} tokens")
        await asyncio.sleep(self._model.seconds_per_call)
        return self._complete(request)

    def excess(self, request: Request) -> int:
        return prompt_tokens(request) + request.sampling.max_tokens - self._model.context

    def identity(self, request: Request) -> str:
        return request_identity(self._fingerprint, request)

    def _complete(self, request: Request) -> Completion:
        rng = rng_of(request)
        question = find_question(request.messages, self._model.choices)
        answer = self._answer(request.messages, question, rng)
        if request.schema is not None:
            text = Instance(answer, question.mark if question else "", rng).write(request.schema)
        elif self._model.mute and rng.random() < self._model.mute:
            text = f"Thought {rng.getrandbits(64):016x} leads me nowhere."
        else:
            text = f"Thought {rng.getrandbits(64):016x} leads me on.\nAnswer: {answer}"
        return self._completion(request, text, answer)

    def _answer(self, messages: tuple[Message, ...], question: Question | None, rng: random.Random) -> str:
        if question is None:
            listed = OPTION.findall(messages[-1].text)
            return rng.choice(listed) if listed else str(rng.randrange(100))
        own = own_answer(messages, question) or self._first(question, rng)
        heard = Counter(said for said in ANSWER.findall(messages[-1].text) if said in question.options)
        if not heard or rng.random() >= self._model.conformity:
            return own
        most = max(heard.values())
        return rng.choice([option for option in question.options if heard[option] == most])

    def _first(self, question: Question, rng: random.Random) -> str:
        wrong = [option for option in question.options if option != question.truth]
        right = not wrong or rng.random() < self._model.accuracy
        return question.truth if right else rng.choice(wrong)

    def _completion(self, request: Request, text: str, answer: str) -> Completion:
        room = request.sampling.max_tokens * WIDTH
        cut = text[:room]
        pieces = spelled(cut, answer, self._model.accuracy) if self._logprobs else ()
        counts = prompt_tokens(request), -(-len(cut) // WIDTH)
        return Completion(cut, "length" if len(text) > room else "stop", *counts, pieces)


def rng_of(request: Request) -> random.Random:
    """All draws of one reply: by the request's seed alone, or by the prompt alone where it is greedy."""
    greedy = request.sampling.temperature == 0
    return random.Random(seed_of(*request.messages) if greedy else request.seed)


def prompt_tokens(request: Request) -> int:
    return sum(len(message.text) // WIDTH + 1 for message in request.messages)


def find_question(messages: tuple[Message, ...], choices: str) -> Question | None:
    """The question that the last mark in the conversation belongs to; None without any."""
    for message in reversed(messages):
        if message.role != "assistant" and (marks := list(MARK.finditer(message.text))):
            last = marks[-1]
            return Question(last["truth"], split_options(last["options"] or choices), owner(last))
    return None


def owner(mark: re.Match[str]) -> str:
    """Which question a mark belongs to: a hash of the line it first stood in, handed on by restatements."""
    if mark["of"]:
        return mark["of"]
    text, stop = mark.string, mark.string.find("\n", mark.end())
    line = text[text.rfind("\n", 0, mark.start()) + 1 : len(text) if stop < 0 else stop]
    return f"{zlib.crc32(line.encode(errors='replace')):08x}"


def split_options(options: str) -> tuple[str, ...]:
    """`ABCD`, or words set apart by commas, bars or spaces."""
    parts = re.split(r"[,|\s]+", options.strip())
    return tuple(parts) if len(parts) > 1 else tuple(parts[0])


def own_answer(messages: tuple[Message, ...], question: Question) -> str | None:
    """The last answer that this conversation gave since the question was put; None if it gave none."""
    for place, message in enumerate(messages[:-1]):
        if message.role != "assistant" and question.of in map(owner, MARK.finditer(message.text)):
            return last_answer(messages[place:])
    return None


def last_answer(messages: tuple[Message, ...]) -> str | None:
    for message in reversed(messages):
        if message.role == "assistant" and (found := ANSWER.findall(message.text)):
            return str(found[-1])
    return None


def spelled(text: str, answer: str, probability: float) -> tuple[tuple[str, float], ...]:
    """The text in three pieces, the last of them the answer, with its probability."""
    head, found, tail = text.rpartition(answer)
    if not found:
        return ((text, 0.0),)
    sure = math.log(probability) if probability > 0 else -1e9
    pieces = ((head, 0.0), (found, sure), (tail, 0.0))
    return tuple(piece for piece in pieces if piece[0])
