"""Whatever the settings of a debate: who is asked how often, who hears whom, and that it comes out the same again."""

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as some
from stage import play, stage

from madbench.agents import audit
from madbench.protocols.debate import Debate
from madbench.protocols.hearing import Hearing
from madbench.protocols.revision import Always, Conformist, Follower

HEARINGS = some.builds(
    Hearing,
    schedule=some.sampled_from(["synchronous", "sequential"]),
    memory=some.sampled_from(["full_history", "last_only"]),
    topology=some.sampled_from(["all", "ring", "star"]),
)
DEBATES = some.builds(
    Debate,
    agents=some.integers(1, 5),
    debate_rounds=some.integers(0, 3),
    hearing=HEARINGS,
    peers=some.sampled_from(["real", "none", "other_question"]),
    personas=some.sampled_from([(), ("You doubt.",)]),
    decides=some.sampled_from(["all", "first"]),
    tie=some.sampled_from(["random", "first", "abstain"]),
)
RULED = some.builds(
    Debate,
    agents=some.integers(1, 5),
    debate_rounds=some.integers(0, 3),
    hearing=HEARINGS.map(lambda hearing: replace(hearing, memory="last_only")),
    revision=some.sampled_from([Always(), Conformist(), Follower(p=0.5), Follower(p=1.0)]),
)


def words(request):
    """Unique words, one of two answers or none, now and then nothing at all."""
    mark = f"Reply <{request.seed:016x}>"
    return ["", mark, f"{mark}\nAnswer: 1", f"{mark}\nAnswer: 1", f"{mark}\nAnswer: 2"][request.seed % 5]


def marks(text):
    return re.findall("<([0-9a-f]{16})>", text)


@settings(max_examples=60, deadline=None)
@given(DEBATES, some.integers(0, 9))
def test_every_seat_is_asked_every_time_and_hears_whom_it_should(debate, seed):
    played = play(replace(stage(debate, words), seed=seed))
    said = {(t.speaker.round, t.speaker.seat): marks(t.completion.text) for t in played.own}
    strangers = {(t.speaker.round, t.speaker.seat): marks(t.completion.text) for t in played.turns if t.spare}
    assert set(said) == {(r, s) for r in range(debate.debate_rounds + 1) for s in range(debate.agents)}
    for turn in played.own:
        seat, round = turn.speaker.seat, turn.speaker.round
        peers = debate.hearing.heard_by(seat, debate.agents) if round and debate.peers != "none" else []
        sequential = debate.hearing.schedule == "sequential" and debate.peers == "real"
        place = {peer: (round if sequential and peer < seat else round - 1, peer) for peer in peers}
        source = strangers if debate.peers == "other_question" else said
        own = said[round - 1, seat] if round and debate.hearing.memory == "last_only" else []
        heard = [mark for peer in peers for mark in source[place[peer]]]
        assert marks(turn.request.messages[-1].text) == own + heard


@settings(max_examples=60, deadline=None)
@given(DEBATES | RULED, some.integers(0, 9))
def test_a_debate_keeps_its_books(debate, seed):
    scene = replace(stage(debate, words), seed=seed)
    played, again = play(scene), play(replace(scene, cast=stage(debate, words).cast))
    assert played == again
    outcome = played.outcome
    assert [len(answers) for answers in outcome.positions] == [debate.agents] * (debate.debate_rounds + 1)
    assert outcome.answer is None or outcome.answer in outcome.positions[-1]
    assert all(0 < share <= 1 for share in outcome.confidence.values())
    assert audit(scene.problem, played.own, debate.edges).leaks == ()
    for turn in played.own:
        text = turn.request.messages[-1].text
        assert '"""\n\n"""' not in text
        assert turn.reading.answer == outcome.positions[turn.speaker.round][turn.speaker.seat]
        roles = [message.role for message in turn.request.messages if message.role != "system"]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
