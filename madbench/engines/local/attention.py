"""Attention on a CPU: over each row's own columns; in float32 where there are no units for the model's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_NARROW, _WIDE = "sdpa_by_length", "sdpa_by_length_float32"
_CALL = 1024
"""What a call of its own costs, in columns that one query of one row attends to."""


class Run(NamedTuple):
    """Neighbouring rows, and the columns up to the last that any of them fills."""

    rows: slice
    columns: int


_RUNS: ContextVar[Sequence[Run]] = ContextVar("runs", default=())


def fit(model: PreTrainedModel, fastest: torch.dtype) -> None:
    """Let a model on a CPU attend by length; and in float32, over keys and values that `numbers` says are kept in
    float32, if the `fastest` numbers there are not its own.

    They were rounded to the model's numbers before: attention only adds up more exactly, and several times faster.
    """
    alone = {parameter.device.type for parameter in model.parameters()} == {"cpu"}
    if alone and model.config._attn_implementation == "sdpa":  # noqa: SLF001
        name = _NARROW if fastest == model.dtype else _WIDE
        AttentionInterface.register(name, _attend)
        AttentionMaskInterface.register(name, sdpa_mask)
        model.set_attn_implementation(name)


def fitted(model: PreTrainedModel) -> bool:
    """Whether a model attends by length."""
    return model.config._attn_implementation in (_NARROW, _WIDE)  # noqa: SLF001


def numbers(model: PreTrainedModel) -> torch.dtype | None:
    """The numbers that keys and values are kept in while rows are in flight; None: those that each layer makes."""
    return torch.float32 if model.config._attn_implementation == _WIDE else None  # noqa: SLF001


@contextmanager
def by_length(lengths: Sequence[int], queries: int) -> Iterator[None]:
    """Within, rows that end together and fill so many columns do not attend to each other's padding."""
    token = _RUNS.set(runs(lengths, queries))
    try:
        yield
    finally:
        _RUNS.reset(token)


def runs(lengths: Sequence[int], queries: int) -> list[Run]:
    """Rows cut into runs of neighbours, each as wide as its longest (and its queries): the cut that costs least."""
    costs, cuts = [0], [Run(slice(0), 0)]
    for stop in range(1, len(lengths) + 1):
        columns, best, cut = queries, -1, cuts[0]
        for start in range(stop - 1, -1, -1):
            columns = max(columns, lengths[start])
            cost = costs[start] + (stop - start) * columns * queries + _CALL
            if best < 0 or cost < best:
                best, cut = cost, Run(slice(start, stop), columns)
        costs.append(best)
        cuts.append(cut)
    found, stop = list[Run](), len(lengths)
    while stop:
        found.append(cuts[stop])
        stop = cuts[stop].rows.start
    return found[::-1]


def _attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **rest: object
) -> tuple[Tensor, None]:
    """(rows, heads, queries, size) queries, (rows, heads, columns, size) keys and values ->
    (rows, queries, heads, size).
    """
    wide, found = query.to(key.dtype), _RUNS.get()
    if mask is None or len(found) < 2:
        mixed, nothing = sdpa_attention_forward(module, wide, key, value, mask, **rest)
        return mixed.to(query.dtype), nothing
    parts = []
    for rows, columns in found:
        seen = (part[rows, :, -columns:] for part in (key, value))
        part, nothing = sdpa_attention_forward(module, wide[rows], *seen, mask[rows, ..., -columns:], **rest)
        parts.append(part)
    return torch.cat(parts).to(query.dtype), nothing
