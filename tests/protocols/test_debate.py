"""Debate: who hears whom, what is counted, what the control arms change and what they leave alone."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

import pytest
from stage import OTHER, SUM, Marked, Scripted, play, prompt_size, stage

from madbench.agents import Cast
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.debate import Debate
from madbench.protocols.hearing import Hearing
from madbench.protocols.replies import Statement
from madbench.protocols.revision import Conformist, Follower
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.solver import Asked
from madbench.types import (
    ContextError,
    InputError,
    Outcome,
    ProtocolSettings,
    RoleSettings,
    Sampling,
    Shot,
    StopReason,
)

GREEDY = RoleSettings(sampling=Sampling(temperature=0.0))


def words(request):
    """A reply that no other request gets, with one of three answers."""
    return f"Reply <{request.seed:016x}> settles it for me.\nAnswer: {request.seed % 3}"


def replies(text):
    return re.findall(r"<([0-9a-f]{16})>", text)


def said(played, seat, round):
    (mark,) = replies(played.turn("solver", seat, round).completion.text)
    return mark


def answers_in_order(*answers):
    """The given answers, request by request; None says nothing readable."""
    left = iter(answers)

    def script(request):
        answer = next(left)
        return "I cannot say anything about that." if answer is None else f"I am sure.\nAnswer: {answer}"

    return script


@pytest.mark.parametrize("agents", [2, 3, 5])
@pytest.mark.parametrize("exchanges", [1, 3])
def test_each_prompt_holds_exactly_the_peers_previous_replies(agents, exchanges):
    played = play(stage(Debate(agents=agents, debate_rounds=exchanges), words))
    for round in range(1, exchanges + 1):
        for seat in range(agents):
            peers = [said(played, peer, round - 1) for peer in range(agents) if peer != seat]
            assert replies(played.asked("solver", seat, round)) == peers


def test_sequential_seats_hear_what_those_before_them_just_said():
    played = play(stage(Debate(debate_rounds=2, hearing=Hearing(schedule="sequential")), words))
    for round in (1, 2):
        for seat in range(3):
            heard = [
                said(played, peer, round if peer < seat else round - 1) for peer in range(3) if peer != seat
            ]
            assert replies(played.asked("solver", seat, round)) == heard


@pytest.mark.parametrize(
    ("topology", "seats", "heard"),
    [
        ("all", 3, [[1, 2], [0, 2], [0, 1]]),
        ("ring", 5, [[1, 4], [0, 2], [1, 3], [2, 4], [0, 3]]),
        ("ring", 2, [[1], [0]]),
        ("ring", 1, [[]]),
        ("star", 4, [[1, 2, 3], [0], [0], [0]]),
        ("star", 1, [[]]),
    ],
)
def test_topologies(topology, seats, heard):
    hearing = Hearing(topology=topology)
    assert [hearing.heard_by(seat, seats) for seat in range(seats)] == heard
    played = play(stage(Debate(agents=seats, hearing=hearing), words))
    for seat in range(seats):
        assert replies(played.asked("solver", seat, 1)) == [said(played, peer, 0) for peer in heard[seat]]


def test_full_history_is_a_seats_own_chat():
    played = play(stage(Debate(debate_rounds=2), words))
    messages = played.turn("solver", 1, 2).request.messages
    assert [message.role for message in messages] == ["user", "assistant"] * 2 + ["user"]
    assert messages[:2] == (
        played.turn("solver", 1, 0).request.messages[0],
        replace(messages[1], text=played.turn("solver", 1, 0).completion.text),
    )


def test_last_only_forgets_all_but_its_own_last_reply():
    played = play(stage(Debate(debate_rounds=2, hearing=Hearing(memory="last_only")), words))
    (message,) = played.turn("solver", 1, 2).request.messages
    assert replies(message.text) == [said(played, seat, 1) for seat in (1, 0, 2)]


def test_the_question_and_its_form_are_put_again_in_every_exchange():
    played = play(stage(Debate(debate_rounds=2), words))
    assert all(turn.request.messages[-1].text.endswith(SUM.prompt) for turn in played.turns)


@pytest.mark.parametrize("schedule", ["synchronous", "sequential"])
def test_first_answers_are_the_votes_request_by_request(schedule):
    debate = play(stage(Debate(hearing=Hearing(schedule=schedule)), words))
    votes = play(stage(SelfConsistency(votes=3, pool=5), words))
    single = play(stage(ChainOfThought(), words))
    first = [debate.turn("solver", seat, 0).request for seat in range(3)]
    assert first == [votes.turn("solver", seat, 0).request for seat in range(3)]
    assert first[0] == single.turn("solver", 0, 0).request
    assert len({request.seed for request in first}) == 3


def test_worked_examples_stand_before_the_first_question_only_once():
    shown = replace(SUM, shots=(Shot("One and one?", "Answer: 2"),))
    played = play(stage(Debate(), words, problem=shown))
    messages = played.turn("solver", 0, 1).request.messages
    assert [message.text for message in messages[:2]] == ["One and one?", "Answer: 2"]
    assert sum("One and one?" in message.text for message in messages) == 1


def test_at_temperature_zero_the_order_of_agents_does_not_matter():
    base = play(stage(Debate(), words, settings=GREEDY))
    seeds = [base.turn("solver", seat, 0).request.seed for seat in range(3)]

    def outcome(first):
        def script(request):
            if len(request.messages) == 1:
                return f"Answer: {first[seeds.index(request.seed)]}"
            heard = re.findall("Answer: ([0-9])", request.messages[-1].text)
            return f"Answer: {max(heard)}"  # takes the largest answer it hears, whoever says it

        return play(stage(Debate(), script, settings=GREEDY)).outcome

    outcomes = [outcome(first) for first in permutations("123")]
    assert {(found.answer, tuple(sorted(found.positions[-1]))) for found in outcomes} == {
        ("3", ("2", "3", "3"))
    }


def test_prompts_grow_by_the_same_amount_every_round():
    """Replies of 100 words, 6 exchanges: linear in rounds and agents, never doubling."""
    long = " ".join(["word"] * 100)
    for agents in (3, 6):
        played = play(stage(Debate(agents=agents, debate_rounds=6), lambda request: long))
        sizes = [prompt_size(played.turn("solver", 0, round).request) for round in range(7)]
        steps = {later - earlier for earlier, later in pairwise(sizes[1:])}
        assert len(steps) == 1
        (step,) = steps
        overhead = step - 100 * agents  # own reply and one each of the peers
        assert 0 < overhead < 100
        stateless = Debate(agents=agents, debate_rounds=6, hearing=Hearing(memory="last_only"))
        played = play(stage(stateless, lambda request: long))
        assert len({prompt_size(played.turn("solver", 0, round).request) for round in range(1, 7)}) == 1


def test_a_reply_is_heard_once_in_a_prompt():
    played = play(stage(Debate(debate_rounds=3), words))
    for turn in played.turns:
        marks = replies(" ".join(message.text for message in turn.request.messages))
        assert len(marks) == len(set(marks))


def test_calls_and_tokens_add_up():
    """3 agents, 2 rounds as Du counts: 6 calls, each of its own size; nothing hidden, nothing twice."""
    played = play(stage(Debate(), lambda request: " ".join(["word"] * 10)))
    assert len(played.turns) == 6
    assert sum(turn.completion.output_tokens for turn in played.turns) == 60
    assert sum(turn.completion.prompt_tokens for turn in played.turns) == sum(
        prompt_size(turn.request) for turn in played.turns
    )
    assert [(turn.speaker.round, turn.speaker.turn) for turn in played.turns] == [(0, 0)] * 3 + [(1, 1)] * 3


@dataclass(frozen=True, kw_only=True)
class Judged(ProtocolSettings):
    """A debate whose last word is a judge's: what several agents on one model may cost."""

    plays = ("solver", "judge")

    async def __call__(self, problem, episode):
        rounds = await Debate().rounds(problem, episode)
        judge = episode.agent("judge", sees=Asked, says=Statement)
        said = await judge.ask(Asked(prompt="\n".join(statement.text for statement in rounds[-1])), round=2)
        return Outcome(said.answer, ((said.answer,),), StopReason.JUDGE)


class Metered(Scripted):
    async def generate(self, request):
        return replace(await super().generate(request), prompt_tokens=100, output_tokens=10)


def test_a_shared_model_is_charged_once_for_every_call():
    """3 agents, 2 rounds and a judge on one engine, 100 tokens in and 10 out each: 7 calls, 700 in, 70 out."""
    engine = Metered(words)
    turns = play(replace(stage(Judged(), words), cast=Cast({"default": [engine]}))).turns
    assert len(turns) == len(engine.heard) == 7
    assert sum(turn.completion.prompt_tokens for turn in turns) == 700
    assert sum(turn.completion.output_tokens for turn in turns) == 70
    split = Counter((turn.speaker.role, turn.speaker.round) for turn in turns)
    assert split == {("solver", 0): 3, ("solver", 1): 3, ("judge", 2): 1}


def test_every_exchange_takes_place_even_in_agreement():
    played = play(stage(Debate(debate_rounds=4), lambda request: "Answer: 9"))
    assert played.outcome.stop is StopReason.MAX_ROUNDS
    assert played.outcome.positions == (("9", "9", "9"),) * 5


def test_an_exchange_of_nobody_is_a_vote():
    played = play(stage(Debate(debate_rounds=0), words))
    assert len(played.turns) == 3
    assert len(played.outcome.positions) == 1


# Du's single agent, and the arms that are told nothing or something else


def test_a_single_agent_is_asked_to_check_its_own_reply():
    played = play(stage(Debate(agents=1, debate_rounds=2), words))
    assert len(played.turns) == 3
    alone = play(stage(Debate(peers="none", debate_rounds=2), words))
    assert played.asked("solver", 0, 1) == alone.asked("solver", 0, 1)
    assert "Others" not in played.asked("solver", 0, 1)


def test_agents_that_are_told_nothing_hear_nobody_and_are_asked_as_often():
    real, alone = (play(stage(Debate(peers=peers, debate_rounds=2), words)) for peers in ("real", "none"))
    assert len(alone.turns) == len(real.turns)
    assert all(not replies(alone.asked("solver", seat, round)) for seat in range(3) for round in (1, 2))
    assert [turn.request for turn in alone.turns[:3]] == [turn.request for turn in real.turns[:3]]
    # apart from what is heard, both are told the same and draw the same noise
    keep = "Keep your answer if you still believe it"
    assert alone.asked("solver", 0, 1).partition(keep)[1:] == real.asked("solver", 0, 1).partition(keep)[1:]
    assert alone.turn("solver", 1, 2).request.seed == real.turn("solver", 1, 2).request.seed


@pytest.mark.parametrize("hearing", [Hearing(), Hearing(memory="last_only", topology="ring")])
def test_strangers_words_come_from_the_same_round_of_another_questions_debate(hearing):
    protocol = Debate(peers="other_question", debate_rounds=2, hearing=hearing)
    played = play(stage(protocol, words))
    elsewhere = play(stage(Debate(debate_rounds=1, hearing=hearing), words, problem=OTHER))
    for round in (1, 2):
        for seat in range(3):
            strangers = [said(elsewhere, peer, round - 1) for peer in hearing.heard_by(seat, 3)]
            own = [said(played, seat, round - 1)] if hearing.memory == "last_only" else []
            assert replies(played.asked("solver", seat, round)) == own + strangers
    spare = [turn.request for turn in played.turns if turn.spare]
    assert sorted(map(repr, spare)) == sorted(repr(turn.request) for turn in elsewhere.turns)
    assert len(played.own) == 9
    assert not any(OTHER.question in turn.request.messages[-1].text for turn in played.own)


def test_strangers_need_a_second_question():
    with pytest.raises(InputError, match="another question"):
        play(replace(stage(Debate(peers="other_question"), words), other=None))


# Who says nothing


def test_a_seat_without_an_answer_still_speaks_and_never_votes():
    played = play(stage(Debate(), answers_in_order(None, None, "5", None, None, "5")))
    assert played.outcome.answer == "5"
    assert played.outcome.positions == ((None, None, "5"), (None, None, "5"))
    assert played.outcome.confidence == {"vote_share": 1.0}
    assert "I cannot say anything about that." in played.asked("solver", 2, 1)


def test_nobody_answers():
    played = play(stage(Debate(), lambda request: "Well."))
    assert played.outcome.answer is None
    assert played.outcome.confidence == {}
    assert played.outcome.facts["tied"] == []


def test_a_truncated_reply_is_no_vote_and_is_heard_as_far_as_it_goes():
    short = RoleSettings(sampling=Sampling(max_tokens=4))
    played = play(stage(Debate(), lambda request: "I would say that Answer: 7", settings=short))
    assert played.outcome.answer is None
    assert {turn.reading.status for turn in played.turns} == {"truncated"}
    assert "I would say that" in played.asked("solver", 0, 1)


@pytest.mark.parametrize("empty", ["", "  \n "])
def test_silence_leaves_no_empty_place(empty):
    """Who is shown an opponent's empty reply invents one."""
    script = {"solver": lambda request: empty if request.seed in silent else "So it is.\nAnswer: 1"}
    silent = [play(stage(Debate(), script_all)).turn("solver", 1, 0).request.seed for script_all in [words]]
    played = play(stage(Debate(), script))
    assert played.asked("solver", 0, 1).count('"""') == 2
    nobody = play(stage(Debate(), lambda request: empty))
    alone = play(stage(Debate(peers="none"), lambda request: empty))
    assert nobody.asked("solver", 0, 1) == alone.asked("solver", 0, 1)


# Votes and ties


def test_ties_are_flagged_and_drawn_by_seed_alone():
    table = ("1", "2", "3") * 2
    random, first, abstain = (
        play(stage(Debate(tie=tie), answers_in_order(*table))) for tie in ("random", "first", "abstain")
    )
    assert first.outcome.answer == "1"
    assert abstain.outcome.answer is None
    assert all(played.outcome.facts["tied"] == ["1", "2", "3"] for played in (random, first, abstain))
    turned = play(stage(Debate(), answers_in_order("3", "1", "2", "2", "3", "1")))
    assert turned.outcome.answer == random.outcome.answer
    scene = stage(Debate(), answers_in_order(*table))
    drawn = {
        play(replace(scene, cast=stage(Debate(), answers_in_order(*table)).cast, seed=seed)).outcome.answer
        for seed in range(40)
    }
    assert drawn == {"1", "2", "3"}


def test_unanswered_votes_do_not_outvote_an_answer():
    played = play(stage(Debate(), answers_in_order(None, None, "B", None, None, "B")))
    assert played.outcome.answer == "B"


def test_seat_zero_may_decide_alone():
    table = ("1", "1", "1", "4", "2", "2")
    assert play(stage(Debate(), answers_in_order(*table))).outcome.answer == "2"
    played = play(stage(Debate(decides="first"), answers_in_order(*table)))
    assert played.outcome.answer == "4"
    assert played.outcome.confidence == {}  # one voter's share says nothing
    mute = play(stage(Debate(decides="first"), answers_in_order("1", "1", "1", None, "2", "2")))
    assert mute.outcome.answer is None


def test_personas_are_system_messages_repeated_past_the_end():
    played = play(stage(Debate(personas=("You count twice.", "You doubt.")), words))
    systems = [played.turn("solver", seat, 1).request.messages[0] for seat in range(3)]
    assert [(message.role, message.text) for message in systems] == [
        ("system", "You count twice."),
        ("system", "You doubt."),
        ("system", "You count twice."),
    ]


# Rules under which a seat is not asked again

LAST = Hearing(memory="last_only")


def test_a_conformist_keeps_the_majoritys_answer_word_for_word():
    played = play(stage(Debate(revision=Conformist(), hearing=LAST), answers_in_order("1", "1", "2", "3")))
    assert played.outcome.positions == (("1", "1", "2"), ("1", "1", "3"))
    assert [(turn.speaker.seat, turn.speaker.round) for turn in played.turns[3:]] == [(2, 1)]


def test_without_a_single_majority_everybody_is_asked():
    for rule in (Conformist(), Follower(p=1.0)):
        played = play(stage(Debate(revision=rule, hearing=LAST), answers_in_order(*"123321")))
        assert played.outcome.positions[-1] == tuple("321")
        played = play(
            stage(Debate(revision=rule, hearing=LAST), answers_in_order(None, None, None, "1", "2", "3"))
        )
        assert len(played.turns) == 6


def test_a_later_ask_of_a_conformist_counts_its_own_turns():
    script = answers_in_order("1", "1", "2", "3", "4", "5", "6")
    played = play(stage(Debate(revision=Conformist(), hearing=LAST, debate_rounds=2), script))
    assert [(t.speaker.seat, t.speaker.round, t.speaker.turn) for t in played.turns[3:]] == [
        (2, 1, 1),
        (2, 2, 2),
    ]
    assert played.outcome.positions[-1] == ("1", "1", "4")


def test_the_majority_is_that_of_the_round_before():
    script = answers_in_order(*"123", *"112", "3")
    played = play(stage(Debate(revision=Conformist(), hearing=LAST, debate_rounds=2), script))
    assert played.outcome.positions == (tuple("123"), tuple("112"), tuple("113"))


def test_a_follower_takes_over_the_first_of_the_majoritys_replies():
    replies = iter(["No.\nAnswer: 2", "First.\nAnswer: 1", "Second.\nAnswer: 1"])
    played = play(
        stage(Debate(revision=Follower(p=1.0), hearing=LAST, debate_rounds=1), lambda request: next(replies))
    )
    assert len(played.turns) == 3
    said = [Statement.read(turn.completion.text, SUM, cut=False) for turn in played.turns]
    assert Follower(p=1.0).settled(2, [said], seed=0) == said[1]


def test_a_follower_draws_anew_in_every_round_and_seat():
    said = [Statement.read("Answer: 1", SUM, cut=False)] * 3
    rule = Follower(p=0.5)
    by_round = [rule.settled(0, [said] * rounds, seed=0) is None for rounds in range(1, 40)]
    by_seat = [rule.settled(seat, [said * 10], seed=0) is None for seat in range(30)]
    by_seed = [rule.settled(0, [said], seed=seed) is None for seed in range(40)]
    assert set(by_round) == set(by_seat) == set(by_seed) == {True, False}


def test_a_follower_takes_over_the_majoritys_reply():
    sure = play(stage(Debate(revision=Follower(p=1.0), hearing=LAST), answers_in_order("2", "1", "1")))
    assert sure.outcome.positions[-1] == ("1", "1", "1")
    never = play(stage(Debate(revision=Follower(p=0.0), hearing=LAST), answers_in_order(*"211211")))
    assert len(never.turns) == 6


def test_followers_follow_as_often_as_told():
    followed = 0
    for seed in range(400):
        scene = stage(Debate(agents=5, revision=Follower(p=0.3), hearing=LAST), lambda request: "Answer: 1")
        followed += 10 - len(play(replace(scene, seed=seed)).turns)
    assert 0.27 < followed / 2000 < 0.33  # 0.3 within three standard errors
    again = [
        play(stage(Debate(agents=5, revision=Follower(), hearing=LAST), words)).outcome for _ in range(2)
    ]
    assert again[0] == again[1]


def test_a_follower_remembers_the_reply_it_took_over():
    scene = stage(Debate(revision=Follower(p=0.5), hearing=LAST, debate_rounds=3), words)
    for seed in range(30):
        played = play(replace(scene, seed=seed))
        for turn in played.turns:
            if turn.speaker.round:
                own = replies(turn.request.messages[-1].text)[0]
                answer = played.outcome.positions[turn.speaker.round - 1][turn.speaker.seat]
                assert str(int(own, 16) % 3) == answer


# Bad settings


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"agents": 0}, "agents=0"),
        ({"debate_rounds": -1}, "debate_rounds=-1"),
        ({"peers": "some"}, "'some' is none of .*'other_question'"),
        ({"decides": "last"}, "'last' is none of"),
        ({"tie": "coin"}, "'coin' is none of .*'abstain'"),
        ({"revision": Conformist()}, "memory: last_only"),
        ({"revision": Follower(), "hearing": LAST, "peers": "none"}, "peers: real"),
        ({"agents": "three"}, r"protocol\.agents: Input should be a valid integer, found 'three'"),
        ({"agents": True}, "valid integer"),
        ({"debate_rounds": 1.5}, "valid integer"),
        ({"personas": [1, 2]}, r"protocol\.personas: Input should be a valid string"),
        ({"personas": "You doubt."}, r"protocol\.personas"),
        ({"tie": None}, "None is none of"),
        ({"roles": {"critic": {}}}, "no role .*critic.*solver"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, named):
    with pytest.raises(InputError, match=named):
        Debate(**settings)


def test_settings_of_parts_are_checked_too():
    with pytest.raises(InputError, match=r"hearing\.topology: 'mesh' is none of"):
        Hearing(topology="mesh")
    with pytest.raises(InputError, match=r"1\.5 is no probability"):
        Follower(p=1.5)
    with pytest.raises(InputError, match=r"revision\.p: Input should be a valid number, found 'often'"):
        Follower(p="often")
    assert Follower(p=1).p == 1
    assert Debate(personas=["You doubt."]).personas == ["You doubt."]


# What does not fit


def test_a_prompt_beyond_the_context_ends_the_episode_after_all_seats_were_heard():
    script = lambda request: " ".join(["word"] * 30)  # noqa: E731
    scene = stage(
        Debate(debate_rounds=3), script, context=150, settings=RoleSettings(sampling=Sampling(max_tokens=30))
    )
    with pytest.raises(ContextError, match="policy refuse"):
        play(scene)


def test_peers_may_be_cut_evenly_and_the_cut_is_recorded():
    def script(request):
        return " ".join(["word"] * (60 if len(request.messages) == 1 else 5))

    cut = RoleSettings(sampling=Sampling(max_tokens=60), context="cut_peers")
    played = play(stage(Debate(), script, context=270, settings=cut))
    turn = played.turn("solver", 0, 1)
    assert turn.cuts
    assert all(note.startswith("peers cut to") for note in turn.cuts)
    assert SUM.prompt in turn.request.messages[-1].text
    heard = [part.split() for part in turn.request.messages[-1].text.split('"""')[1::2]]
    assert len(heard) == 2
    assert abs(len(heard[0]) - len(heard[1])) <= 1 < 60 - len(heard[0])
    assert not played.turn("solver", 0, 0).cuts


def test_the_oldest_exchange_may_be_dropped_and_that_is_recorded():
    drop = RoleSettings(sampling=Sampling(max_tokens=30), context="drop_oldest")
    played = play(
        stage(Debate(debate_rounds=3), lambda request: " ".join(["word"] * 30), context=330, settings=drop)
    )
    turn = played.turn("solver", 0, 3)
    assert set(turn.cuts) == {"oldest exchange dropped"}
    assert SUM.prompt in turn.request.messages[-1].text
    assert len(turn.request.messages) == 7 - 2 * len(turn.cuts)


def test_equal_answers_in_other_words_are_one_vote():
    """The reader's canonical form is what is counted."""

    class Numbers(Marked):
        def canonical(self, answer):
            found = answer.strip().strip("$.")
            return str(int(float(found))) if found else None

    problem = replace(SUM, reader=Numbers())
    table = ("18", "18.0", "$20", "20", None)
    played = play(stage(Debate(agents=5, debate_rounds=0), answers_in_order(*table), problem=problem))
    assert played.outcome.positions == (("18", "18", "20", "20", None),)
    assert played.outcome.facts["tied"] == ["18", "20"]
    assert played.outcome.confidence == {"vote_share": 0.5}
