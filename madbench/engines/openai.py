"""Models behind any server that speaks OpenAI's chat completions: OpenAI's own, vLLM, llama.cpp, Ollama, and others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pydantic import JsonValue

from madbench.engines.budget import Purse
from madbench.engines.hashes import request_identity
from madbench.engines.server_settings import ServerSettings
from madbench.engines.wire import answer_in, body_of, completion_of
from madbench.types import Completion, ContextError, EngineError, InputError, MadbenchError, Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI

UNKNOWN = 1 << 30
"""Stands for a context that only the server knows."""
PER_MESSAGE = 16
"""Tokens that a chat template may put around a message."""
TOO_LONG = re.compile(r"context.{0,12}(length|size|window)|maximum context|too many tokens", re.IGNORECASE)
WITHHELD = re.compile(r"content.?(filter|policy)|invalid_prompt", re.IGNORECASE)


class OpenAIModel(ServerSettings):
    """A model behind such a server."""

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[OpenAIEngine]:
        """Call the server as long as the context lasts. Raises InputError as `check`, and where nobody answers."""
        from openai import APIConnectionError, APIStatusError, AsyncOpenAI

        self.check()
        traffic = self.traffic
        async with AsyncOpenAI(
            api_key=self.key or "none",
            base_url=self.base_url,
            max_retries=traffic.retries,
            timeout=traffic.timeout_seconds,
        ) as client:
            try:
                await client.get("/models", cast_to=str)
            except APIStatusError:
                pass  # somebody answers
            except APIConnectionError as error:
                raise InputError(
                    f"model {self.name}: no server answers at {self.base_url} ({error.__cause__ or error})"
                ) from None
            yield OpenAIEngine(self, client)


class OpenAIEngine:
    """A server, called by at most so many at a time."""

    def __init__(self, settings: ServerSettings, client: AsyncOpenAI) -> None:
        self.purse = Purse(settings.budget, settings.name)
        self._settings, self._client = settings, client
        self._fingerprint = settings.fingerprint()
        self._gate = asyncio.Semaphore(settings.traffic.concurrency)
        self._served: set[tuple[str, str]] = set()

    async def generate(self, request: Request) -> Completion:
        """Complete one request.

        Raises ContextError if it does not fit; EngineError where the server failed after all retries, or the
        budget is spent; InputError where it refuses what it is asked for, or counts no tokens.
        """
        if (over := self.excess(request)) > 0:
            raise ContextError(f"prompt and reply exceed the context by some {over} tokens")
        async with self._gate, self.purse.holding(most_tokens(request)) as pay:
            try:
                completion = await self._completed(request)
            except MadbenchError as error:
                raise type(error)(f"model {self._settings.name}: {error}") from None
            pay(completion)
        return completion

    def excess(self, request: Request) -> int:
        """Tokens by which prompt and reply exceed the declared context, by an estimate of the prompt's."""
        serving = self._settings.serving
        prompt = sum(
            -(-len(message.text.encode()) // serving.bytes_per_token) + PER_MESSAGE
            for message in request.messages
        )
        return int(prompt) + request.sampling.max_tokens - (serving.context or UNKNOWN)

    def identity(self, request: Request) -> str:
        return request_identity(self._fingerprint, request)

    def facts(self) -> dict[str, JsonValue]:
        """What a manifest says of this engine: its settings, what the server says it is, and what was spent."""
        served: list[JsonValue] = [[*said] for said in sorted(self._served)]
        return {
            "settings": self._settings.model_dump(mode="json"),
            "fingerprint": self._fingerprint,
            "served": served,
            "spent": {"calls": self.purse.calls, "tokens": self.purse.tokens},
        }

    async def _completed(self, request: Request) -> Completion:
        from openai import APIConnectionError, APIStatusError

        try:
            text = await self._client.post(
                "/chat/completions", cast_to=str, body=body_of(request, self._settings)
            )
        except APIStatusError as error:
            raise refused(error.status_code, self._without_key(error.response.text)) from None
        except APIConnectionError as error:
            raise EngineError(f"no answer: {error} ({error.__cause__!r})") from None
        answer = answer_in(self._without_key(text))
        self._served.add((answer.model or "", answer.system_fingerprint or ""))
        return completion_of(answer)

    def _without_key(self, text: str) -> str:
        """What a server said, should it repeat the key."""
        key = self._settings.key
        return spelled(key).sub(f"[{self._settings.key_variable}]", text) if key else text


def spelled(key: str) -> re.Pattern[str]:
    """A key, each letter as it is or as JSON may escape it."""
    return re.compile("".join(rf"(?:\\?{re.escape(letter)}|(?i:\\u{ord(letter):04x}))" for letter in key))


def most_tokens(request: Request) -> int:
    """An upper bound of what a request costs: no tokenizer writes more tokens than bytes."""
    prompt = sum(len(message.text.encode()) + PER_MESSAGE for message in request.messages)
    return prompt + request.sampling.max_tokens


def refused(status: int, said: str) -> MadbenchError:
    """What a status and what was said with it mean; those worth another attempt were tried again before."""
    told = f"status {status}: {' '.join(said.split())[:400]}"
    if status in (408, 409, 429) or status >= 500 or WITHHELD.search(said):
        return EngineError(told)
    if status == 413 or TOO_LONG.search(said):
        return ContextError(told)
    return InputError(told)
