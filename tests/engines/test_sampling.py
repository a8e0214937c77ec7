"""Sampling per row: greedy, nucleus, and Gumbel noise that depends on seed and step alone."""

import math

import pytest
import torch

from madbench.engines.local.sampling import Draw, choose, gumbel


def test_temperature_zero_takes_the_best_token():
    logits = torch.tensor([[0.0, 3.0, 2.9], [5.0, 1.0, 4.99]])
    assert choose(logits, [Draw(0.0, 0.5, 1, 0), Draw(0.0, 1.0, 2, 7)]).tolist() == [1, 0]


def test_shares_follow_the_softmax_at_each_rows_own_temperature():
    n, logits = 20_000, torch.tensor([2.0, 1.0, 0.0, -1.0])
    for temperature in (0.5, 1.0, 2.0):
        drawn = choose(logits.expand(n, 4), [Draw(temperature, 1.0, seed, 3) for seed in range(n)])
        expected = (logits / temperature).softmax(-1)
        found = torch.bincount(drawn, minlength=4) / n
        assert torch.allclose(found, expected, atol=4 * math.sqrt(0.25 / n))


def test_tokens_beyond_the_best_are_drawn_as_often_as_the_softmax_says():
    n, logits = 20_000, torch.cat([torch.tensor([6.0, 5.0]), torch.linspace(2.0, -1.0, 300)])
    drawn = choose(logits.expand(n, 302), [Draw(1.0, 1.0, seed, 3) for seed in range(n)])
    shares, found = logits.softmax(-1), torch.bincount(drawn, minlength=302)
    expected = shares * n
    assert shares[64:].sum() > 0.15
    assert ((found - expected) ** 2 / expected).sum() < 301 + 4 * math.sqrt(2 * 301)


def test_steps_of_one_seed_are_independent_draws():
    n, logits = 20_000, torch.zeros(1, 2)
    drawn = choose(logits.expand(n, 2), [Draw(1.0, 1.0, 11, step) for step in range(n)]).float()
    pairs = drawn[:-1] * drawn[1:]
    assert abs(drawn.mean() - 0.5) < 4 * 0.5 / math.sqrt(n)
    assert abs(pairs.mean() - 0.25) < 4 * 0.5 / math.sqrt(n)


def test_top_p_keeps_the_smallest_set_that_reaches_it():
    probabilities = torch.tensor([0.5, 0.3, 0.15, 0.05])
    n = 4000
    rows = probabilities.log().expand(n, 4)
    kept = {
        p: set(choose(rows, [Draw(1.0, p, seed, 0) for seed in range(n)]).tolist())
        for p in (0.49, 0.7, 0.9, 1.0)
    }
    assert kept == {0.49: {0}, 0.7: {0, 1}, 0.9: {0, 1, 2}, 1.0: {0, 1, 2, 3}}


def test_top_p_looks_beyond_its_first_guess_in_flat_distributions():
    logits = torch.zeros(1, 5000)
    drawn = {int(choose(logits, [Draw(1.0, 0.99, seed, 0)])) for seed in range(300)}
    assert len(drawn) > 250


@pytest.mark.parametrize("others", [0, 6, 63])
def test_what_else_is_in_the_batch_changes_no_draw(others):
    generator = torch.Generator().manual_seed(0)
    mine = torch.randn(1, 500, generator=generator)
    rest = torch.randn(others, 500, generator=generator)
    draws = [Draw(0.7, 0.9, 5, 2), *(Draw(1.5 * (i % 2), 1.0, i, i) for i in range(others))]
    assert choose(torch.cat([mine, rest]), draws)[0] == choose(mine, draws[:1])[0]


def test_among_tokens_equally_likely_top_p_keeps_the_same_ones_whatever_is_beside_them():
    mine, flat = torch.tensor([[1.0] * 700 + [0.0] * 4300]), torch.zeros(1, 5000)
    draws = [Draw(1.0, 0.25, seed, 0) for seed in range(60)]
    alone = [int(choose(mine, [draw])) for draw in draws]
    assert alone == [
        int(choose(torch.cat([mine, flat]), [draw, Draw(1.0, 0.999, 0, 0)])[0]) for draw in draws
    ]


@pytest.mark.parametrize("temperature", [1e-30, 1e-38, 1e-50])
@pytest.mark.parametrize("top_p", [0.9, 1.0])
def test_a_temperature_next_to_zero_takes_the_best_token(temperature, top_p):
    logits = torch.tensor([[3.0, 20.0, 25.0, -1.0, -math.inf]])
    assert choose(logits, [Draw(temperature, top_p, 0, 0)]).tolist() == [2]


def test_the_noise_is_standard_gumbel():
    noise = gumbel(torch.full((200_000,), 12345), torch.arange(200_000)).double()
    assert abs(noise.mean() - 0.5772) < 0.015
    assert abs(noise.var() - math.pi**2 / 6) < 0.04
    assert noise.isfinite().all()
