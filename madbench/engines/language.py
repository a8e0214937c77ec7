"""What of a local model needs no weights: how prompts become tokens, and how many of them it holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pydantic import JsonValue

from madbench.engines.chat import ChatFormat
from madbench.engines.hashes import digest
from madbench.types import Message, Request


class Language:
    """`context` bounds prompt plus reply, in tokens. A reply ends at a token of `ends` or a text of `stops`."""

    def __init__(self, fingerprint: str, chat: ChatFormat, *, context: int, ends: frozenset[int]) -> None:
        self.context, self.ends, self.stops = context, ends, chat.stops
        self._fingerprint = fingerprint
        self._ids = lru_cache(maxsize=8192)(chat.ids)
        self.size = chat.size

    def ids(self, messages: tuple[Message, ...]) -> tuple[int, ...]:
        """The tokens of a prompt."""
        return self._ids(messages)

    def excess(self, request: Request) -> int:
        """Tokens by which prompt and reply exceed the context."""
        return len(self._ids(request.messages)) + request.sampling.max_tokens - self.context

    def identity(self, request: Request) -> str:
        """Hash over the fingerprint, the prompt's token ids, schema and sampling, and the seed unless greedy."""
        asked = request.sampling
        drawn: list[JsonValue] = [asked.temperature, asked.top_p, request.seed] if asked.temperature else []
        ids: Sequence[JsonValue] = self._ids(request.messages)
        return digest([self._fingerprint, [*ids], request.schema, asked.max_tokens, drawn])
