"""Loading a model."""

from __future__ import annotations

import gc
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

import torch
from pydantic import JsonValue
from transformers import (
    AutoModelForCausalLM,
    BitsAndBytesConfig,
    GgufConfig,
    PreTrainedModel,
)

from madbench.engines.chat import ChatFormat
from madbench.engines.families import refuse_missing
from madbench.engines.grammar import Grammars
from madbench.engines.local.attention import fit
from madbench.engines.local.decoder import BatchDecoder
from madbench.engines.local.network import Network, devices_of
from madbench.engines.local.packed import arithmetic, pack, packed_layers
from madbench.engines.local.speaking import chat_of, ends_of, options_of
from madbench.engines.local.wording import Wording
from madbench.types import InputError

if TYPE_CHECKING:
    from madbench.engines.settings import LocalSettings, Quantisation
    from madbench.engines.weights import Place

_VERSIONS = ("torch", "transformers", "tokenizers", "llguidance", "gguf")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory and all that is known of its language. `context` is prompt plus reply in tokens."""

    model: PreTrainedModel
    chat: ChatFormat
    wording: Wording
    context: int

    def decoder(self, prefix_bytes: int) -> BatchDecoder:
        return BatchDecoder(Network(self.model), self.wording, prefix_bytes)

    def facts(self) -> dict[str, JsonValue]:
        """What loading came to, for a manifest."""
        defaults = self.model.generation_config
        return {
            "family": self.model.config.model_type,
            "dtype": str(self.model.dtype).removeprefix("torch."),
            "attention": self.model.config._attn_implementation,  # noqa: SLF001
            "device": ", ".join(map(_device_name, devices_of(self.model))),
            "threads": torch.get_num_threads(),
            "packed_linear_layers": packed_layers(self.model),
            "context": self.context,
            "shape": shape_of(self.model),
            "end_tokens": sorted(self.wording.ends),
            "chat": asdict(self.chat.facts),
            "owner_defaults_ignored": defaults.to_diff_dict() if defaults is not None else {},
            "versions": {package: version(package) for package in _VERSIONS},
        }


def shape_of(model: PreTrainedModel) -> dict[str, JsonValue] | None:
    """What the cost of a token depends on: weights that take part in it (an embedding that is only looked up does
    not), layers, and channels of attention. None for a family whose config does not say.
    """
    config = model.config.get_text_config()
    heads, layers = (getattr(config, name, None) for name in ("num_attention_heads", "num_hidden_layers"))
    hidden = getattr(config, "hidden_size", None)
    if not (heads and layers and hidden):
        return None
    looked_up = 0 if config.tie_word_embeddings else model.get_input_embeddings().weight.numel()
    width = heads * (getattr(config, "head_dim", None) or hidden // heads)
    return {"parameters": model.num_parameters() - looked_up, "layers": layers, "width": width}


def load(settings: LocalSettings) -> Loaded:
    """The model, ready to run. Raises InputError for a tokenizer that cannot serve and for weights that lack any."""
    place = settings.weights.fetch()
    chat = chat_of(settings, place)
    model, found = AutoModelForCausalLM.from_pretrained(
        place.folder,
        dtype=getattr(torch, settings.dtype),
        attn_implementation=settings.attention,
        device_map=settings.device_map or {"": _device(settings.device)},
        use_safetensors=None if place.gguf else True,
        output_loading_info=True,
        **options_of(settings, place),
        **_quantised(settings.quantisation, place),
    )
    refuse_missing(found["missing_keys"], f"model {settings.name}: weights in {place.folder}")
    made = loaded(model.eval(), chat, settings.name)
    pack(model, settings.batch.packed_megabytes)
    fit(model, arithmetic(model.dtype))
    return made


def free() -> None:
    """Give the memory of models that nobody holds any more back to the device."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def loaded(model: PreTrainedModel, chat: ChatFormat, name: str) -> Loaded:
    """A model that is in memory already, with its language."""
    if getattr(model, "_is_stateful", False):
        raise InputError(
            f"model {name}: family {model.config.model_type!r} keeps a state that is no cache of keys and values"
        )
    shape = model.config.get_text_config()
    ends = ends_of(chat.tokenizer, shape, model.generation_config)
    grammars = Grammars(chat.tokenizer, shape.vocab_size, ends, name)
    return Loaded(model, chat, Wording(chat.text, ends, chat.stops, grammars), shape.max_position_embeddings)


def _quantised(kind: Quantisation, place: Place) -> dict[str, object]:
    if place.gguf:
        return {"quantization_config": GgufConfig(dequantize=False)}
    if kind == "bitsandbytes_8bit":
        return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True)}
    if kind == "bitsandbytes_4bit":
        return {"quantization_config": BitsAndBytesConfig(load_in_4bit=True)}
    if kind == "torchao_int8":
        from torchao.quantization import Int8WeightOnlyConfig  # type: ignore[import-not-found]
        from transformers import TorchAoConfig

        return {"quantization_config": TorchAoConfig(Int8WeightOnlyConfig())}
    return {}


def _device(wanted: str) -> str:
    return ("cuda" if torch.cuda.is_available() else "cpu") if wanted == "auto" else wanted


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return f"cuda: {torch.cuda.get_device_name(device)}"
    return f"cpu: {platform.processor() or platform.machine()}"
