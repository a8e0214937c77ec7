"""Linear layers on a CPU with weights laid out once for its matrix kernels, instead of at every call."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_ROWS = 64
"""Rows that the layout is chosen for; it serves any number."""
_FEW = 16
"""Tokens for which reading weights takes longer than multiplying them, so that those half as long are faster."""
_LARGEST = torch.finfo(torch.float16).max


class PackedLinear(nn.Module):
    """A linear layer that multiplies by a packed copy of its weights and rounds to its input's numbers.

    The copy is float32 where the CPU has no units for the weights' own numbers: products of bfloat16 are then
    added up in float32 all the same, only several times faster. Few tokens meet a second copy there, in float16, which
    holds all of bfloat16 but what is smaller than 2^-17 (off by 2^-25 at most). The weights stay as they are.
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
        self._short = _short(linear) if self.numbers != linear.weight.dtype else None

    def forward(self, inputs: Tensor) -> Tensor:
        placed = inputs.to(self.numbers).contiguous()
        product: Tensor
        if self._short is not None and inputs.numel() <= _FEW * self.in_features:
            product = torch.ops.quantized.linear_dynamic_fp16.default(placed, self._short)
        else:
            product = torch.ops.mkldnn._linear_pointwise.default(  # noqa: SLF001
                placed, self._packed, self._added, "none", [], ""
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
    size = sum(child.weight.numel() * _bytes(child.weight.dtype) for _, _, child in plain)
    if size > megabytes << 20:
        return
    for parent, name, child in plain:
        setattr(parent, name, PackedLinear(child))


def _short(linear: nn.Linear) -> object | None:
    """A copy in float16 for few tokens; None where the weights do not fit it or this CPU has no kernel for it."""
    if torch.backends.quantized.engine not in ("x86", "fbgemm") or linear.weight.abs().max() > _LARGEST:
        return None
    bias = None if linear.bias is None else linear.bias.detach().float()
    packed: object = torch.ops.quantized.linear_prepack_fp16(linear.weight.detach().float(), bias)
    return packed


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


def _bytes(weights: torch.dtype) -> int:
    """What the copies of a weight take."""
    numbers = arithmetic(weights)
    return numbers.itemsize + (0 if numbers == weights else torch.float16.itemsize)


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
