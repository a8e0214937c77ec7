"""The default engine: a local model through transformers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import JsonValue

from madbench.engines.batching import Scheduler
from madbench.engines.jobs import Job
from madbench.engines.language import Language
from madbench.engines.settings import LocalSettings
from madbench.types import Completion, ContextError, Request

if TYPE_CHECKING:
    from madbench.engines.local.loading import Loaded

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
"""Torch's threads sleep while they wait: on a shared machine spinning ones make a step ten times slower."""


class TransformersModel(LocalSettings):
    """A local model that transformers loads and runs."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[TransformersEngine]:
        """Load the model and run it as long as the context lasts; its memory is free after that.

        Raises InputError as `check`.
        """
        from madbench.engines.local.loading import free, load

        self.check()
        engine = TransformersEngine(self, await asyncio.to_thread(load, self))
        try:
            async with engine.scheduler.running():
                yield engine
        finally:
            del engine
            free()


class TransformersEngine:
    """A loaded model."""

    def __init__(self, settings: TransformersModel, loaded: Loaded) -> None:
        self._settings, self._loaded = settings, loaded
        ends = loaded.wording.ends
        self._language = Language(settings.fingerprint(), loaded.chat, context=loaded.context, ends=ends)
        self._decoder = loaded.decoder(settings.batch.prefix_megabytes << 20)
        self.scheduler = Scheduler(self._decoder, settings.batch.rows)

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
        return await self.scheduler.complete(Job(request, self._language.ids(request.messages)))

    def excess(self, request: Request) -> int:
        return self._language.excess(request)

    def identity(self, request: Request) -> str:
        return self._language.identity(request)

    def facts(self) -> dict[str, JsonValue]:
        """What a manifest says of this engine: effective settings, device, versions, and the batch limit now."""
        load = self.scheduler.load
        return {
            **self._loaded.facts(),
            "settings": self._settings.model_dump(mode="json"),
            "fingerprint": self._settings.fingerprint(),
            "batch": {"limit": load.limit, "halvings": load.halvings, "widest": load.widest},
            **self._decoder.facts(),
        }
