"""The models that are timed: the embedded one, or random weights of a real shape."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
import yaml
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

import madbench
from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.local.loading import Loaded, load, loaded
from madbench.engines.settings import Batch
from madbench.engines.transformers import TransformersModel

SHAPES = {
    "1b": {
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
    },
    "8b": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
    },
}


def settings(device: str, dtype: str, batch: Batch) -> TransformersModel:
    """The embedded model's settings."""
    package = Path(madbench.__file__).parent
    places = [folder / "conf" / "model" / "smollm2_135m.yaml" for folder in (package, package.parent)]
    raw = yaml.safe_load(next(path for path in places if path.exists()).read_text(encoding="utf-8"))
    del raw["_target_"]
    return TransformersModel(**(raw | {"device": device, "dtype": dtype, "batch": batch}))


def embedded(device: str, dtype: str, rows: int) -> tuple[Loaded, Loaded, TransformersModel]:
    """The model as madbench runs it, the same as transformers loads it, and settings."""
    ours = settings(device, dtype, Batch(rows=rows))
    plain = load(settings(device, dtype, Batch(rows=rows, packed_megabytes=0)))
    plain.model.set_attn_implementation(ours.attention)
    return load(ours), plain, ours


def shaped(shape: str, device: str, dtype: str, rows: int) -> tuple[Loaded, TransformersModel]:
    """Random weights of a Llama shape, spoken to as the embedded model; no end token, so that lengths are drawn."""
    ours = settings(device, dtype, Batch(rows=rows))
    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    config = LlamaConfig(
        vocab_size=128_256, num_key_value_heads=8, max_position_embeddings=8192, **SHAPES[shape]
    )
    torch.set_default_dtype(getattr(torch, dtype))
    with torch.device(chosen):
        model = LlamaForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
    words = AutoTokenizer.from_pretrained(ours.weights.fetch().folder)
    made = loaded(model, ChatFormat(words, Chat(), shape), shape)
    return replace(made, wording=replace(made.wording, ends=frozenset(), stops=())), ours
