"""How prompts are cut into passes."""

import itertools
import random

import pytest

from madbench.engines.local.passes import _CELLS, _PASS, passes


def cost(lengths, runs):
    return sum(_PASS + len(lengths[run]) * lengths[run][-1] for run in runs)


def every_cut(lengths):
    for cuts in itertools.product([False, True], repeat=len(lengths) - 1):
        ends = [i for i, cut in enumerate(cuts, 1) if cut]
        yield [slice(a, b) for a, b in itertools.pairwise([0, *ends, len(lengths)])]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_cut_costs_less(seed):
    draw = random.Random(seed)
    lengths = sorted(
        draw.choice([1, 4, 30, 90, 300]) + draw.randrange(9) for _ in range(draw.randrange(1, 10))
    )
    assert cost(lengths, passes(lengths)) == min(cost(lengths, cut) for cut in every_cut(lengths))


def test_a_long_prompt_does_not_pad_many_short_ones():
    assert passes([4] * 30 + [200]) == [slice(0, 30), slice(30, 31)]
    assert passes([100, 101, 102]) == [slice(0, 3)]


def test_passes_stay_within_their_bound_and_hold_every_prompt_once():
    lengths = sorted([_CELLS + 1, *[300] * 40])
    runs = passes(lengths)
    assert [index for run in runs for index in range(run.start, run.stop)] == [*range(41)]
    assert all(len(lengths[run]) * lengths[run][-1] <= _CELLS for run in runs[:-1])
    assert runs[-1] == slice(40, 41)
    assert passes([]) == []
