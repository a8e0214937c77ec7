"""Choosing the next token of each row by its own settings and its own noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

_GOLDEN, _MIX1, _MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1
_RESOLUTION = 2.0**-32
_NEAR = 64
"""So many best tokens get noise of their own from the start."""
_NUCLEUS = 1024
_COLDEST = torch.finfo(torch.float32).tiny


class Draw(NamedTuple):
    """How one row's next token is drawn; `step` counts the row's tokens so far."""

    temperature: float
    top_p: float
    seed: int
    step: int


def choose(logits: Tensor, draws: Sequence[Draw]) -> Tensor:
    """The next token of every row, (rows, vocabulary) -> (rows,).

    Temperature 0 takes the best token. Otherwise temperature, then top-p, then Gumbel noise, then the best:
    a sample of the softmax. The noise is a pure function of (seed, step, token), so equal requests draw
    equal tokens whatever else is in the batch.
    """
    chosen = torch.empty(len(draws), dtype=torch.long, device=logits.device)
    for pick, drawn in ((_best, False), (_sample, True)):
        asked = [i for i, draw in enumerate(draws) if (draw.temperature > 0) is drawn]
        if asked:
            rows = torch.tensor(asked, device=logits.device)
            found = logits if len(asked) == len(draws) else logits[rows]
            chosen[rows] = pick(found, [draws[i] for i in asked])
    return chosen


def _best(logits: Tensor, _: Sequence[Draw]) -> Tensor:
    return logits.argmax(-1)


def _sample(logits: Tensor, draws: Sequence[Draw]) -> Tensor:
    heat = torch.tensor([draw.temperature for draw in draws], device=logits.device).clamp(min=_COLDEST)
    scaled = (logits - logits.amax(-1, keepdim=True)) / heat[:, None]
    narrow = [i for i, draw in enumerate(draws) if draw.top_p < 1]
    if narrow:
        rows = torch.tensor(narrow, device=logits.device)
        bounds = torch.tensor([draws[i].top_p for i in narrow], device=logits.device)
        scaled[rows] = _nucleus(scaled[rows], bounds)
    return _noisiest(scaled, torch.tensor([_signed(_key(draw)) for draw in draws], device=logits.device))


def _noisiest(scaled: Tensor, keys: Tensor) -> Tensor:
    """The token that is best with its noise: (rows, vocabulary), (rows,) -> (rows,).

    Only the best tokens get noise of their own at first. The others' best, noise included, lies as one Gumbel number
    does around the logarithm of their sum; a row where that wins chooses among them, each with its own noise.
    """
    best, where = scaled.topk(min(_NEAR, scaled.shape[-1]), dim=-1)
    value, place = (best + gumbel(keys[:, None], where)).max(-1)
    chosen = where.gather(-1, place[:, None])[:, 0]
    tokens = torch.arange(scaled.shape[-1] + 1, device=scaled.device)
    others = scaled.exp().scatter_(-1, where, 0)
    rows = (others.sum(-1).log() + gumbel(keys, tokens[-1]) > value).nonzero()[:, 0]
    if len(rows):
        chosen[rows] = (others[rows].log() + gumbel(keys[rows, None], tokens[:-1])).argmax(-1)
    return chosen


def _nucleus(scaled: Tensor, top_p: Tensor, size: int = _NUCLEUS) -> Tensor:
    """All but the smallest set of best tokens whose probabilities reach top_p, (rows,), set to -inf.

    Only rows that need it look beyond their `size` best: a row's set, among equals too, depends on the row alone.
    """
    size = min(size, scaled.shape[-1])
    best, where = scaled.topk(size, dim=-1)
    shares = best.exp() / scaled.exp().sum(-1, keepdim=True)
    before = shares.cumsum(-1) - shares
    best = best.masked_fill(before >= top_p[:, None], -math.inf)
    kept = torch.full_like(scaled, -math.inf).scatter(-1, where, best)
    wider = (before[:, -1] < top_p).nonzero()[:, 0]
    if len(wider) and size < scaled.shape[-1]:
        kept[wider] = _nucleus(scaled[wider], top_p[wider], 8 * size)
    return kept


def gumbel(keys: Tensor, counters: Tensor) -> Tensor:
    """Standard Gumbel noise for each (key, counter), by the splitmix64 generator (Steele et al. 2014)."""
    word = _mix(keys + counters * _signed(_GOLDEN))
    share = ((word >> 32) & 0xFFFFFFFF).double().add_(0.5).mul_(_RESOLUTION)
    return share.neg_().log1p_().neg_().log_().neg_().float()


def _mix(word: Tensor) -> Tensor:
    word = (word ^ ((word >> 30) & (_WORD >> 30))) * _signed(_MIX1)
    word = (word ^ ((word >> 27) & (_WORD >> 27))) * _signed(_MIX2)
    return word ^ ((word >> 31) & (_WORD >> 31))


def _key(draw: Draw) -> int:
    """A 64-bit key for one row's one step."""
    word = (draw.seed * _GOLDEN + (draw.step + 1) * _MIX1) & _WORD
    word = ((word ^ (word >> 30)) * _MIX1) & _WORD
    word = ((word ^ (word >> 27)) * _MIX2) & _WORD
    return word ^ (word >> 31)


def _signed(word: int) -> int:
    word &= _WORD
    return word - (1 << 64) if word >> 63 else word
