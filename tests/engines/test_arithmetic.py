"""The account of a million debates rests on the shapes that real models have."""

import runpy
from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

SCRIPT = Path(__file__).parents[2] / "experiments" / "throughput" / "arithmetic.py"
A = runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    "shape", [{}, {"hidden": 256, "inner": 640, "layers": 3, "heads": 8, "key_heads": 2}]
)
def test_weights_and_keys_and_values_are_those_of_such_a_model(shape):
    told = A["Decoder"](**shape)
    config = LlamaConfig(
        vocab_size=told.vocabulary,
        hidden_size=told.hidden,
        intermediate_size=told.inner,
        num_hidden_layers=told.layers,
        num_attention_heads=told.heads,
        num_key_value_heads=told.key_heads,
        dtype=torch.bfloat16,
    )
    with torch.device("meta"), torch.inference_mode():
        model = LlamaForCausalLM(config).to(torch.bfloat16)
        cache = model(torch.zeros(1, 7, dtype=torch.long), use_cache=True).past_key_values
    held = [buffer for layer in cache.layers for buffer in (layer.keys, layer.values)]
    assert sum(buffer.numel() * buffer.element_size() for buffer in held) == 7 * told.cache_bytes
    assert model.num_parameters() == told.parameters
    assert model.get_memory_footprint(return_buffers=False) == told.weight_bytes


def test_tokens_are_counted_ask_by_ask():
    talk = A["Talk"](shots=600, question=100, reply=200, told=60, agents=3, exchanges=2)
    assert talk.prompts == [700, 700 + 200 + 560, 700 + 2 * 760]
    assert (talk.calls, talk.sent, talk.said) == (9, 3 * (700 + 1460 + 2220), 1800)
    assert talk.computed == 100 + 6 * 560
    assert talk.attended(reuse=False) == 3 * sum(n * n / 2 for n in talk.prompts)
    new = 560 * (1460 - 280) + 560 * (2220 - 280)
    assert talk.attended(reuse=True) == 100 * (700 - 50) + 3 * new


def test_writing_is_bound_by_what_a_step_reads():
    card, model, talk = A["CARDS"][0], A["Decoder"](), A["Talk"]()
    width = A["rows"](card, model, talk)
    held = width * model.cache_bytes * talk.held
    assert model.weight_bytes + held <= 0.9 * card.memory < model.weight_bytes + held * (width + 1) / width
    seconds = (model.weight_bytes + held) / (0.7 * card.bandwidth)
    assert A["decoding"](card, model, talk) == pytest.approx(width / seconds)
    assert A["prefilling"](card, model, talk, reuse=False) > 3 * A["prefilling"](
        card, model, talk, reuse=True
    )
