"""Packed linear layers against the plain ones, and their budget."""

import pytest
import torch
from engines import tiny
from torch import nn

from madbench.engines.local.packed import PackedLinear, arithmetic, pack, packed_layers

LINEAR_LAYERS = 2 * 7 + 1


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 64, 200])
def test_a_packed_layer_is_the_plain_one(rows, bias):
    torch.manual_seed(rows)
    plain, inputs = nn.Linear(48, 80, bias=bias), torch.randn(rows, 2, 48)
    with torch.inference_mode():
        assert torch.allclose(PackedLinear(plain)(inputs), plain(inputs), atol=1e-5)
        assert torch.allclose(PackedLinear(plain)(inputs[:, 1:]), plain(inputs[:, 1:]), atol=1e-5)


@pytest.mark.parametrize("rows", [1, 16, 17])
@pytest.mark.parametrize("largest", [1, 1e5], ids=["usual", "beyond float16"])
def test_halves_are_multiplied_exactly_and_rounded_once(rows, largest):
    torch.manual_seed(0)
    plain, inputs = nn.Linear(48, 80).bfloat16(), torch.randn(rows, 48).bfloat16()
    with torch.inference_mode():
        plain.weight[0, 0] = largest
        exact = nn.functional.linear(inputs.double(), plain.weight.double(), plain.bias.double())
        found = PackedLinear(plain)(inputs)
    assert found.dtype == torch.bfloat16
    assert torch.allclose(found.double(), exact, rtol=2**-8, atol=1e-3)


def test_a_model_is_packed_whole_or_not_at_all():
    size = 4 * sum(
        layer.weight.numel() for layer in tiny.model(200_000).modules() if type(layer) is nn.Linear
    )
    small, large = tiny.model(200_000), tiny.model(200_000)
    pack(small, (size >> 20) - 1)
    pack(large, (size >> 20) + 1)
    assert packed_layers(small) == {}
    assert packed_layers(large) == {"float32": LINEAR_LAYERS}
    assert large.num_parameters() == small.num_parameters()


def test_a_packed_model_says_what_the_plain_one_says():
    plain, packed, ids = tiny.model(300), tiny.model(300), torch.arange(60).reshape(3, 20)
    pack(packed, 64)
    with torch.inference_mode():
        assert torch.allclose(packed(ids).logits, plain(ids).logits, atol=1e-4)


class Coded(torch.Tensor):
    """Weights in a code of their own, as quantisers put them into linear layers whose class they leave alone."""


@pytest.mark.parametrize("kind", ["tensor", "forward"])
def test_layers_that_somebody_else_made_over_are_left_alone(kind):
    model = tiny.model(300)
    made = model.model.layers[0].mlp.up_proj
    if kind == "tensor":
        made.weight = nn.Parameter(made.weight.detach().as_subclass(Coded), requires_grad=False)
    else:
        made.forward = lambda inputs: inputs
    pack(model, 64)
    assert model.model.layers[0].mlp.up_proj is made
    assert packed_layers(model) == {"float32": LINEAR_LAYERS - 1}


def test_float32_stays_float32():
    assert arithmetic(torch.float32) is torch.float32
    assert arithmetic(torch.bfloat16) in (torch.bfloat16, torch.float32)
