"""The default engine: a local model through transformers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue

from madbench.engines.batching import Scheduler
from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.grammar import Grammars
from madbench.engines.jobs import Job
from madbench.engines.weights import Wheel
from madbench.types import Capability, Completion, ContextError, Request, Strict

if TYPE_CHECKING:
    from transformers import PreTrainedModel


class TransformersModel(Strict):
    """Settings of a local model; building them loads nothing."""

    name: str
    weights: Wheel
    chat: Chat = Chat()
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    rows: int = Field(default=64, ge=1)

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset({Capability.SEEDED, Capability.LOGPROBS, Capability.GRAMMAR})

    def fingerprint(self) -> str:
        """The weights' revision and the numerics."""
        return digest([self.weights.revision, self.dtype])

    def check(self) -> None:
        """Nothing yet."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransformersEngine]:
        """Load the model, run it as long as the context lasts."""
        from madbench.engines.local.loading import load

        model, chat = load(self)
        engine = TransformersEngine(self, model, chat)
        async with engine.scheduler.running():
            yield engine


class TransformersEngine:
    """A loaded model."""

    def __init__(self, settings: TransformersModel, model: PreTrainedModel, chat: ChatFormat) -> None:
        from madbench.engines.local.decoder import BatchDecoder
        from madbench.engines.local.loading import end_tokens
        from madbench.engines.local.network import Network
        from madbench.engines.local.wording import Wording

        self._chat, self._fingerprint = chat, settings.fingerprint()
        self._context: int = model.config.get_text_config().max_position_embeddings
        ends = end_tokens(model, chat.tokenizer)
        grammars = Grammars(chat.tokenizer, model.config.get_text_config().vocab_size, ends, settings.name)
        wording = Wording(chat.text, ends, chat.stops, grammars)
        self.scheduler = Scheduler(BatchDecoder(Network(model), wording, 1 << 30), settings.rows)

    async def generate(self, request: Request) -> Completion:
        """Complete one request. Raises ContextError if it does not fit, EngineError where the model failed."""
        ids = self._chat.ids(request.messages)
        if (over := len(ids) + request.sampling.max_tokens - self._context) > 0:
            raise ContextError(f"prompt and reply exceed the context by {over} tokens")
        return await self.scheduler.complete(Job(request, ids))

    def excess(self, request: Request) -> int:
        return len(self._chat.ids(request.messages)) + request.sampling.max_tokens - self._context

    def identity(self, request: Request) -> str:
        sampling = request.sampling
        drawn: list[JsonValue] = [sampling.temperature, sampling.top_p, request.seed]
        ids: list[JsonValue] = [*self._chat.ids(request.messages)]
        return digest(
            [
                self._fingerprint,
                ids,
                request.schema,
                sampling.max_tokens,
                drawn if sampling.temperature else [],
            ]
        )


def digest(parts: JsonValue) -> str:
    """A short hash over plain data."""
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
