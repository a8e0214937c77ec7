"""Attention in float32 on a CPU that has no units for the model's own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_NAME = "sdpa_float32"


def widen(model: PreTrainedModel, fastest: torch.dtype) -> None:
    """Let a model attend in float32, over keys and values that `numbers` says are kept in float32, if it lies on a CPU
    whose `fastest` numbers for it are not its own.

    They were rounded to the model's numbers before: attention only adds up more exactly, and several times faster.
    """
    devices = {parameter.device.type for parameter in model.parameters()}
    slow = devices == {"cpu"} and fastest != model.dtype
    if slow and model.config._attn_implementation == "sdpa":  # noqa: SLF001
        AttentionInterface.register(_NAME, _attend)
        AttentionMaskInterface.register(_NAME, sdpa_mask)
        model.set_attn_implementation(_NAME)


def numbers(model: PreTrainedModel) -> torch.dtype | None:
    """The numbers that keys and values are kept in while rows are in flight; None: those that each layer makes."""
    return torch.float32 if model.config._attn_implementation == _NAME else None  # noqa: SLF001


def _attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **rest: object
) -> tuple[Tensor, None]:
    mixed, nothing = sdpa_attention_forward(module, query.to(key.dtype), key, value, mask, **rest)
    return mixed.to(query.dtype), nothing
