"""Self-consistency with an arm's own budget, computed after the fact from every sample's vote pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from madbench.metrics.pools import Floats, Ints, Places, Pools, blocks
from madbench.metrics.rows import Rows


@dataclass(frozen=True, slots=True)
class Control:
    """Accuracy of the majority of the votes that a budget buys, row by row (ties: expected over the options).

    `capped` rows could have bought more votes than the pool holds, `short` rows not even one (they get one).
    """

    right: Floats
    votes: Ints
    capped: int
    short: int


Budget = Callable[[Pools, Places, Rows], Control]
"""Given pools, each row's place in them, and an arm's rows: what the arm's cost buys."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a decoder the cost in FLOPs depends on."""

    parameters: float
    layers: int
    width: int

    def flops(self, tokens: Floats, attended: Floats) -> Floats:
        """Forward FLOPs: 2 a weight and token, 4 a layer, channel and pair of tokens attended."""
        return 2 * self.parameters * tokens + 4 * self.layers * self.width * attended


def equal_calls(pools: Pools, places: Places, arm: Rows) -> Control:
    """As many votes as the arm made calls on that sample, repairs included. `places`: each row's pool."""
    wanted = arm.column("calls").astype(np.int64)
    return _control(pools, places, wanted, wanted > pools.depths[places])


def equal_tokens(pools: Pools, places: Places, arm: Rows) -> Control:
    """The longest prefix of votes whose prompt and output tokens do not exceed the arm's on that sample."""
    budget = arm.column("prompt_tokens") + arm.column("output_tokens")
    return _affordable(pools, places, budget, lambda prompt, output: prompt + output)


def equal_flops(pools: Pools, places: Places, arm: Rows, shape: Shape) -> Control:
    """The longest prefix of votes whose FLOPs do not exceed the arm's on that sample."""
    tokens = arm.column("prompt_tokens") + arm.column("output_tokens")
    budget = shape.flops(tokens, arm.column("attended"))

    def price(prompt: Floats, output: Floats) -> Floats:
        total = prompt + output
        return shape.flops(total, total * (total + 1) / 2)

    return _affordable(pools, places, budget, price)


def _affordable(
    pools: Pools, places: Places, budget: Floats, price: Callable[[Floats, Floats], Floats]
) -> Control:
    wanted, capped = np.empty(len(places), np.int64), np.empty(len(places), np.bool_)
    for block in blocks(len(places)):
        prices = price(*pools.costs(places[block]))
        spent = np.cumsum(prices, axis=1)
        wanted[block] = (spent <= budget[block, None]).sum(axis=1)
        left = budget[block] - np.nan_to_num(spent).max(axis=1, initial=0)
        capped[block] = left >= np.nan_to_num(prices).max(axis=1, initial=0)
    return _control(pools, places, wanted, capped & (wanted == pools.depths[places]))


def _control(pools: Pools, places: Places, wanted: Ints, capped: npt.NDArray[np.bool_]) -> Control:
    votes = np.clip(wanted, 1, np.maximum(pools.depths[places], 1))
    return Control(pools.majorities(places, votes), votes, int(capped.sum()), int((wanted < 1).sum()))
