"""Attention on a CPU: by length, and in float32 where there are no units for the model's own numbers."""

import random
from itertools import chain, combinations, pairwise
from types import SimpleNamespace

import pytest
import torch
from engines import tiny
from engines.test_prefixes import job, play, prompt

from madbench.engines.local import attention
from madbench.engines.local.attention import by_length, fit, numbers, runs
from madbench.engines.local.decoder import BatchDecoder
from madbench.engines.local.network import Network
from madbench.engines.local.slab import Slab, Window
from madbench.engines.local.wording import Wording


def halves():
    return tiny.model(300).bfloat16()


def decoder(model):
    words = Wording(lambda ids: "x" * len(ids), frozenset(), (), None)
    return BatchDecoder(Network(model), words, 1 << 20)


def test_a_widened_model_says_what_the_plain_one_says():
    plain, wide = halves(), halves()
    fit(wide, torch.float32)
    said, kept = play(decoder(plain), [job(prompt(i, 30 + 7 * i), tokens=1) for i in range(5)])
    heard, held = play(decoder(wide), [job(prompt(i, 30 + 7 * i), tokens=1) for i in range(5)])
    assert (numbers(plain), numbers(wide)) == (None, torch.float32)
    assert kept["peak_bytes"] == held["peak_bytes"] > 0
    for one, other in zip(said, heard, strict=True):
        assert one.pieces[0][1] == pytest.approx(other.pieces[0][1], abs=0.1)


def test_attention_adds_up_exactly_and_rounds_once():
    torch.manual_seed(0)
    query, keys, values = torch.randn(3, 4, 1, 8), torch.randn(3, 2, 200, 8), torch.randn(3, 2, 200, 8)
    query, keys, values = (part.bfloat16() for part in (query, keys, values))
    layer = SimpleNamespace(num_key_value_groups=2)
    found, _ = attention._attend(layer, query, keys.float(), values.float(), None, scaling=1.0)
    scores = query.double() @ keys.double().repeat_interleave(2, 1).transpose(-1, -2)
    exact = scores.softmax(-1) @ values.double().repeat_interleave(2, 1)
    assert found.dtype == torch.bfloat16
    assert torch.allclose(found.double(), exact.transpose(1, 2), rtol=2**-8, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 3])
def test_what_is_kept_of_a_wide_slab_is_what_was_made(rows):
    slab, keys, values = Slab(torch.float32), *torch.randn(2, rows, 2, 5, 8).bfloat16()
    slab.reserve(0, rows, 5, 1)
    shown = Window(slab, slice(0, rows), slice(slab.end - 5, slab.end), 5).write(0, keys, values)
    (pair,) = slab.kept(rows - 1, slice(slab.end - 5, slab.end))
    assert {part.dtype for part in shown} == {torch.float32}
    assert {part.dtype for part in pair} == {torch.bfloat16}
    assert torch.equal(pair.keys, keys[-1])
    assert torch.equal(pair.values, values[-1])
    assert slab.bytes_a_token == 2 * 2 * 8 * torch.bfloat16.itemsize


def test_rows_are_cut_where_padding_costs_more_than_a_call():
    def cut(*lengths, queries=1):
        return [(run.rows.start, run.rows.stop, run.columns) for run in runs(lengths, queries)]

    assert cut() == []
    assert cut(300, 400) == [(0, 2, 400)]
    assert cut(300, 5000, 300, 310) == [(0, 1, 300), (1, 2, 5000), (2, 4, 310)]
    assert cut(300, 400, queries=50) == [(0, 1, 300), (1, 2, 400)]
    assert cut(3, queries=8) == [(0, 1, 8)]


def test_no_other_cut_into_runs_costs_less():
    draw = random.Random(3)
    for _ in range(60):
        lengths, queries = (
            [draw.randrange(1, 4000) for _ in range(draw.randrange(1, 8))],
            draw.randrange(1, 4),
        )
        found = [run.rows for run in runs(lengths, queries)]
        assert [place for rows in found for place in range(rows.start, rows.stop)] == [*range(len(lengths))]
        assert cost(found, lengths, queries) == min(
            cost(cut, lengths, queries) for cut in every_cut(len(lengths))
        )


def cost(cut, lengths, queries):
    cells = sum((rows.stop - rows.start) * max(queries, *lengths[rows]) for rows in cut)
    return cells * queries + attention._CALL * len(cut)


def every_cut(count):
    for inner in chain.from_iterable(combinations(range(1, count), size) for size in range(count)):
        edges = (0, *inner, count)
        yield [slice(*pair) for pair in pairwise(edges)]


@pytest.mark.parametrize("queries", [1, 3])
def test_rows_attend_by_length_to_what_they_attended_to_before(queries):
    lengths, columns = [1500, 7, 9, 1400, 3], 1500
    query, keys, values = torch.randn(5, 4, queries, 8), *torch.randn(2, 5, 2, columns, 8)
    places = columns - queries + torch.arange(queries)[:, None]
    starts = torch.tensor([columns - length for length in lengths])[:, None, None]
    mask = ((torch.arange(columns) <= places) & (torch.arange(columns) >= starts))[:, None]
    layer = SimpleNamespace(num_key_value_groups=2)
    plain, _ = attention._attend(layer, query, keys, values, mask)
    with by_length(lengths, queries):
        assert len(runs(lengths, queries)) > 1
        keys[1, :, :-9] = torch.nan  # nothing outside of a run's columns is read
        found, _ = attention._attend(layer, query, keys, values, mask)
    assert torch.allclose(found, plain, atol=1e-6)


def test_only_a_model_that_attends_by_length_has_its_rows_cut():
    def found(model):
        seen = []
        model.lm_head.register_forward_hook(lambda *_: seen.append(len(attention._RUNS.get())))
        play(decoder(model), [job(prompt(i), tokens=1) for i in range(3)])
        return seen

    plain, short = tiny.model(300), tiny.model(300)
    fit(short, torch.float32)
    assert (found(plain), found(short)) == ([0], [1])


def test_models_that_gain_nothing_are_left_alone():
    exact, eager, quick = tiny.model(300), halves(), halves()
    eager.set_attn_implementation("eager")
    fit(exact, torch.float32)
    fit(eager, torch.float32)
    fit(quick, torch.bfloat16)
    assert [numbers(model) for model in (exact, eager, quick)] == [None] * 3
