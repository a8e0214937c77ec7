"""What is asked, in the tokens of the models that would read it, as far as their tokenizers are on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from madbench.engines.language import Language
from madbench.run.job import samples_of
from madbench.sweep.identity import players
from madbench.sweep.planning import Planned
from madbench.sweep.pretending import repeated
from madbench.types import Model, Record, Turn

LETTERS = 4
"""Letters taken for a token where a model's own tokenizer is not here."""


@runtime_checkable
class Spoken(Protocol):
    """A model whose tokenizer may be on this machine."""

    def language_here(self) -> Language | None:
        """The tokenizer, with the context that it fills; None where it would have to be fetched."""


class Languages:
    """The tokenizers of a sweep's models, each loaded once."""

    def __init__(self) -> None:
        self._known: list[tuple[Model, Language | None]] = []

    def of(self, model: Model) -> Language | None:
        """None where its tokenizer is elsewhere, a server's say. Raises InputError for one that cannot serve."""
        for known, language in self._known:
            if known == model:
                return language
        language = model.language_here() if isinstance(model, Spoken) else None
        self._known.append((model, language))
        return language

    def reader(self, run: Planned, turn: Turn) -> tuple[Model, Language | None]:
        """Who would be asked, and its tokenizer."""
        seats = players(run.built, turn.speaker.role)
        model = seats[turn.speaker.seat % len(seats)]
        return model, self.of(model)


@dataclass(frozen=True, slots=True)
class Ask:
    """One ask of a rehearsed episode, as its model would read it.

    `tokens` are the prompt's, with every reply that it repeats as long as allowed; `more` is what the episodes of
    all the run's samples have beyond as many of this one, since their questions are longer or shorter. `context` is
    the model's, prompt and reply together (None: its tokenizer is not here, and tokens are guessed from letters).
    """

    turn: Turn
    model: str
    tokens: int
    more: int = 0
    context: int | None = None

    @property
    def counted(self) -> bool:
        """Whether the model's own tokenizer counted."""
        return self.context is not None

    @property
    def room(self) -> int:
        """Tokens that the reply may take."""
        return self.turn.request.sampling.max_tokens

    @property
    def excess(self) -> int:
        """Tokens by which prompt and reply may exceed the context; 0 where they fit, or nobody knows."""
        return 0 if self.context is None else max(0, self.tokens + self.room - self.context)


def asks_of(run: Planned, record: Record, languages: Languages) -> tuple[Ask, ...]:
    """All asks of a rehearsed episode. Raises InputError for a tokenizer that cannot serve."""
    questions = [sample.problem.prompt for sample in samples_of(run.built.task)[: run.config.extent.limit]]
    return tuple(_ask(turn, questions, *languages.reader(run, turn)) for turn in record.turns)


def _ask(turn: Turn, questions: Sequence[str], model: Model, language: Language | None) -> Ask:
    messages = turn.request.messages
    text = "\n".join(message.text for message in messages)
    tokens = len(text) // LETTERS if language is None else len(language.ids(messages))
    told = text.count(questions[0])
    longer = sum(_size(question, language) - _size(questions[0], language) for question in questions)
    context = None if language is None else language.context
    return Ask(turn, model.name, tokens + repeated(text), told * longer, context)


def _size(text: str, language: Language | None) -> int:
    return len(text) // LETTERS if language is None else language.size(text)
