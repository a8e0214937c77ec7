"""What describes a model behind somebody else's server: plain settings that call nobody."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, JsonValue

from madbench.engines.budget import Budget
from madbench.engines.hashes import digest
from madbench.engines.names import ModelName
from madbench.types import Capability, InputError, Strict

Feature = Annotated[Capability, Field(strict=False)]
"""A capability by its name, as configs have it."""


class Serving(Strict):
    """What a server can do, as its user declares it.

    `features` are of seeded, grammar (response_format with a JSON schema) and logprobs. `context` is in tokens
    (None: only the server knows it); a prompt is counted as one token every `bytes_per_token`. `extra` goes into
    every request as it is: samplers that the server would use of its own accord are switched off there.
    """

    features: tuple[Feature, ...] = Field(default=(), strict=False)
    context: int | None = Field(default=None, ge=1)
    bytes_per_token: float = Field(default=3.0, gt=0)
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    extra: Mapping[str, JsonValue] = Field(default_factory=dict)


class Traffic(Strict):
    """How a server is called, which changes no reply: so many calls at once, `retries` of each with growing pauses."""

    concurrency: int = Field(default=16, ge=1, le=1000)
    retries: int = Field(default=5, ge=0)
    timeout_seconds: float = Field(default=600.0, gt=0)


class ServerSettings(Strict):
    """A model behind a server that speaks OpenAI's chat completions.

    `base_url` ends where `/chat/completions` begins. `revision` is whatever tells one state of the server's
    weights and software from the next: it is declared, nobody can check it. The key stands in the environment
    variable that `key_variable` names, and nowhere else.
    """

    name: ModelName
    base_url: str
    model: str = Field(min_length=1)
    revision: str = "undeclared"
    key_variable: str | None = Field(default=None, pattern=r"(?i)^\w*(key|token|secret|password)\w*$")
    serving: Serving = Serving()
    traffic: Traffic = Traffic()
    budget: Budget = Budget()

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(self.serving.features)

    @property
    def key(self) -> str:
        """The key, from the environment; empty without a variable."""
        return os.environ.get(self.key_variable, "") if self.key_variable else ""

    def fingerprint(self) -> str:
        """Server, model and declared revision, and what every request asks of them, hashed."""
        serving = self.serving.model_dump(mode="json", include={"features", "extra"})
        return digest([self.base_url.rstrip("/"), self.model, self.revision, serving])

    def check(self) -> None:
        """Raise InputError for an address that is none, a key that is missing, a package that is not installed."""
        if find_spec("openai") is None:
            raise InputError(
                f"model {self.name}: servers are called by the package openai: pip install openai"
            )
        parts = urlsplit(self.base_url)
        if parts.username or parts.password or parts.query:
            raise InputError(
                f"model {self.name}: base_url holds more than an address; a key belongs in an environment variable, "
                "which key_variable names"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"model {self.name}: base_url: wanted http(s)://host/v1, found {self.base_url!r}"
            )
        if self.key_variable and not self.key:
            raise InputError(f"model {self.name}: no key in the environment variable {self.key_variable}")
        if not re.fullmatch(r"[!-~]*", self.key):  # as a header it would be repeated in an error
            raise InputError(
                f"model {self.name}: the key in {self.key_variable} holds a blank, a line break or another character "
                "that no key has"
            )
