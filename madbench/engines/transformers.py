"""The default engine: a local model through transformers."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue, field_validator

from madbench.engines.batching import Scheduler
from madbench.engines.chat import Chat
from madbench.engines.hashes import digest
from madbench.engines.jobs import Job
from madbench.engines.weights import Weights
from madbench.types import Capability, Completion, ContextError, InputError, Request, Strict

if TYPE_CHECKING:
    from madbench.engines.local.loading import Loaded

Quantisation = Literal["none", "bitsandbytes_8bit", "bitsandbytes_4bit", "torchao_int8"]
"""How a dense checkpoint is quantised while it is loaded."""

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
"""Torch's threads sleep while they wait: on a shared machine spinning ones make a step ten times slower."""

_NEEDS = {"bitsandbytes": "bitsandbytes", "torchao": "torchao", "flash": "flash_attn"}


class Batch(Strict):
    """Budgets that change speed and no result: `rows` at once (halved when memory runs out), and how much
    memory may hold the beginnings that prompts share.
    """

    rows: int = Field(default=64, ge=1)
    prefix_megabytes: int = Field(default=1024, ge=0)


class TransformersModel(Strict):
    """Settings of a local model; building them loads nothing.

    `attention` is transformers' attn_implementation; `device` auto is the GPU if there is one. The model
    owner's generation defaults never apply: only a request's own sampling does.
    """

    name: str
    weights: Weights
    chat: Chat = Chat()
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"
    quantisation: Quantisation = "none"
    attention: str = "sdpa"
    device: str = "auto"
    batch: Batch = Batch()

    @field_validator("name")
    @classmethod
    def _folder_name(cls, name: str) -> str:
        """The last part of a hub id or path, with nothing in it that a folder's name may not hold."""
        return re.sub(r"[^\w.-]+", "_", name.rstrip("/").rpartition("/")[2]) or "model"

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability)

    def fingerprint(self) -> str:
        """Resolved revision or content hash of the weights, dtype, quantisation and chat format, hashed."""
        chat = self.chat.model_dump(mode="json")
        return digest([self.weights.identity(), self.dtype, self.quantisation, chat])

    def check(self) -> None:
        """Raise InputError for weights that are missing or unsupported and for packages that are not installed."""
        for word, package in _NEEDS.items():
            wanted = f"{self.quantisation} {self.attention}"
            if word in wanted and find_spec(package) is None:
                raise InputError(
                    f"model {self.name}: {wanted} needs the package {package}: pip install {package}"
                )
        self.weights.check()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransformersEngine]:
        """Load the model and run it as long as the context lasts. Raises InputError as `check`."""
        from madbench.engines.local.loading import load

        self.check()
        engine = TransformersEngine(self, await asyncio.to_thread(load, self))
        async with engine.scheduler.running():
            yield engine


class TransformersEngine:
    """A loaded model."""

    def __init__(self, settings: TransformersModel, loaded: Loaded) -> None:
        self._settings, self._loaded = settings, loaded
        self._fingerprint = settings.fingerprint()
        self._ids = lru_cache(maxsize=8192)(loaded.chat.ids)
        self.scheduler = Scheduler(loaded.decoder(settings.batch.prefix_megabytes << 20), settings.batch.rows)

    async def generate(self, request: Request) -> Completion:
        """Complete one request.

        Raises ContextError if it does not fit, InputError for a schema that cannot be held, EngineError
        where the model failed.
        """
        if (over := self.excess(request)) > 0:
            raise ContextError(
                f"prompt and reply exceed the context of {self._loaded.context} by {over} tokens"
            )
        if request.schema is not None:
            self._loaded.wording.check(request.schema)
        return await self.scheduler.complete(Job(request, self._ids(request.messages)))

    def excess(self, request: Request) -> int:
        """Tokens by which prompt and reply exceed the context."""
        return len(self._ids(request.messages)) + request.sampling.max_tokens - self._loaded.context

    def identity(self, request: Request) -> str:
        """Hash over the fingerprint, the prompt's token ids, schema and sampling, and the seed unless greedy."""
        asked = request.sampling
        drawn: list[JsonValue] = [asked.temperature, asked.top_p, request.seed] if asked.temperature else []
        ids: list[JsonValue] = [*self._ids(request.messages)]
        return digest([self._fingerprint, ids, request.schema, asked.max_tokens, drawn])

    def facts(self) -> dict[str, JsonValue]:
        """What a manifest says of this engine: effective settings, device, versions, and the batch limit now."""
        load = self.scheduler.load
        return {
            **self._loaded.facts(),
            "settings": self._settings.model_dump(mode="json"),
            "fingerprint": self._fingerprint,
            "batch": {"limit": load.limit, "halvings": load.halvings, "widest": load.widest},
        }
