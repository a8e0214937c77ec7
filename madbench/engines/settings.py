"""What describes a local model: plain settings that load nothing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from madbench.engines.chat import Chat
from madbench.engines.hashes import digest
from madbench.engines.names import ModelName
from madbench.engines.placement import Placing, refuse_missing, refuse_twice
from madbench.engines.weights import Place, Weights
from madbench.types import Capability, InputError, Strict

if TYPE_CHECKING:
    from madbench.engines.language import Language

Quantisation = Literal["none", "bitsandbytes_8bit", "bitsandbytes_4bit", "torchao_int8"]
"""How a dense checkpoint is quantised while it is loaded."""

_NEEDS = {"bitsandbytes": "bitsandbytes", "torchao": "torchao", "flash": "flash_attn"}


class Batch(Strict):
    """Budgets that change speed and no result: `rows` at once (halved when memory runs out), how much memory
    may hold the beginnings that prompts share, and how much a second copy of the weights that suits a CPU better.
    """

    rows: int = Field(default=64, ge=1)
    prefix_megabytes: int = Field(default=1024, ge=0)
    packed_megabytes: int = Field(default=4096, ge=0)


class SpokenSettings(Strict):
    """A model whose weights are here: where from, how it is spoken to, in which numbers it computes."""

    name: ModelName
    weights: Weights
    chat: Chat = Chat()
    dtype: Literal["bfloat16", "float16", "float32"] = "bfloat16"

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset(Capability)

    def fingerprint(self) -> str:
        """Resolved revision or content hash of the weights, dtype and chat format, hashed."""
        return digest([self.weights.identity(), self.dtype, self.chat.model_dump(mode="json")])

    def check(self) -> None:
        """Raise InputError for weights that are missing or unsupported."""
        self.weights.check()

    @property
    def bound(self) -> int | None:
        """Tokens of context that it may use at most; None: as many as the model has."""
        return None

    def language(self) -> Language:
        """What `excess` and `identity` of an open model say, without its weights.

        Raises InputError for weights or a tokenizer that cannot be had or cannot serve.
        """
        return self._language(self.weights.fetch())

    def language_here(self) -> Language | None:
        """The same if its tokenizer is on this machine already, else None; fetches nothing."""
        place = self.weights.words()
        return place and self._language(place)

    def _language(self, place: Place) -> Language:
        from madbench.engines.local.speaking import language

        return language(self, place, at_most=self.bound)


class LocalSettings(SpokenSettings):
    """A local model that transformers holds in memory.

    `attention` is transformers' attn_implementation; `device` auto is the GPU if there is one. `device_map` spreads
    a model that one device cannot hold: a way of transformers' own (auto, balanced, …), or a device by module. The
    model owner's generation defaults never apply: only a request's own sampling does.
    """

    quantisation: Quantisation = "none"
    attention: str = "sdpa"
    device: str = "auto"
    device_map: Placing = None
    batch: Batch = Batch()

    def fingerprint(self) -> str:
        """Resolved revision or content hash of the weights, dtype, quantisation and chat format, hashed."""
        chat = self.chat.model_dump(mode="json")
        return digest([self.weights.identity(), self.dtype, self.quantisation, chat])

    def check(self) -> None:
        """Raise InputError for weights, packages and devices that are missing or unsupported."""
        refuse_twice(self.name, self.device, self.device_map)
        refuse_missing(self.name, self.device, self.device_map)
        for word, package in _NEEDS.items():
            wanted = f"{self.quantisation} {self.attention}"
            if word in wanted and find_spec(package) is None:
                raise InputError(
                    f"model {self.name}: {wanted} needs the package {package}: pip install {package}"
                )
        super().check()
