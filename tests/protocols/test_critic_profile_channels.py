"""The bottleneck: forbidden channels stay shut, each would be caught if it were opened, and arms open theirs alone."""

import pytest
from canary import check_channels
from court import Court, note, objection, questions, rephrased, response, restated, session
from stage import stage

from madbench.agents import audit
from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_arms import (
    AsPublished,
    NoBottleneck,
    NoRephrase,
    RawArbiter,
    SplitJudge,
)
from madbench.protocols.critic_profile_seen import Manner, Restated
from madbench.protocols.replies import Statement
from madbench.types import Edge, LeakError, Observation, Reply

QUESTION = [Edge("problem", sink, via="Rephrased") for sink in ("answerer", "critic", "judge/Case")]
CRITIC = [Edge("answerer", "critic", via="Restatement")]
RULING = [Edge("answerer", f"judge/{sink}", via="Restatement") for sink in ("Case", "Criticised")]
ARMS = {
    CriticProfile: [*QUESTION, *CRITIC, *RULING],
    NoBottleneck: [*QUESTION, *RULING],
    NoRephrase: [*CRITIC, *RULING],
    RawArbiter: [*QUESTION, *CRITIC],
    AsPublished: QUESTION,
    SplitJudge: [
        Edge(e.source, e.sink.replace("judge", "arbiter"), e.via) for e in (*QUESTION, *CRITIC, *RULING)
    ],
}


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.__name__)
def test_each_arm_forbids_all_channels_but_those_it_opens(arm):
    assert list(arm.edges) == ARMS[arm]


def talkative(request):
    return Court(Restated=objection(), Criticised=note())(request)


@pytest.mark.parametrize(
    "arm", [CriticProfile, NoBottleneck, NoRephrase, RawArbiter, SplitJudge], ids=lambda arm: arm.__name__
)
def test_every_forbidden_channel_would_be_caught(arm, tmp_path):
    roles = {role: {"contract": {"enforcement": "prompt"}} for role in arm.plays}
    honest = check_channels(stage(arm(debate_rounds=2, roles=roles), talkative), tmp_path)
    assert {turn.seen for turn in honest.turns} >= {"Opening", "Restated", "Case", "Criticised"}


def heard(protocol, **says):
    (only,) = session(protocol, Court(**{"Restated": objection(), "Criticised": note(), **says}))
    return only


def test_an_honest_transcript_has_no_leaks_and_words_that_a_judge_repeats_are_quoted():
    raw = "I add four and five and get nine.\nAnswer: 9"
    turns = heard(CriticProfile(debate_rounds=1), Reply=restated(raw)).turns
    found = audit(questions(1)[0], turns, CriticProfile.edges)
    assert found.leaks == ()
    assert found.quoted > 0


def test_a_quick_question_played_with_words_that_recur_is_no_leak():
    """Small models echo their prompts, each other and themselves; none of that is a leak of the pipeline."""
    echo = "Four and five could also make ten, if one counts carelessly."
    heard(
        CriticProfile(debate_rounds=2),
        Question=rephrased(echo),
        Opening=f"{echo}\nAnswer: 9",
        Objected=response(echo),
        Reply=restated(echo),
    )


def test_twins_in_one_session_are_no_leak():
    """The answerer remembers a question whose twin, worded as the first was rephrased, comes later."""
    first, twin = questions(2)
    script = Court(Question=[rephrased(twin.question), rephrased()])
    assert len(session(CriticProfile(), script, [first, twin])) == 2


class Peeking(CriticProfile):
    """Shows the critic the reply in the place of its restatement, which its edges forbid."""

    to_critic = NoBottleneck.to_critic


def test_a_protocol_that_opens_a_channel_it_forbids_is_stopped_at_run_time():
    with pytest.raises(LeakError, match="answerer -> critic"):
        heard(Peeking())


def test_a_raw_reply_does_not_even_fit_the_critic_s_observation():

    said = Statement.read("Nine.\nAnswer: 9", questions(1)[0], cut=False)
    with pytest.raises(ValueError, match="heard"):
        Restated(question="?", heard=said, manner=Manner())


def test_observations_and_replies_are_closed():
    for base in (Observation, Reply):
        assert base.model_config["extra"] == "forbid"
        assert base.model_config["frozen"]
