"""What every engine must do: subclass, and give an `opened` context manager factory of an engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from madbench.types import Capability, Completion, ContextError, Engine, Message, Model, Request, Sampling

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "enum": ["A", "B"]},
            "reason": {"type": "string", "maxLength": 12},
            "sure": {"type": "boolean"},
        },
        "required": ["answer", "reason", "sure"],
        "additionalProperties": False,
    }
)


def request(
    i: int, *, temperature: float = 0.0, tokens: int = 12, schema: str | None = None, seed: int = 0
) -> Request:
    """Questions of very different lengths."""
    text = f"Question {i}: ⟦truth=B options=ABCD⟧ " + "so it goes on " * (i % 5 * 3)
    return Request(
        (Message("user", text),), Sampling(temperature=temperature, max_tokens=tokens), seed, schema
    )


class Conformance:
    """`model` and `context` (tokens) come from the subclass."""

    @pytest.fixture
    def model(self) -> Model:
        raise NotImplementedError

    @pytest.fixture
    def limit(self) -> int | None:
        """The context in tokens; None where whatever is asked for fits."""
        return 512

    def play(self, model: Model, what: Callable[[Engine], Awaitable[object]]) -> object:
        async def run() -> object:
            async with model.open() as engine:
                return await what(engine)

        return asyncio.run(asyncio.wait_for(run(), 300))

    def ask(self, model: Model, requests: list[Request]) -> list[Completion]:
        async def all_at_once(engine: Engine) -> list[Completion]:
            return await asyncio.gather(*(engine.generate(one) for one in requests))

        return self.play(model, all_at_once)  # type: ignore[return-value]

    def ask_in_turn(self, model: Model, requests: list[Request]) -> list[Completion]:
        async def one_by_one(engine: Engine) -> list[Completion]:
            return [await engine.generate(one) for one in requests]

        return self.play(model, one_by_one)  # type: ignore[return-value]

    def test_callers_get_their_own_completions_whatever_runs_beside_them(self, model):
        requests = [request(i, tokens=4 + i % 9) for i in range(13)]
        together, alone = self.ask(model, requests), self.ask_in_turn(model, requests)
        assert [one.text for one in together] == [one.text for one in alone]
        assert [one.finish for one in together] == [one.finish for one in alone]

    def test_counts_are_the_rows_own(self, model):
        short, long = self.ask(model, [request(0, tokens=3), request(4, tokens=9)])
        assert long.prompt_tokens > short.prompt_tokens
        assert 1 <= short.output_tokens <= 3
        assert 1 <= long.output_tokens <= 9

    def test_a_row_that_does_not_fit_fails_alone(self, model, limit):
        if limit is None:
            pytest.skip(f"{model.name} has no context of its own")

        async def both(engine: Engine) -> list[object]:
            asked = [request(1), request(2, tokens=limit), request(3)]
            assert engine.excess(asked[1]) > 0 >= engine.excess(asked[0])
            return await asyncio.gather(*(engine.generate(one) for one in asked), return_exceptions=True)

        first, too_long, last = self.play(model, both)
        assert isinstance(too_long, ContextError)
        assert isinstance(first, Completion)
        assert isinstance(last, Completion)

    def test_excess_counts_every_token_of_the_reply(self, model, limit):
        if limit is None:
            pytest.skip(f"{model.name} has no context of its own")

        async def excesses(engine: Engine) -> tuple[int, int]:
            return engine.excess(request(1, tokens=5)), engine.excess(request(1, tokens=8))

        few, more = self.play(model, excesses)
        assert more - few == 3

    def test_identity_depends_on_all_that_decides_the_reply_and_nothing_else(self, model):
        base = request(1, temperature=0.5, seed=1)
        others = [
            request(2, temperature=0.5, seed=1),
            request(1, temperature=0.6, seed=1),
            request(1, temperature=0.5, seed=2),
            request(1, temperature=0.5, seed=1, tokens=13),
            request(1, temperature=0.5, seed=1, schema=SCHEMA),
        ]

        async def identities(engine: Engine) -> list[str]:
            greedy = [request(1, seed=1), request(1, seed=2)]
            return [engine.identity(one) for one in (base, base, *greedy, *others)]

        first, again, greedy, greedy_again, *rest = self.play(model, identities)
        assert first == again
        assert greedy == greedy_again
        assert len({first, greedy, *rest}) == 2 + len(others)

    def test_equal_seeds_give_equal_replies_and_other_seeds_other_ones(self, model):
        self.needs(model, Capability.SEEDED)
        requests = [request(i % 3, temperature=0.9, seed=i) for i in range(20)]
        first = [one.text for one in self.ask(model, requests)]
        assert [one.text for one in self.ask(model, requests[::-1])][::-1] == first
        assert len(set(first)) > 3

    def test_a_grammar_holds_by_construction(self, model):
        self.needs(model, Capability.GRAMMAR)
        requests = [
            request(i, temperature=1.0 * (i % 2), seed=i, tokens=120, schema=SCHEMA) for i in range(6)
        ]
        for one in self.ask(model, requests):
            assert one.finish == "stop"
            read = json.loads(one.text)
            assert set(read) == {"answer", "reason", "sure"}
            assert read["answer"] in "AB"
            assert len(read["reason"]) <= 12

    def test_pieces_spell_the_text_and_carry_log_probabilities(self, model):
        self.needs(model, Capability.LOGPROBS)
        for one in self.ask(model, [request(i, temperature=0.8, seed=i) for i in range(6)]):
            assert one.pieces
            assert "".join(text for text, _ in one.pieces) == one.text
            assert all(share <= 0 for _, share in one.pieces)

    def needs(self, model: Model, capability: Capability) -> None:
        if capability not in model.capabilities:
            pytest.skip(f"{model.name} does not declare {capability}")
