"""Linear layers on a CPU with weights laid out once for its matrix kernels, instead of at every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ROWS = 64
"""Rows that the layout is chosen for; it serves any number."""
_FEW = 2
"""Tokens for which reading float32 copies takes longer than multiplying the weights' own numbers."""


class PackedLinear(nn.Module):
    """A linear layer that multiplies by a packed copy of its weights and rounds to its input's numbers.

    The copy is float32 where the CPU has no units for the weights' own numbers: products of bfloat16 are then
    added up in float32 all the same, only several times faster. The weights stay as they are.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.numbers = arithmetic(linear.weight.dtype)
        self._packed = torch.ops.mkldnn._reorder_linear_weight(  # noqa: SLF001
            linear.weight.detach().to(self.numbers), _ROWS
        )
        self._added = None if linear.bias is None else linear.bias.detach().to(self.numbers)

    def forward(self, inputs: Tensor) -> Tensor:
        if self.numbers != self.weight.dtype and inputs.numel() <= _FEW * self.in_features:
            return functional.linear(inputs, self.weight, self.bias)
        product: Tensor = torch.ops.mkldnn._linear_pointwise(  # noqa: SLF001
            inputs.to(self.numbers).contiguous(), self._packed, self._added, "none", [], ""
        )
        return product.to(inputs.dtype)


def pack(model: PreTrainedModel, megabytes: int) -> None:
    """Pack all plain linear layers of a model on a CPU, or none if the copies would exceed the budget."""
    if not _able():
        return
    plain = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if _plain(child)
    ]
    size = sum(child.weight.numel() * arithmetic(child.weight.dtype).itemsize for _, _, child in plain)
    if size > megabytes << 20:
        return
    for parent, name, child in plain:
        setattr(parent, name, PackedLinear(child))


def _plain(layer: nn.Module) -> TypeGuard[nn.Linear]:
    """A linear layer on a CPU that multiplies by its weights as they are: neither quantised (which may leave the
    layer's class alone and put tensors of its own into it) nor with another's `forward` in its place.
    """
    return (
        type(layer) is nn.Linear
        and type(layer.weight) is nn.Parameter
        and layer.weight.device.type == "cpu"
        and "forward" not in vars(layer)
        and not hasattr(layer, "_hf_hook")
    )


def packed_layers(model: PreTrainedModel) -> dict[str, int]:
    """How many layers were packed, by the numbers they multiply in."""
    kinds = [module.numbers for module in model.modules() if isinstance(module, PackedLinear)]
    return {str(kind).removeprefix("torch."): kinds.count(kind) for kind in kinds}


def arithmetic(weights: torch.dtype) -> torch.dtype:
    """The numbers in which this CPU multiplies such weights fastest."""
    units = {
        torch.bfloat16: torch.ops.mkldnn._is_mkldnn_bf16_supported,  # noqa: SLF001
        torch.float16: torch.ops.mkldnn._is_mkldnn_fp16_supported,  # noqa: SLF001
    }
    return weights if weights in units and units[weights]() else torch.float32


def _able() -> bool:
    return hasattr(torch.ops.mkldnn, "_linear_pointwise")
