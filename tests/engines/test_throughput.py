"""The comparison of ways gives every way the same work, and says what it measured."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from engines import tiny

from madbench.engines.local.loading import load
from madbench.engines.transformers import TransformersModel
from madbench.engines.weights import Folder
from madbench.types import Completion, Message, ParseStatus, Reading, Request, Sampling, Speaker, Turn

FOLDER = Path(__file__).parents[2] / "experiments" / "throughput"
sys.path.insert(0, str(FOLDER))

import engine  # noqa: E402
import quickstart  # noqa: E402
import ways  # noqa: E402
from work import Call, Ours, Work  # noqa: E402

CALLS = tuple(Call(q, r, tuple(range(5, 9 + 3 * q + r)), 2 + q) for r in (0, 1) for q in (0, 1, 2))
WORK = Work(CALLS, 1.0, 0.0, {})


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    folder = tiny.save(tmp_path_factory.mktemp("tiny"))
    settings = TransformersModel(name="tiny", weights=Folder(path=str(folder)), dtype="float32")
    return Ours(settings, load(settings))


class Counting:
    """A model's forward passes and the rows in them."""

    def __init__(self, model):
        self.rows = 0
        self._handle = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, _, __, words):
        self.rows += words["input_ids"].shape[0]

    def close(self):
        self._handle.remove()


def test_every_way_cuts_the_same_calls():
    for batches in (
        ways.static(WORK, 2),
        ways.rounds(WORK),
        ways.per_question(WORK, 3),
        ways.one_by_one(WORK, 3),
    ):
        assert sorted((c.question, c.round) for batch in batches for c in batch) == sorted(
            (c.question, c.round) for c in CALLS
        )
        assert all(len({c.round for c in batch}) == 1 for batch in batches)
    assert [len(batch) for batch in ways.static(WORK, 2)] == [2, 1, 2, 1]
    assert {c.question for batch in ways.one_by_one(WORK, 1) for c in batch} == {0}


def test_the_ceiling_has_as_many_tokens_and_one_length():
    even = [call for batch in ways.uniform(WORK, 4) for call in batch]
    assert {len(call.ids) for call in even} == {round(WORK.prompt_tokens / 6)}
    assert sum(call.tokens for call in even) == WORK.tokens


def test_generate_runs_until_the_longest_reply_and_our_decoder_drops_rows(ours):
    counted = Counting(ours.loaded.model)
    ways.generated(ours.loaded.model, 0.7)(CALLS[:3])
    assert counted.rows == 3 * 4
    counted.rows = 0
    ways.decoded(ours.loaded)(CALLS[:3])
    assert counted.rows <= 3 + 3 + 2 + 1 + 2
    counted.close()


def test_transformers_own_batching_makes_the_same_lengths(ours):
    plain = load(ours.settings).model
    plain.set_attn_implementation("sdpa")
    ways.continuous(plain, 0.0, 4)(CALLS[:3])


def test_single_answers_become_work(ours):
    work = ours.single(["a?", "a b?"], [3, 5])
    assert all(call.tokens <= limit for call, limit in zip(work.calls, [3, 5], strict=True))
    assert engine.prefilled(work) <= work.prompt_tokens
    assert work.facts["steps"]["count"] >= 2


def test_distinct_tokens_count_each_beginning_once():
    calls = [Call(0, 0, ids, 1) for ids in ((1, 2, 3), (1, 2, 4), (1, 2, 3), (5,))]
    assert engine.distinct(calls) == 3 + 1 + 1


def test_the_summary_has_six_ratios():
    found = {
        "debate": {"ratios": {"one_by_one": 6.0, "per_question": 4.0, "static": 2.0}},
        "single": {"ratios": {}},
    }
    ratios = engine.summary(found, 40.0)["ratios"]
    assert list(ratios) == [
        "one_by_one",
        "per_question",
        "static",
        "continuous",
        "ceiling",
        "harness_us_per_call",
    ]
    assert ratios["per_question"] == 4.0
    assert ratios["ceiling"] is None


def turn(role, seat, number, text="a?"):
    request = Request((Message("user", text),), Sampling(temperature=0.0, max_tokens=4), seat)
    return Turn(
        Speaker(role, seat, number, number),
        "Asked",
        request,
        Completion("b", "length", 3, 2),
        Reading(ParseStatus.OK, "Statement"),
    )


def test_what_could_be_asked_at_once_is_a_wave():
    turns = [turn("solver", 0, 0), turn("solver", 1, 0), turn("solver", 0, 1), turn("solver", 1, 1)]
    turns += [turn("judge", 0, 0), turn("judge", 0, 1)]
    assert [wave for wave, _ in quickstart.waves(turns, 4)] == [4, 4, 5, 5, 6, 7]


def test_the_static_decoder_draws_the_replies_of_the_engine(ours):
    questions = ["a?", "a b?", "b a b?"]
    requests = [
        Request((Message("user", text),), Sampling(temperature=0.7, max_tokens=5), seed)
        for seed, text in enumerate(questions)
    ]

    player = ours.engine()

    async def answered():
        async with player.scheduler.running():
            return await asyncio.gather(*(player.generate(request) for request in requests))

    calls = [
        quickstart.Asked("arm", wave, request, completion)
        for wave, (request, completion) in enumerate(zip(requests, asyncio.run(answered()), strict=True))
    ]
    cut = quickstart.batches(calls, ours.loaded, 2)
    assert [len(batch) for batch in cut] == [1, 1, 1]
    assert quickstart.decoded(ours.loaded, cut) == 3
    other = replace(calls[0], completion=replace(calls[0].completion, text="another"))
    assert quickstart.decoded(ours.loaded, quickstart.batches([other], ours.loaded, 2)) == 0
