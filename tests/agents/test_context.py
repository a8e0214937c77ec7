"""Prompts that do not fit: each policy to the word, and what it leaves in the record."""

import asyncio

import pytest
from stage import SUM, play, stage

from madbench.agents import Episode
from madbench.protocols.debate import Debate, Exchange
from madbench.protocols.replies import Statement
from madbench.protocols.solver import Asked
from madbench.types import ContextError, RoleSettings, Sampling

FIVE = Sampling(max_tokens=5)


def asked(seen, context, policy, *, before=()):
    """The turn that asking for this leaves, after some exchanges of the same seat."""
    scene = stage(
        Debate(),
        lambda request: "one two",
        context=context,
        settings=RoleSettings(sampling=FIVE, context=policy),
    )
    turns = []
    agent = Episode(scene, turns.append).agent("solver", sees=Asked, says=Statement)

    async def ask():
        for prompt in before:
            await agent.ask(Asked(prompt=prompt))
        await agent.also(sees=type(seen), says=Statement).ask(seen)

    asyncio.run(ask())
    return turns[-1]


LONG = Exchange(prompt="the question", own="", peers=("a " * 80, "b " * 40, "c"))


@pytest.mark.parametrize("policy", ["refuse", "drop_oldest", "cut_peers"])
def test_what_fits_is_left_alone(policy):
    turn = asked(LONG, 10_000, policy)
    assert turn.cuts == ()
    assert turn.request.messages[-1].text.count("a ") >= 80


def test_refusing_names_the_excess_and_the_policy():
    with pytest.raises(ContextError, match=r"exceeds the context by \d+ tokens \(policy refuse\)"):
        asked(LONG, 100, "refuse")


def test_peers_are_cut_evenly_from_the_longest():
    turn = asked(LONG, 150, "cut_peers")
    assert turn.cuts
    first, second, third = (part.split() for part in turn.request.messages[-1].text.split('"""')[1::2])
    assert len(first) < 80
    assert len(second) <= len(first)
    assert third == ["c"]  # what is short already loses nothing
    assert turn.request.messages[-1].text.endswith("the question")
    assert turn.completion.prompt_tokens + FIVE.max_tokens <= 150


def test_peers_are_not_cut_to_nothing():
    with pytest.raises(ContextError, match="policy cut_peers"):
        asked(LONG, 20, "cut_peers")


def test_cutting_peers_needs_peers():
    with pytest.raises(ContextError):
        asked(Asked(prompt="word " * 99), 50, "cut_peers")


def test_the_oldest_exchanges_go_first_and_the_present_stays():
    before = ["first " * 20, "second " * 20, "third " * 20]
    turn = asked(Asked(prompt="now"), 60, "drop_oldest", before=before)
    texts = [message.text for message in turn.request.messages]
    assert texts == [before[1].strip(), "one two", before[2].strip(), "one two", "now"]
    assert turn.cuts == ("oldest exchange dropped",)


def test_a_single_prompt_that_is_too_long_cannot_be_helped_by_dropping():
    with pytest.raises(ContextError, match="policy drop_oldest"):
        asked(Asked(prompt="word " * 99), 50, "drop_oldest")


def test_the_room_for_the_reply_counts():
    words = len(SUM.prompt.split())
    assert asked(Asked(prompt=SUM.prompt), words + 5, "refuse").cuts == ()
    with pytest.raises(ContextError, match="by 1 tokens"):
        asked(Asked(prompt=SUM.prompt), words + 4, "refuse")


def test_a_context_that_ends_a_debate_leaves_its_earlier_rounds_in_the_record():
    scene = stage(Debate(debate_rounds=3), lambda request: "word " * 20 + "end", context=150)
    turns = []
    with pytest.raises(ContextError):
        asyncio.run(scene.protocol(scene.problem, Episode(scene, turns.append)))
    assert {turn.speaker.round for turn in turns} == set()  # 512 tokens for a reply never fitted
    scene = stage(
        Debate(debate_rounds=3),
        lambda request: "word " * 20 + "end",
        context=200,
        settings=RoleSettings(sampling=Sampling(max_tokens=21)),
    )
    with pytest.raises(ContextError):
        asyncio.run(scene.protocol(scene.problem, Episode(scene, turns.append)))
    assert sorted({turn.speaker.round for turn in turns}) == [0, 1]
    assert len(turns) == 6


def test_context_policies_apply_role_by_role():
    roles = {"solver": {"context": "cut_peers", "sampling": {"max_tokens": 60}}}
    played = play(stage(Debate(roles=roles), lambda request: "word " * 59 + "end", context=280))
    assert played.turn("solver", 0, 1).cuts
