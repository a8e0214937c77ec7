"""What a grammar leaves no choice about at the beginning of a reply runs with the prompt, in one pass."""

import json

import pytest
import torch
from engines import tiny
from engines.test_prefixes import play

from madbench.engines.chat import ChatFormat
from madbench.engines.jobs import Job
from madbench.engines.local.loading import loaded
from madbench.engines.settings import Chat
from madbench.types import Request, Sampling

WORDS = tiny.tokenizer()


def form(**fields):
    return json.dumps(
        {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}
    )


OPEN = form(facts={"type": "string", "maxLength": 8}, done={"type": "boolean"})
CLOSED = form(stance={"const": "defended"})
BEGINNING = '{"facts":"'


def prompt(i, length=30):
    return [5 + (i * 31 + k * k) % 250 for k in range(length)]


@pytest.fixture
def model():
    return loaded(tiny.model(len(WORDS)), ChatFormat(WORDS, Chat(), "tiny"), "tiny")


def job(ids, schema=OPEN, *, tokens=60, seed=0):
    return Job(Request((), Sampling(temperature=0.8, max_tokens=tokens), seed, schema), tuple(ids))


def told(model, ids, completion):
    """The probabilities of a reply's tokens by one plain pass over all of it."""
    said = WORDS(completion.text, add_special_tokens=False)["input_ids"]
    logits = model.model(torch.tensor([[*ids, *said]])).logits[0, len(ids) - 1 : -1].log_softmax(-1)
    return logits.gather(-1, torch.tensor(said)[:, None])[:, 0].tolist()


@pytest.mark.parametrize("budget", [0, 1 << 20])
def test_the_beginning_costs_no_steps_and_has_the_models_probabilities(model, budget):
    made, jobs = model.decoder(budget), [job(prompt(i % 3, 20 + i), seed=i) for i in range(4)]
    for _ in range(2):  # the second time the store holds all of it
        before = made.facts()["steps"]["rows"]
        replies, facts = play(made, jobs)
        drawn = sum(one.output_tokens - len(BEGINNING) - 1 for one in replies)
        assert made.facts()["steps"]["rows"] - before == drawn
        for one, reply in zip(jobs, replies, strict=True):
            assert reply.text.startswith(BEGINNING)
            assert [share for _, share in reply.pieces] == pytest.approx(
                told(model, one.ids, reply), abs=1e-4
            )
    assert facts["tokens_computed"] <= facts["tokens_needed"]


def test_rows_of_every_kind_share_a_pass(model):
    jobs = [
        job(prompt(1, 20)),
        job(prompt(1, 20), None),
        job(prompt(1, 20), CLOSED),
        job(prompt(2, 20), seed=4),
    ]
    together, _ = play(model.decoder(0), jobs)
    alone = [play(model.decoder(0), [one])[0][0] for one in jobs]
    assert [one.text for one in together] == [one.text for one in alone]
    for one, other in zip(together, alone, strict=True):
        assert [share for _, share in one.pieces] == pytest.approx(
            [share for _, share in other.pieces], abs=1e-4
        )


def test_a_reply_without_any_choice_still_ends_by_itself(model):
    (reply,), _ = play(model.decoder(0), [job(prompt(1), CLOSED)])
    assert (reply.text, reply.finish) == ('{"stance":"defended"}', "stop")
    assert [share for _, share in reply.pieces] == pytest.approx(told(model, prompt(1), reply), abs=1e-4)


@pytest.mark.parametrize("tokens", [1, 4, len(BEGINNING), len(BEGINNING) + 1])
def test_the_limit_counts_what_was_forced(model, tokens):
    (reply,), _ = play(model.decoder(0), [job(prompt(1), tokens=tokens)])
    assert (reply.output_tokens, reply.finish) == (tokens, "length")
    assert reply.text[: len(BEGINNING)] == BEGINNING[:tokens]
