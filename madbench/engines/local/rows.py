"""One row of a batch: what was asked, what it has produced, and the completion it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from madbench.engines.grammar import Matcher
from madbench.engines.jobs import Job
from madbench.engines.local.sampling import Draw
from madbench.engines.local.wording import Wording
from madbench.types import Completion

Finish = Literal["stop", "length"]


@dataclass(slots=True, eq=False)
class Row:
    job: Job
    matcher: Matcher | None = None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.matcher is not None:
            self.tokens = self.matcher.forced(self.job.request.sampling.max_tokens - 1)

    @property
    def prompt(self) -> tuple[int, ...]:
        """What is run before the first token is drawn: the job's prompt, and what its grammar begins with."""
        return (*self.job.ids, *self.tokens)

    @property
    def draw(self) -> Draw:
        asked = self.job.request
        return Draw(asked.sampling.temperature, asked.sampling.top_p, asked.seed, len(self.tokens))

    @property
    def held(self) -> int:
        """Tokens whose keys and values are stored: all but the one that was drawn last."""
        return len(self.job.ids) + max(0, len(self.tokens) - 1)

    def take(self, token: int, logprob: float, wording: Wording) -> Finish | None:
        """Add a token; say how the row ended, if it did.

        End tokens end it, a completed grammar does, and a stop text of a plain format.
        """
        self.tokens.append(token)
        self.logprobs.append(logprob)
        if token in wording.ends or (self.matcher is not None and self.matcher.accept(token)):
            return "stop"
        if wording.stopped(self.tokens):
            return "stop"
        return "length" if len(self.tokens) == self.job.request.sampling.max_tokens else None

    def completion(self, finish: Finish, wording: Wording) -> Completion:
        """Text and pieces without the end token; `output_tokens` counts every token drawn, the end token too."""
        texts = wording.pieces(self.tokens)
        return Completion(
            text="".join(texts),
            finish=finish,
            prompt_tokens=len(self.job.ids),
            output_tokens=len(self.tokens),
            pieces=tuple(zip(texts, self.logprobs, strict=False)),
        )
