"""Talking to models: settings, requests, completions, engines."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    text: str


class Strict(BaseModel):
    """Base of all that is read from outside: closed, frozen, no coercion."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Sampling(Strict):
    """Temperature 0 is greedy; then `top_p` and the seed mean nothing. `max_tokens` bounds new tokens."""

    temperature: float = Field(default=0.7, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    max_tokens: int = Field(default=512, ge=1)


class Contract(Strict):
    """How firmly a reply's form is held: asked for, validated and repaired, or decoded under a grammar."""

    wording: Literal["permissive", "strict"] = "strict"
    enforcement: Literal["prompt", "repair", "grammar"] = "prompt"
    repairs: int = Field(default=1, ge=0)


ContextPolicy = Literal["refuse", "drop_oldest", "cut_peers"]
"""What happens to a prompt beyond the model's context: end the episode, drop the oldest exchange, cut peers."""


class RoleSettings(Strict):
    """How a role is played, whichever model plays it; `templates` is a folder that shadows the prompts."""

    sampling: Sampling = Sampling()
    contract: Contract = Contract()
    context: ContextPolicy = "refuse"
    templates: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One generation, whole. Equal requests to equal models mean equal completions (float32)."""

    messages: tuple[Message, ...]
    sampling: Sampling
    seed: int
    schema: str | None = None
    """JSON schema (canonical JSON text) that the reply must satisfy by construction."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model gave back. Token counts are this row's own, padding excluded."""

    text: str
    finish: Literal["stop", "length"]
    prompt_tokens: int
    output_tokens: int
    pieces: tuple[tuple[str, float], ...] = ()
    """Each output token's text and natural-log probability at temperature 1; empty if not available."""


class Capability(StrEnum):
    SEEDED = "seeded"
    GRAMMAR = "grammar"
    LOGPROBS = "logprobs"
    PREFIX_REUSE = "prefix_reuse"


class Engine(Protocol):
    """One loaded model. Calls may overlap by the thousand; batching is the engine's own business."""

    async def generate(self, request: Request) -> Completion:
        """Complete one request. Raises ContextError if it does not fit, EngineError on infrastructure."""

    def excess(self, request: Request) -> int:
        """Tokens by which prompt plus `max_tokens` exceed the context; 0 or less fits."""

    def identity(self, request: Request) -> str:
        """Hash over the model's fingerprint, prompt token ids, schema, sampling and (unless greedy) seed."""


class Model(Protocol):
    """Settings of a model, frozen and cheap; building them loads nothing. Equal settings open once."""

    @property
    def name(self) -> str:
        """Short, fit for a folder's name."""

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    def fingerprint(self) -> str:
        """Identity of weights and numerics: resolved revision or content hash, dtype, quantisation."""

    def check(self) -> None:
        """Raise InputError now for what would fail at loading (missing file, unknown family, …)."""

    def open(self) -> AbstractAsyncContextManager[Engine]: ...
