"""The engine for servers against a real one on loopback: what is sent, what fails and how, what is never written."""

import asyncio
import json
import time

import pytest
from engines.conformance import SCHEMA, request
from engines.served import cut, first, garbage, serving, slow, status

from madbench.engines.budget import Budget
from madbench.engines.openai import OpenAIModel
from madbench.engines.server_settings import Serving, Traffic
from madbench.engines.wire import Token, pieces_of
from madbench.types import Completion, ContextError, EngineError, InputError

ALL = Serving(features=("seeded", "grammar", "logprobs"), context=512, bytes_per_token=4)


def model(url, **changes):
    settings = {"serving": ALL, "traffic": Traffic(concurrency=8, retries=4), **changes}
    return OpenAIModel(name="served", base_url=url, model="sim", **settings)


def ask(settings, requests):
    """Everything that comes back, in order, and the engine."""

    async def run():
        async with settings.open() as engine:
            asked = (engine.generate(one) for one in requests)
            return await asyncio.gather(*asked, return_exceptions=True), engine

    return asyncio.run(run())


def questions(n=24):
    return [request(i, temperature=0.8, seed=i) for i in range(n)]


def texts(completions):
    return [one.text for one in completions]


@pytest.fixture(scope="module")
def undisturbed():
    with serving() as server:
        return texts(ask(model(server.url), questions())[0])


FAULTS = {
    "told to wait": status(429, '{"error": {"message": "slow down"}}', retry_after="0.05"),
    "broken": status(500, "oops", retry_after="0.05"),
    "away": status(503, retry_after="0.05"),
    "cut off": cut,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_passing_faults_lose_and_double_nothing(fault, undisturbed):
    with serving(fault=first(1, fault)) as server:
        completions, engine = ask(model(server.url), questions())
    assert texts(completions) == undisturbed
    assert sorted(server.log.answered) == sorted(set(server.log.answered))
    assert len(server.log.answered) == len(questions()) == engine.purse.calls
    assert set(server.log.tries.values()) == {2}


def test_faults_of_every_kind_at_once_lose_and_double_nothing(undisturbed):
    def fault(exchange):
        kinds = [*FAULTS.values(), slow(0.05)]
        return exchange.tries <= 2 and kinds[(exchange.number * 7 + exchange.tries) % len(kinds)](exchange)

    with serving(fault=fault) as server:
        completions, _ = ask(model(server.url), questions())
    assert texts(completions) == undisturbed
    assert len(server.log.answered) == len(set(server.log.answered)) == len(questions())


def test_a_server_is_asked_again_when_it_said_so():
    with serving(fault=first(1, status(429, retry_after="1.2"))) as server:
        ask(model(server.url), questions(1))
    before, after = server.log.times
    assert 1.2 <= after - before < 5


def test_no_more_calls_at_once_than_wanted():
    with serving(fault=slow(0.2)) as server:
        ask(model(server.url, traffic=Traffic(concurrency=3)), questions())
    assert server.log.most == 3


def only(text, fault):
    """A fault for one question alone."""
    return lambda exchange: text in exchange.body["messages"][0]["content"] and fault(exchange)


USAGE = '"usage": {"prompt_tokens": 1, "completion_tokens": 1}'
LASTING = {
    "broken": (status(500, "oops", retry_after="0.01"), EngineError, "status 500: oops"),
    "garbage": (garbage, EngineError, "no chat completion.*Invalid JSON.*begins"),
    "another JSON": (status(200, '{"text": "hi"}'), EngineError, "no chat completion: choices: Field required"),
    "cut off": (cut, EngineError, "no answer"),
    "too long": (
        status(400, '{"error": {"message": "This model\'s maximum context length is 512 tokens."}}'),
        ContextError,
        "maximum context",
    ),
    "unknown model": (status(404, '{"error": "no model sim"}'), InputError, "served: status 404.*no model sim"),
    "withheld": (status(400, '{"error": {"code": "content_filter"}}'), EngineError, "content_filter"),
    "odd end": (
        status(200, f'{{"choices": [{{"message": {{}}, "finish_reason": "tool_calls"}}], {USAGE}}}'),
        EngineError,
        "ended by 'tool_calls'",
    ),
    "odd bytes": (
        status(200, '{"choices": [{"message": {}, "logprobs": {"content": [{"token": "a", "bytes": [605]}]}}]}'),
        EngineError,
        r"no chat completion: choices\.0.*\.bytes\.0: Input should be less than or equal to 255",
    ),
    "no usage": (
        status(200, '{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'),
        InputError,
        "no `usage`",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fault", "kind", "said"), LASTING.values(), ids=LASTING)
def test_a_lasting_fault_is_one_call_s_own(fault, kind, said, undisturbed):
    with serving(fault=only("Question 3:", fault)) as server:
        settings = model(server.url, traffic=Traffic(concurrency=8, retries=1))
        ends, engine = ask(settings, questions())
    assert isinstance(ends[3], kind)
    with pytest.raises(kind, match=said):
        raise ends[3]
    assert texts(ends[:3] + ends[4:]) == undisturbed[:3] + undisturbed[4:]
    assert engine.purse.calls == len(questions()) - 1


def test_a_server_that_hangs_is_given_up():
    with serving(fault=slow(1.5)) as server:
        began = time.monotonic()
        settings = model(server.url, traffic=Traffic(retries=0, timeout_seconds=0.2))
        [end], _ = ask(settings, questions(1))
        assert time.monotonic() - began < 1.4
    assert isinstance(end, EngineError)
    assert "timed out" in str(end)


def test_nobody_there():
    with serving() as server:
        url = server.url
    with pytest.raises(InputError, match=r"no server answers at http://127\.0"):
        ask(model(url, traffic=Traffic(retries=0)), [])


@pytest.mark.parametrize("calls", [0, 1, 7])
def test_a_budget_of_calls_binds(calls, undisturbed):
    with serving(fault=slow(0.01)) as server:
        ends, engine = ask(model(server.url, budget=Budget(calls=calls)), questions())
    done = [one for one in ends if isinstance(one, Completion)]
    assert len(done) == len(server.log.answered) == engine.purse.calls == calls
    assert all(one.text in undisturbed for one in done)
    refused = [str(one) for one in ends if isinstance(one, EngineError)]
    assert len(refused) == len(ends) - calls
    assert set(refused) == {
        f"model served: budget.calls: {calls} of {calls} are made; raise it and run the same command again"
    }


@pytest.mark.parametrize("tokens", [0, 100, 500, 800])
def test_a_budget_of_tokens_binds_and_is_used(tokens):
    with serving(fault=slow(0.01)) as server:
        ends, engine = ask(model(server.url, budget=Budget(tokens=tokens)), questions())
    done = [one for one in ends if isinstance(one, Completion)]
    spent = sum(one.prompt_tokens + one.output_tokens for one in done)
    assert engine.purse.tokens == spent <= tokens
    assert all(isinstance(one, Completion | EngineError) for one in ends)
    assert len(done) < len(ends)
    assert tokens - spent < 300  # no more left than one call might have taken


def test_a_failed_call_frees_what_it_held():
    with serving(fault=only("Question 0:", garbage)) as server:
        ends, _ = ask(model(server.url, budget=Budget(calls=2), traffic=Traffic(concurrency=1)), questions(4))
    assert [type(one) for one in ends] == [EngineError, Completion, Completion, EngineError]


def sent(settings, one):
    """The body of one request."""
    seen = []
    with serving(fault=lambda exchange: seen.append(exchange.body)) as server:
        [end], _ = ask(settings(server.url), [one])
    assert isinstance(end, Completion)
    return seen[0]


def test_what_is_sent():
    asked = request(1, temperature=0.5, tokens=40, seed=2**62, schema=SCHEMA)
    body = sent(model, asked)
    assert body == {
        "model": "sim",
        "messages": [{"role": "user", "content": asked.messages[0].text}],
        "temperature": 0.5,
        "top_p": 1.0,
        "max_tokens": 40,
        "seed": 2**62 % (2**31 - 1),
        "logprobs": True,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": json.loads(SCHEMA)},
        },
    }


def test_what_is_not_declared_is_not_sent():
    extra = {"top_k": 0, "temperature": 9}
    body = sent(lambda url: model(url, serving=Serving(extra=extra)), request(1, temperature=0.5, seed=7))
    assert set(body) == {"model", "messages", "temperature", "top_p", "max_tokens", "top_k"}
    assert body["temperature"] == 0.5


def test_greedy_requests_draw_nothing():
    assert set(sent(model, request(1))) == {"model", "messages", "temperature", "max_tokens", "logprobs"}


def test_nothing_but_what_decides_replies_is_in_the_fingerprint():
    base = model("http://a/v1")
    same = [
        model("http://a/v1/").model_copy(update={"name": "x"}),
        base.model_copy(update={"traffic": Traffic(concurrency=2)}),
        base.model_copy(update={"budget": Budget(calls=3)}),
        base.model_copy(update={"key_variable": "OTHER_KEY"}),
    ]
    others = [
        model("http://b/v1"),
        base.model_copy(update={"model": "sim2"}),
        base.model_copy(update={"revision": "2"}),
        base.model_copy(update={"serving": Serving(features=("seeded",))}),
        base.model_copy(update={"serving": Serving(features=ALL.features, extra={"top_k": 0})}),
    ]
    assert {one.fingerprint() for one in same} == {base.fingerprint()}
    assert len({one.fingerprint() for one in (base, *others)}) == 1 + len(others)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"base_url": "127.0.0.1:80"}, "wanted http"),
        ({"base_url": "ftp://host/v1"}, "wanted http"),
        ({"base_url": "http://user:canary-123@host/v1"}, "more than an address"),
        ({"base_url": "http://host/v1?api-key=canary-123"}, "more than an address"),
        ({"key_variable": "MADBENCH_NO_SUCH_KEY"}, "no key in the environment variable MADBENCH_NO_SUCH_KEY"),
    ],
)
def test_bad_settings_are_refused_without_a_word_of_a_key(changes, said):
    with pytest.raises(InputError, match=said) as caught:
        model("http://host/v1").model_copy(update=changes).check()
    assert "canary" not in str(caught.value)


def test_a_key_s_variable_must_sound_like_one():
    with pytest.raises(ValueError, match="key_variable"):
        model("http://host/v1", key_variable="WANDB_MODE")


def test_an_echoed_key_is_never_repeated(monkeypatch):
    monkeypatch.setenv("CANARY_KEY", "canary-123")
    echoes = [
        status(401, '{"error": {"message": "bad key canary-123"}}'),
        status(500, "x" * 395 + "canary-123", retry_after="0.01"),
        status(200, "canary-123 is no JSON"),
    ]
    for echo in echoes:
        with serving(fault=echo) as server:
            settings = model(server.url, key_variable="CANARY_KEY", traffic=Traffic(retries=1))
            [end], engine = ask(settings, questions(1))
        assert server.log.keys == {"Bearer canary-123"}
        assert isinstance(end, InputError | EngineError)
        assert "canary" not in f"{end!r} {end.__cause__!r} {engine.facts()}"


def test_pieces_are_put_together_from_bytes():
    euro = "€".encode()
    tokens = [
        Token(token="a", logprob=-0.5, bytes=[97]),
        Token(token="\\xe2", logprob=-1.0, bytes=list(euro[:1])),
        Token(token="\\x82\\xac", logprob=-2.0, bytes=list(euro[1:])),
        Token(token="<|end|>", logprob=-0.1, bytes=list(b"<|end|>")),
    ]
    assert pieces_of(tokens, "a€") == (("a", -0.5), ("", -1.0), ("€", -2.0))
    assert pieces_of(tokens, "b€") == ()
    assert pieces_of(tokens[:1], "a€") == ()
    assert pieces_of([Token(token="a"), *tokens[1:]], "a€") == ()
