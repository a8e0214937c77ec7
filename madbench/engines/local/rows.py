"""One row of a batch: what was asked, what it has produced, and the completion it comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from madbench.engines.grammar import Matcher
from madbench.engines.jobs import Job
from madbench.engines.local.sampling import Draw
from madbench.types import Completion

Decode = Callable[[Sequence[int]], str]
"""Token ids to text, special tokens left out."""


@dataclass(slots=True, eq=False)
class Row:
    job: Job
    matcher: Matcher | None = None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def draw(self) -> Draw:
        asked = self.job.request
        return Draw(asked.sampling.temperature, asked.sampling.top_p, asked.seed, len(self.tokens))

    @property
    def held(self) -> int:
        """Tokens whose keys and values are stored: all but the one that was drawn last."""
        return len(self.job.ids) + max(0, len(self.tokens) - 1)

    def take(self, token: int, logprob: float, ends: frozenset[int]) -> Literal["stop", "length"] | None:
        """Add a token; say how the row ended, if it did. End tokens end it, and so does a completed grammar."""
        self.tokens.append(token)
        self.logprobs.append(logprob)
        if token in ends:
            return "stop"
        if self.matcher is not None and self.matcher.accept(token):
            return "stop"
        return "length" if len(self.tokens) == self.job.request.sampling.max_tokens else None

    def completion(
        self, finish: Literal["stop", "length"], decode: Decode, ends: frozenset[int]
    ) -> Completion:
        """Text and pieces without the end token; `output_tokens` counts every token drawn, the end token too."""
        shown = self.tokens[:-1] if self.tokens[-1] in ends else self.tokens
        texts = pieces(shown, decode)
        return Completion(
            text="".join(texts),
            finish=finish,
            prompt_tokens=len(self.job.ids),
            output_tokens=len(self.tokens),
            pieces=tuple(zip(texts, self.logprobs, strict=False)),
        )


def pieces(tokens: Sequence[int], decode: Decode) -> list[str]:
    """Each token's share of the text. A token that ends inside a character has an empty one."""
    texts: list[str] = []
    start = shown = 0
    for stop in range(1, len(tokens) + 1):
        before, now = decode(tokens[start:shown]), decode(tokens[start:stop])
        if now.endswith("�") and stop < len(tokens):
            texts.append("")
            continue
        texts.append(now[len(before) :])
        start, shown = shown, stop
    return texts
