"""Local models through vLLM, for a GPU. Its calls were read against vLLM 0.33.0; it was not run by its authors."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pydantic import Field, JsonValue

from madbench.engines.hashes import digest
from madbench.engines.language import Language
from madbench.engines.placement import refuse_too_many
from madbench.engines.settings import SpokenSettings
from madbench.engines.wire import SEEDS, Token, pieces_of
from madbench.types import Completion, ContextError, EngineError, InputError, Request, Strict

if TYPE_CHECKING:
    from vllm import SamplingParams
    from vllm.outputs import RequestOutput
    from vllm.v1.engine.async_llm import AsyncLLM


class Card(Strict):
    """What of the machine a model may use: each layer split over `gpus` (tensor-parallel), the layers dealt out to
    `stages` of as many GPUs each (pipeline-parallel), and a share of their memory.
    """

    gpus: int = Field(default=1, ge=1)
    stages: int = Field(default=1, ge=1)
    memory: float = Field(default=0.9, gt=0, le=1)


class VllmModel(SpokenSettings):
    """A local model that vLLM loads and runs. `context` bounds it where the model's own would not fit the card."""

    card: Card = Card()
    context: int | None = Field(default=None, ge=1)

    def fingerprint(self) -> str:
        """As a model's own, of this engine and its version: its numbers are not another's."""
        return digest(["vllm", version("vllm") if find_spec("vllm") else "", super().fingerprint()])

    def check(self) -> None:
        """Raise InputError without vLLM, and for weights and GPUs that are missing or unsupported."""
        if find_spec("vllm") is None:
            raise InputError(
                f"model {self.name}: the engine vllm needs the package vllm (Linux and a GPU): pip install vllm; "
                "model@cast.default=hf runs the same weights through transformers"
            )
        refuse_too_many(self.name, self.card.gpus * self.card.stages)
        super().check()

    @property
    def bound(self) -> int | None:
        return self.context

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[VllmEngine]:
        """Load the model and run it as long as the context lasts. Raises InputError as `check`."""
        self.check()
        language = await asyncio.to_thread(self.language)
        engine = await self._engine(language.context)
        try:
            yield VllmEngine(self, language, engine)
        finally:
            engine.shutdown()

    async def _engine(self, context: int) -> AsyncLLM:
        """VLLM's own engine; a model owner's generation defaults are left out of it.

        White space in a grammar is the engine's setting, not a request's, and only two of its libraries know it.
        """
        from vllm.config import StructuredOutputsConfig
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        place = await asyncio.to_thread(self.weights.fetch)
        if place.gguf:
            raise InputError(f"model {self.name}: vllm takes unpacked weights here; say weights.unpack=true")
        return AsyncLLM.from_engine_args(
            AsyncEngineArgs(
                model=str(place.folder),
                dtype=self.dtype,
                tensor_parallel_size=self.card.gpus,
                pipeline_parallel_size=self.card.stages,
                gpu_memory_utilization=self.card.memory,
                max_model_len=context,
                enable_prefix_caching=True,
                generation_config="vllm",
                structured_outputs_config=StructuredOutputsConfig(
                    backend="guidance", disable_any_whitespace=True
                ),
                load_format="safetensors",
                trust_remote_code=self.weights.trust_remote_code,
            )
        )


class VllmEngine:
    """A loaded model; vLLM batches what is under way."""

    def __init__(self, settings: VllmModel, language: Language, engine: AsyncLLM) -> None:
        self._settings, self._language, self._engine = settings, language, engine
        self._numbers = itertools.count()

    async def generate(self, request: Request) -> Completion:
        """Complete one request. Raises ContextError if it does not fit, EngineError where vLLM failed."""
        if (over := self.excess(request)) > 0:
            raise ContextError(
                f"prompt and reply exceed the context of {self._language.context} by {over} tokens"
            )
        prompt = {"prompt_token_ids": list(self._language.ids(request.messages))}
        said = self._engine.generate(
            request_id=str(next(self._numbers)),
            prompt=prompt,
            sampling_params=sampling_of(request, self._language),
        )
        try:
            outputs = [output async for output in said]
        except Exception as error:
            raise EngineError(f"vllm: {type(error).__name__}: {error}") from error
        return completion_of(outputs)

    def excess(self, request: Request) -> int:
        return self._language.excess(request)

    def identity(self, request: Request) -> str:
        return self._language.identity(request)

    def facts(self) -> dict[str, JsonValue]:
        """What a manifest says of this engine."""
        return {
            "settings": self._settings.model_dump(mode="json"),
            "fingerprint": self._settings.fingerprint(),
            "context": self._language.context,
            "versions": {"vllm": version("vllm")},
        }


def sampling_of(request: Request, language: Language) -> SamplingParams:
    """A request's own sampling, with the log-probability of each token that was drawn."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

    sampling, form = request.sampling, request.schema and json.loads(request.schema)
    return SamplingParams(
        temperature=sampling.temperature,
        top_p=sampling.top_p if sampling.temperature else 1.0,
        max_tokens=sampling.max_tokens,
        seed=request.seed % SEEDS if sampling.temperature else None,
        stop=list(language.stops),
        stop_token_ids=sorted(language.ends),
        logprobs=0,
        structured_outputs=StructuredOutputsParams(json=form) if form else None,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def completion_of(outputs: Sequence[RequestOutput]) -> Completion:
    """Of the last output. Raises EngineError for a request that was given up."""
    if not outputs or outputs[-1].outputs[0].finish_reason not in ("stop", "length"):
        raise EngineError("vllm: the request was given up")
    last, said = outputs[-1], outputs[-1].outputs[0]
    drawn = [choices[token] for token, choices in zip(said.token_ids, said.logprobs or (), strict=False)]
    tokens = [Token(token=one.decoded_token or "", logprob=one.logprob) for one in drawn]
    counts = len(last.prompt_token_ids), len(said.token_ids)
    return Completion(said.text, said.finish_reason, *counts, pieces_of(tokens, said.text))
