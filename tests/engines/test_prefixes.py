"""What is computed once, what is stored, and the budget that holds it."""

import pytest
from engines import tiny

from madbench.engines.jobs import Job
from madbench.engines.local.decoder import BatchDecoder
from madbench.engines.local.network import Network
from madbench.engines.local.prefixes import shared
from madbench.engines.local.wording import Wording
from madbench.types import Request, Sampling

TOKEN_BYTES = 2 * 2 * 2 * 8 * 4
"""Layers, keys and values, heads, channels a head, bytes of a float32."""


def decoder(budget):
    words = Wording(lambda ids: "x" * len(ids), frozenset(), (), None)
    return BatchDecoder(Network(tiny.model(300)), words, budget)


def job(ids, tokens=4, seed=0):
    return Job(Request((), Sampling(temperature=0.8, max_tokens=tokens), seed), tuple(ids))


def play(made, jobs):
    """Completions by job, and the facts."""
    made.admit(jobs)
    done = {}
    while made.live:
        done |= dict(made.advance())
    return [done[one] for one in jobs], made.facts()["prefixes"]


def prompt(i, length=50):
    return [7, *((i * 31 + k * k) % 290 for k in range(1, length))]


def test_rows_of_one_prompt_are_computed_once_and_draw_for_themselves():
    jobs = [job(prompt(i % 2), seed=i) for i in range(10)]
    together, facts = play(decoder(0), jobs)
    assert facts["tokens_needed"] == 500
    assert facts["tokens_computed"] == 100
    alone = [play(decoder(0), [one])[0][0] for one in jobs]
    for one, other in zip(together, alone, strict=True):
        assert [p for _, p in one.pieces] == pytest.approx([p for _, p in other.pieces], abs=1e-4)


def test_a_turn_that_goes_on_computes_only_what_is_new():
    made, words = decoder(1 << 20), prompt(1, 40)
    play(made, [job(words, tokens=9)])
    _, facts = play(made, [job([*words, *prompt(2, 12)])])
    assert facts["tokens_computed"] <= 40 + 12 + 4


def test_shared_beginnings_are_stored_where_that_saves_more_than_a_pass_costs():
    common, made = prompt(1, 40), decoder(1 << 20)
    _, facts = play(made, [job([*common, i, 1, 2, 3]) for i in range(8)])
    assert facts["tokens_computed"] == 40 + 8 * 4
    made = decoder(1 << 20)
    _, facts = play(made, [job([*common[:8], i, 1, 2, 3]) for i in range(2)])
    assert facts["tokens_computed"] == 2 * 12


@pytest.mark.parametrize("tokens", [0, 30, 75, 200])
def test_the_store_never_holds_more_than_its_budget(tokens):
    made = decoder(tokens * TOKEN_BYTES)
    for start in range(0, 12, 3):
        _, facts = play(made, [job(prompt(i % 5)) for i in range(start, start + 3)])
        assert facts["peak_bytes"] <= facts["budget_bytes"] == tokens * TOKEN_BYTES
    assert (facts["peak_bytes"] > 0) == (tokens > 50)


def test_a_store_too_small_for_all_changes_no_probability():
    jobs = [job(prompt(i % 5, 40 + i), tokens=6, seed=i) for i in range(20)]
    plenty, scarce = decoder(1 << 20), decoder(100 * TOKEN_BYTES)
    for start in range(0, 20, 4):
        some = jobs[start : start + 4]
        for one, other in zip(play(plenty, some)[0], play(scarce, some)[0], strict=True):
            assert [p for _, p in one.pieces] == pytest.approx([p for _, p in other.pieces], abs=1e-4)


def test_shared_counts_who_begins_alike():
    prompts = [(1, 2, 3, 4, 5, 6, 7, 8, i) for i in range(3)] + [(1, 2, 3, 4, 9), (2, 2)]
    assert shared(prompts) == {(1, 2, 3, 4, 5, 6, 7, 8): 3, (1, 2, 3, 4): 4}
    assert shared([(1, 2, 3)]) == {}


def test_logits_with_stored_beginnings_equal_those_without():
    first, second = job(prompt(3, 60), tokens=1), job([*prompt(3, 44), 5, 6, 7], tokens=1)
    made = decoder(1 << 20)
    play(made, [first])
    (with_store,), _ = play(made, [second])
    (without,), _ = play(decoder(0), [second])
    assert with_store.pieces[0][1] == pytest.approx(without.pieces[0][1], abs=1e-4)
