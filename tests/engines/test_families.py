"""Families whose attention differs: windows that slide, norms on queries and keys, learned positions, one key head."""

import asyncio

import pytest
import torch
import transformers
from engines import tiny

from madbench.engines.chat import Chat, ChatFormat
from madbench.engines.local import attention
from madbench.engines.local.attention import fit, fitted
from madbench.engines.local.loading import loaded
from madbench.engines.settings import Batch
from madbench.engines.transformers import TransformersEngine, TransformersModel
from madbench.engines.weights import Folder
from madbench.types import Message, Request, Sampling

SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "max_position_embeddings": 512,
    "initializer_range": 0.25,
}
FAMILIES = {
    "gemma3_text": {
        **SIZES,
        "head_dim": 8,
        "sliding_window": 16,
        "layer_types": ["sliding_attention"] * 2 + ["full_attention"],
    },
    "mistral": {**SIZES, "sliding_window": 16},
    "qwen3": {**SIZES, "head_dim": 8},
    "phi3": {**SIZES, "pad_token_id": 0},
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, "initializer_range": 0.25},
    "gpt_neox": {**{k: v for k, v in SIZES.items() if k != "num_key_value_heads"}, "rotary_pct": 0.5},
}


def made(family):
    torch.manual_seed(0)
    chat = ChatFormat(tiny.tokenizer(), Chat(), family)
    config = transformers.AutoConfig.for_model(
        family, vocab_size=len(chat.tokenizer), eos_token_id=2, **FAMILIES[family]
    )
    return transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval(), chat


def requests():
    start = "All of these begin alike, for longer than a window. "
    return [
        Request(
            (Message("user", start * (i % 3 > 0) + str(i) * (i % 4)),),
            Sampling(temperature=0, max_tokens=24),
            i,
        )
        for i in range(8)
    ]


@torch.inference_mode()
def alone(model, ids, count):
    ids, prompt = list(ids), len(ids)
    while len(ids) - prompt < count:
        ids.append(int(model(torch.tensor([ids]), use_cache=False).logits[0, -1].argmax()))
        if ids[-1] in (2, 4):
            break
    return ids[prompt:]


@pytest.mark.parametrize("call", [8, 1 << 20])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_rows_in_a_batch_with_stored_beginnings_equal_the_model_alone(family, call, tmp_path, monkeypatch):
    monkeypatch.setattr(attention, "_CALL", call)  # rows attend in many runs, or all together
    model, chat = made(family)
    fit(model, model.dtype)
    assert fitted(model)
    model.save_pretrained(tmp_path)
    settings = TransformersModel(name=family, weights=Folder(path=str(tmp_path)), batch=Batch(rows=5))

    async def run():
        engine = TransformersEngine(settings, loaded(model, chat, family))
        async with engine.scheduler.running():
            return await asyncio.gather(*(engine.generate(one) for one in requests()))

    for request, completion in zip(requests(), asyncio.run(run()), strict=True):
        tokens = alone(model, chat.ids(request.messages), 24)
        assert completion.output_tokens == len(tokens)
        assert completion.text == chat.text([token for token in tokens if token not in (2, 4)])
