"""Agents: what a conversation remembers, who plays it, and which noise it draws."""

import asyncio
import json
from dataclasses import replace

import pytest
from stage import OTHER, SUM, Scripted, play, prompt_size, stage

from madbench.agents import Cast, Episode, Memory, Spent, settings_of, together
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.debate import Persona
from madbench.protocols.replies import Form, Line, Short, Statement
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.self_refine import Criticised, Feedback
from madbench.protocols.solver import Asked
from madbench.types import (
    Contract,
    FormatError,
    InputError,
    LeakError,
    ParseStatus,
    RoleSettings,
    Sampling,
)


def count(request):
    return f"Reply {sum(message.role == 'assistant' for message in request.messages)}.\nAnswer: 1"


def opened(script=count, **kwargs):
    """An episode, the turns it writes and the scene it plays in."""
    scene = stage(ChainOfThought(), script, **kwargs)
    turns = []
    return Episode(scene, turns.append), turns, scene


def asks(agent, *seen):
    async def all_of_them():
        return [await agent.ask(one) for one in seen]

    return asyncio.run(all_of_them())


ASKED = Asked(prompt=SUM.prompt)


def test_a_conversation_remembers_its_exchanges():
    episode, turns, _ = opened()
    asks(episode.agent("solver", sees=Asked, says=Statement), ASKED, ASKED, ASKED)
    assert [len(turn.request.messages) for turn in turns] == [1, 3, 5]
    assert turns[2].request.messages[1].text == "Reply 0.\nAnswer: 1"
    assert [turn.speaker.turn for turn in turns] == [0, 1, 2]


def test_a_conversation_may_remember_nothing():
    episode, turns, _ = opened()
    agent = episode.agent("solver", sees=Asked, says=Statement, memory=Memory(keep="nothing"))
    asks(agent, ASKED, ASKED)
    assert [len(turn.request.messages) for turn in turns] == [1, 1]
    assert turns[0].request.seed != turns[1].request.seed


def test_memory_is_carried_into_a_later_episode_as_plain_data():
    episode, _, scene = opened()
    first = episode.agent("solver", sees=Asked, says=Statement)
    asks(first, ASKED)
    stored = Memory.model_validate_json(first.memory.model_dump_json())
    turns = []
    later = Episode(replace(scene, problem=OTHER), turns.append)
    asks(later.agent("solver", sees=Asked, says=Statement, memory=stored), Asked(prompt=OTHER.prompt))
    assert [message.text for message in turns[0].request.messages] == [
        SUM.prompt,
        "Reply 0.\nAnswer: 1",
        OTHER.prompt,
    ]


def test_a_persona_stands_first_and_is_not_remembered_twice():
    episode, turns, _ = opened()
    who = Persona(description="You count twice.")
    agent = episode.agent("solver", sees=Asked, says=Statement, system=who)
    asks(agent, ASKED, ASKED)
    assert [message.role for message in turns[1].request.messages] == ["system", "user", "assistant", "user"]
    assert all(message.role != "system" for message in agent.memory.messages)


def test_the_same_seat_can_be_asked_for_something_else():
    episode, turns, _ = opened()
    first = episode.agent("solver", sees=Asked, says=Statement)
    second = first.also(sees=Criticised, says=Statement)
    asks(first, ASKED)
    asks(second, Criticised(advice="Look again.", instruction="Answer."))
    asks(first, ASKED)
    assert [turn.speaker.turn for turn in turns] == [0, 1, 2]
    assert [turn.seen for turn in turns] == ["Asked", "Criticised", "Asked"]
    assert len(turns[2].request.messages) == 5


def test_a_role_is_shown_only_what_it_was_opened_for():
    episode, turns, _ = opened()
    agent = episode.agent("solver", sees=Asked, says=Statement)
    with pytest.raises(LeakError, match="solver sees Asked, was shown Criticised"):
        asks(agent, Criticised(advice="Look again.", instruction="Answer."))
    assert turns == []


# Seeds


def seeds(protocol=None, *, turns=None, **changes):
    scene = replace(stage(protocol or SelfConsistency(votes=3, pool=3), count), **changes)
    return {turn.speaker: turn.request.seed for turn in play(scene).turns}


def test_seeds_differ_by_seat_sample_epoch_and_run_and_by_nothing_else():
    base = seeds()
    assert len(set(base.values())) == 3
    assert seeds() == base
    for change in ({"seed": 1}, {"epoch": 1}, {"problem": OTHER}):
        assert not set(seeds(**change).values()) & set(base.values())
    many = seeds(SelfConsistency(votes=5, pool=9))
    assert {speaker: many[speaker] for speaker in base} == base
    hot = replace(stage(ChainOfThought(), count), defaults=RoleSettings(sampling=Sampling(temperature=1.5)))
    assert play(hot).turns[0].request.seed in base.values()


def test_a_role_draws_from_its_own_stream():
    episode, turns, _ = opened()
    for role in ("solver", "critic"):
        asks(episode.agent(role, sees=Asked, says=Statement), ASKED)
    assert len({turn.request.seed for turn in turns}) == 2


# Casts


def test_seats_are_played_by_their_engines_repeated_past_the_end():
    engines = [Scripted(lambda request, name=name: f"Answer: {name}") for name in "ab"]
    scene = replace(stage(SelfConsistency(votes=5, pool=5), count), cast=Cast({"solver": engines}))
    assert play(scene).outcome.positions == (("a", "b", "a", "b", "a"),)


def test_default_plays_every_role_without_players_of_its_own():
    own, rest = Scripted(count), Scripted(count)
    cast = Cast({"critic": [own], "default": [rest], "judge": []})
    assert cast.engine("critic", 3) is own
    assert cast.engine("solver", 0) is rest
    assert cast.engine("judge", 0) is rest
    with pytest.raises(InputError, match=r"nobody plays solver; there is \['critic'\]"):
        Cast({"critic": [own]}).engine("solver", 0)


# Settings of roles


def test_settings_of_a_role_are_the_runs_unless_the_protocol_says_otherwise():
    defaults = RoleSettings(sampling=Sampling(temperature=0.7, max_tokens=99), context="drop_oldest")
    protocol = ChainOfThought(
        roles={"solver": {"sampling": {"temperature": 0.0}, "contract": {"wording": "permissive"}}}
    )
    settings = settings_of("solver", protocol, defaults)
    assert settings.sampling == Sampling(temperature=0.0, max_tokens=99)
    assert settings.contract == Contract(wording="permissive")
    assert settings.context == "drop_oldest"
    assert settings_of("critic", protocol, defaults) == defaults


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"sampling": {"temperature": -1.0}}, r"protocol\.roles\.solver\.sampling\.temperature"),
        ({"sampling": {"heat": 1.0}}, r"protocol\.roles\.solver\.sampling\.heat"),
        ({"contract": {"enforcement": "please"}}, r"contract\.enforcement.*'prompt'.*found 'please'"),
        ({"context": "grow"}, r"protocol\.roles\.solver\.context"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(settings, named):
    with pytest.raises(InputError, match=named):
        settings_of("solver", ChainOfThought(roles={"solver": settings}), RoleSettings())


def test_whole_numbers_are_fine_where_numbers_are_wanted():
    settings = settings_of(
        "solver", ChainOfThought(roles={"solver": {"sampling": {"temperature": 1}}}), RoleSettings()
    )
    assert settings.sampling.temperature == 1.0


# Repair


def repairing(*replies, repairs=1):
    left = iter(replies)
    settings = RoleSettings(contract=Contract(enforcement="repair", repairs=repairs))
    return opened(lambda request: next(left), settings=settings)


GOOD = '{"advice": "Look again.", "verdict": "revise"}'


def test_a_repair_names_what_was_missing_and_shows_the_failed_reply_once():
    episode, turns, _ = repairing("no", '{"advice": "Look."}', GOOD, repairs=2)
    agent = episode.agent("critic", sees=Asked, says=Feedback)
    (said,) = asks(agent, ASKED)
    assert said.verdict == "revise"
    assert [turn.speaker.attempt for turn in turns] == [0, 1, 2]
    assert [turn.reading.status for turn in turns] == ["missing", "missing", "repaired"]
    assert [len(turn.request.messages) for turn in turns] == [1, 3, 3]
    assert "no JSON object" in turns[1].request.messages[-1].text
    assert "verdict: Field required" in turns[2].request.messages[-1].text
    assert '"maxLength": 240' in turns[2].request.messages[-1].text
    assert len({turn.request.seed for turn in turns}) == 3
    # what is remembered is the exchange as it should have been
    assert [message.text for message in agent.memory.messages] == [ASKED.prompt, GOOD]


def test_no_more_repairs_than_allowed():
    episode, turns, _ = repairing("no", "no", "no")
    with pytest.raises(FormatError, match="critic0: no JSON object"):
        asks(episode.agent("critic", sees=Asked, says=Feedback), ASKED)
    assert len(turns) == 2


def test_nothing_is_repaired_where_the_contract_only_asks():
    episode, turns, _ = opened(lambda request: "no")
    with pytest.raises(FormatError):
        asks(episode.agent("critic", sees=Asked, says=Feedback), ASKED)
    assert len(turns) == 1


def test_an_answer_that_is_missing_is_asked_for_once_more():
    episode, turns, _ = repairing("Well.", "Answer: 9")
    (said,) = asks(episode.agent("solver", sees=Asked, says=Statement), ASKED)
    assert said.answer == "9"
    assert SUM.reader.instruction in turns[1].request.messages[-1].text
    assert turns[1].reading.status is ParseStatus.REPAIRED


def test_a_repaired_reply_is_charged_with_all_its_attempts():
    episode, turns, _ = repairing("Well.", "Answer: 9")
    asks(episode.agent("solver", sees=Asked, says=Statement), ASKED)
    assert [turn.completion.prompt_tokens for turn in turns] == [prompt_size(turn.request) for turn in turns]


class Pair(Form):
    """Two numbers, either of which can come later."""

    one: int | None = None
    two: int | None = None

    def missing(self):
        return " and ".join(name for name in ("one", "two") if getattr(self, name) is None)

    def joined(self, earlier):
        return Pair(one=self.one or earlier.one, two=self.two or earlier.two)


@pytest.mark.parametrize("second", ['{"two": 2}', '{"one": null, "two": 2}'])
def test_a_reply_read_in_part_is_asked_for_the_rest_and_keeps_what_it_gave(second):
    episode, turns, _ = repairing('{"one": 1}', second)
    (said,) = asks(episode.agent("critic", sees=Asked, says=Pair), ASKED)
    assert (said.one, said.two) == (1, 2)
    assert [turn.reading.status for turn in turns] == ["missing", "repaired"]
    assert "could not be read: two." in turns[1].request.messages[-1].text


@pytest.mark.parametrize("second", ["no", "{}"])
def test_what_no_repair_completes_is_given_back_in_part(second):
    episode, turns, _ = repairing('{"one": 1}', second)
    (said,) = asks(episode.agent("critic", sees=Asked, says=Pair), ASKED)
    assert (said.one, said.two) == (1, None)
    assert turns[1].reading.status is ParseStatus.MISSING


def test_an_episode_knows_what_it_has_spent_repairs_included_and_spare_turns_not():
    episode, turns, _ = repairing("Well.", "Answer: 9", "Answer: 7")
    assert episode.spent == Spent(0, 0)
    asks(episode.agent("solver", sees=Asked, says=Statement), ASKED)
    tokens = sum(turn.completion.prompt_tokens + turn.completion.output_tokens for turn in turns)
    assert episode.spent == Spent(2, tokens)
    asks(episode.uncharged.agent("solver", sees=Asked, says=Statement, seat=1), ASKED)
    assert (len(turns), episode.spent) == (3, Spent(2, tokens))


class Verdict(Form):
    why: Short
    holds: bool
    answer: Line


def test_a_schema_keeps_the_order_of_its_fields():
    """A grammar writes them in this order: the reason before what it is a reason for."""
    settings = RoleSettings(contract=Contract(enforcement="grammar"))
    reply = '{"why":"So it is.","holds":true,"answer":"9"}'
    episode, turns, _ = opened(lambda request: reply, settings=settings)
    asks(episode.agent("judge", sees=Asked, says=Verdict), ASKED)
    schema = turns[0].request.schema
    assert list(json.loads(schema)["properties"]) == ["why", "holds", "answer"]
    assert ": " not in schema


# Several at once


def test_turns_are_recorded_in_the_order_of_their_asks():
    for seed in range(20):  # the scripted engine replies in an order that depends on the seeds
        turns = play(replace(stage(SelfConsistency(votes=4, pool=6), count), seed=seed)).turns
        assert [turn.speaker.seat for turn in turns] == list(range(6))
        assert [turn.spare for turn in turns] == [False] * 4 + [True] * 2


def test_together_waits_for_all_and_raises_the_first_failure_in_order():
    done = []

    async def ask(number, wait):
        for _ in range(wait):
            await asyncio.sleep(0)
        done.append(number)
        if number in (1, 2):
            raise ValueError(number)
        return number

    with pytest.raises(ValueError, match="1"):
        asyncio.run(together(ask(0, 9), ask(1, 5), ask(2, 1), ask(3, 3)))
    assert sorted(done) == [0, 1, 2, 3]
    assert asyncio.run(together(ask(0, 3), ask(4, 0))) == [0, 4]


def test_a_failing_seat_loses_no_turn_of_the_others():
    def script(request):
        if request.seed == doomed:
            raise OSError("node lost")
        return count(request)

    doomed = None
    whole = play(stage(SelfConsistency(votes=4, pool=4), script)).turns
    doomed, turns = whole[1].request.seed, []
    scene = stage(SelfConsistency(votes=4, pool=4), script)
    with pytest.raises(OSError, match="node lost"):
        asyncio.run(scene.protocol(scene.problem, Episode(scene, turns.append)))
    assert [turn.speaker.seat for turn in turns] == [0, 2, 3]
