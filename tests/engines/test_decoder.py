"""Rows in flight: what one of them comes to is nobody else's, and what all of them took is given back."""

import asyncio

import pytest
import torch
from engines import tiny
from engines.test_prefixes import job, play, prompt

from madbench.engines.batching import Scheduler
from madbench.engines.local.decoder import BatchDecoder
from madbench.engines.local.network import Network
from madbench.engines.local.wording import Wording
from madbench.types import EngineError

MUTE = 299
"""A token whose vector is no numbers."""


def decoder(budget=0):
    model = tiny.model(300)
    with torch.no_grad():
        model.model.embed_tokens.weight[MUTE] = torch.nan
    return BatchDecoder(Network(model), Wording(lambda ids: "x" * len(ids), frozenset(), (), None), budget)


def ask(jobs, budget, rows):
    async def run():
        scheduler = Scheduler(decoder(budget), rows)
        async with scheduler.running():
            asked = (scheduler.complete(one) for one in jobs)
            return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(asyncio.wait_for(run(), 60))


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_a_row_that_comes_to_no_numbers_fails_alone(budget, rows):
    long, short = prompt(1, 90), prompt(1, 6)
    jobs = [job([*long, MUTE]), *(job(short[:size]) for size in range(3, 7)), job(long, tokens=20)]
    failed, *others = ask(jobs, budget, rows)
    assert isinstance(failed, EngineError)
    assert "no numbers" in str(failed)
    for one, other in zip(others, play(decoder(), jobs[1:])[0], strict=True):
        assert [share for _, share in one.pieces] == pytest.approx(
            [share for _, share in other.pieces], abs=1e-4
        )


def test_the_last_of_many_rows_does_not_grow_in_room_for_all():
    made, rows = decoder(), 40
    made.admit([*(job(prompt(i, 9), tokens=2) for i in range(rows)), job(prompt(0, 9), tokens=140)])
    taken = []
    while made.live:
        made.advance()
        taken.append(made._slab.layers[0].keys.shape[0])
    assert (taken[0], taken[-1]) == (rows + 1, 1)
