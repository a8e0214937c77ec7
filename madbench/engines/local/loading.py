"""Loading a model and its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from madbench.engines.chat import ChatFormat

if TYPE_CHECKING:
    from madbench.engines.transformers import TransformersModel


def load(settings: TransformersModel) -> tuple[PreTrainedModel, ChatFormat]:
    """The model, ready to run, and its way of writing conversations."""
    folder = settings.weights.fetch()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    chat = ChatFormat(tokenizer, settings.chat, settings.name)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, settings.dtype))
    model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    return model, chat


def end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """Every token that the tokenizer, the config or the generation config names as an end."""
    named = [tokenizer.eos_token_id, model.config.get_text_config().eos_token_id]
    named.append(getattr(model.generation_config, "eos_token_id", None))
    flat = [token for entry in named for token in (entry if isinstance(entry, list) else [entry])]
    return frozenset(token for token in flat if token is not None)
