"""What can be proved of a model's weights without reading them: they are all there, and of the right shapes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from transformers.utils.logging import disable_progress_bar, enable_progress_bar

from madbench.engines.families import refuse_missing
from madbench.engines.grammar import Grammars
from madbench.engines.local.speaking import ends_of
from madbench.engines.settings import SpokenSettings
from madbench.engines.weights import Place
from madbench.types import InputError


@dataclass(frozen=True, slots=True)
class Body:
    """How large a model is: weights, and their bytes; bytes of the cache that every token of context takes."""

    weights: int
    bytes: int
    cached: int


def prove(settings: SpokenSettings, place: Place) -> Body:
    """Load the model onto no device: every file's head is read, every weight's name and shape compared.

    Raises InputError for weights that are missing, cut short or of other shapes than the config's.
    """
    where = f"model {settings.name}: weights in {place.folder}"
    loud = logging.getLogger("transformers").level
    logging.getLogger("transformers").setLevel(logging.CRITICAL)
    disable_progress_bar()
    try:
        model, found = AutoModelForCausalLM.from_pretrained(
            place.folder,
            dtype=getattr(torch, settings.dtype),
            device_map={"": "meta"},
            output_loading_info=True,
            trust_remote_code=settings.weights.trust_remote_code,
        )
    except Exception as error:  # safetensors, transformers and the file system have one each for it
        raise InputError(f"{where} cannot be loaded: {str(error).splitlines()[0]}") from error
    finally:
        enable_progress_bar()
        logging.getLogger("transformers").setLevel(loud)
    refuse_missing(found["missing_keys"], where)
    size = model.dtype.itemsize
    shape = model.config.get_text_config()
    heads = getattr(shape, "num_key_value_heads", None) or getattr(shape, "num_attention_heads", 0)
    width = getattr(shape, "head_dim", None) or shape.hidden_size // max(1, shape.num_attention_heads)
    held = sum(weight.numel() * weight.dtype.itemsize for weight in model.parameters())
    return Body(model.num_parameters(), held, 2 * shape.num_hidden_layers * heads * width * size)


def grammars(settings: SpokenSettings, place: Place) -> Grammars:
    """What compiles schemas for the model's tokenizer, as it would when its weights are open."""
    source = {"gguf_file": place.gguf} if place.gguf else {}
    options = {"trust_remote_code": settings.weights.trust_remote_code, **source}
    tokenizer = AutoTokenizer.from_pretrained(place.folder, **options)
    shape = AutoConfig.from_pretrained(place.folder, **options).get_text_config()
    return Grammars(tokenizer, shape.vocab_size, ends_of(tokenizer, shape, None), settings.name)


def memory(*, gpu: bool, spread: bool) -> tuple[str, int]:
    """Where weights would lie, and how many bytes it has: the GPU if there is one and they may lie there, or all GPUs
    for models that are spread over them.
    """
    if gpu and torch.cuda.is_available():
        sizes = [
            torch.cuda.get_device_properties(number).total_memory
            for number in range(torch.cuda.device_count())
        ]
        return ("GPUs", sum(sizes)) if spread else ("GPU", sizes[0])
    import os

    return "main memory", os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
