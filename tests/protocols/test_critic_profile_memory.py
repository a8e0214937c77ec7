"""Critic and profile over a session: what outlives a question, and what dies with it."""

import itertools
import json

import pytest
from court import (
    DONE,
    Court,
    form,
    note,
    objection,
    one,
    questions,
    rephrased,
    response,
    restated,
    session,
    verdict,
)
from stage import SUM

from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_state import State
from madbench.protocols.profile import Noted, Profile, Rules

CANARIES = {
    "Question": [
        form(unclear=True, text="CLARIFICATION which apples"),
        rephrased("REPHRASED one"),
        rephrased("REPHRASED two"),
    ],
    "Opening": ["OPENING one.\nAnswer: 9", "OPENING two.\nAnswer: 9"],
    "Reply": [restated("RESTATEMENT one"), restated("RESTATEMENT two"), restated("RESTATEMENT three")],
    "Restated": [objection("OBJECTION one"), DONE],
    "Objected": response("RESPONSE one"),
    "Case": [verdict(uncertainty="VERDICT one"), verdict()],
    "Criticised": note("NOTE one"),
}
SURVIVES = {
    "OPENING": {"answerer"},
    "RESPONSE": {"answerer"},
    "OBJECTION": {"answerer"},  # it heard the critic, and remembers what it heard
    "REPHRASED": {"answerer", "critic", "judge"},
    "NOTE": {"critic"},
    "RESTATEMENT": set(),
    "CLARIFICATION": set(),
    "VERDICT": set(),
    "as every child knows": set(),
}


def second_question(protocol, **changes):
    """What each role is shown in a session's second question, its own earlier words included."""
    heard = session(protocol, Court(**{**CANARIES, **changes}), questions(2))[1]
    shown = {}
    for turn in heard.turns:
        text = "\n".join(
            message.text
            for message in turn.request.messages
            if turn.seen != "Question" or message.role != "user"
        )
        shown[turn.speaker.role] = shown.get(turn.speaker.role, "") + text
    return shown


@pytest.mark.parametrize("canary", SURVIVES)
def test_what_survives_a_question_and_for_whom(canary):
    shown = second_question(CriticProfile(debate_rounds=1, rules=Rules(surface=1)))
    mark = canary if canary.islower() or " " in canary else f"{canary} one"
    assert {role for role, text in shown.items() if mark in text} == SURVIVES[canary]


def test_a_memoryful_critic_remembers_its_session():
    shown = second_question(CriticProfile(debate_rounds=1, critic_memory="session"))
    assert "OBJECTION one" in shown["critic"]
    assert "RESTATEMENT one" in shown["critic"]
    assert "OPENING one" not in shown["critic"]


def test_the_answerer_s_log_grows_and_the_critic_s_does_not():
    script = Court(Restated=[objection(), DONE] * 4)
    heard = session(CriticProfile(), script, questions(4))
    sizes = [[len(each.of(kind)[0].request.messages) for each in heard] for kind in ("Opening", "Restated")]
    assert sizes == [[2, 6, 10, 14], [2, 2, 2, 2]]


def test_a_session_begins_with_nothing():
    state = CriticProfile().begin()
    assert state == State()
    assert (state.answerer.messages, state.questions, state.profile.notes, state.critics) == ((), (), (), ())


def test_the_state_goes_through_json_and_a_resumed_session_is_the_same():
    protocol, asked = CriticProfile(rules=Rules(surface=1), critic_memory="session"), questions(4)

    def says(request):
        return note(f"slip number {request.seed % 2}")

    whole = session(protocol, Court(Restated=lambda _: objection(), Criticised=says), asked)
    state = whole[1].state
    again = State.model_validate_json(state.model_dump_json())
    assert again == state
    assert again.profile.notes
    rest = session(protocol, Court(Restated=lambda _: objection(), Criticised=says), asked[2:], state=again)
    for before, after in zip(whole[2:], rest, strict=True):
        assert after.state == before.state
        assert after.outcome == before.outcome
        assert [turn.request for turn in after.turns] == [turn.request for turn in before.turns]


def test_a_state_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="Extra inputs"):
        State.model_validate_json('{"verdicts": []}')


def test_a_question_that_was_given_up_leaves_the_state_as_it_was():
    script = Court(Question=[rephrased(), "Hmm.", "Hmm.", "Hmm.", "Hmm.", rephrased("Third.")])
    first, second, third = session(CriticProfile(), script, questions(3))
    assert second.state == first.state
    assert third.state.questions == ("In neutral words: what is the sum of four and five?", "Third.")


# The profile


def test_a_note_is_asked_for_only_after_criticism():
    assert one(CriticProfile(), Criticised=note()).of("Criticised") == []
    assert len(one(CriticProfile(), Restated=[objection(), DONE], Criticised=note()).of("Criticised")) == 1


def test_at_most_one_note_a_question():
    heard = one(CriticProfile(), Restated=objection(), Criticised=note())
    assert len(heard.of("Criticised")) == 1
    assert len(heard.state.profile.notes) == 1


@pytest.mark.parametrize(
    "nothing",
    ["", "none", "None (no criticism).", "N/A", "nothing\nto note", "-", "1950", "The answerer may tend to"],
)
def test_a_note_that_says_nothing_is_none(nothing):
    heard = one(CriticProfile(), Restated=[objection(), DONE], Criticised=note(nothing))
    assert heard.state.profile.notes == ()


def test_a_note_that_repeats_the_sentence_it_completes_is_what_completes_it():
    heard = one(
        CriticProfile(),
        Restated=[objection(), DONE],
        Criticised=note("The answerer may tend to forget units."),
    )
    assert [each.text for each in heard.state.profile.notes] == ["forget units."]


def test_what_was_not_criticised_is_not_noted():
    says = form(criticised=False, note="forget to carry digits")
    assert one(CriticProfile(), Restated=[objection(), DONE], Criticised=says).state.profile.notes == ()


def test_a_tendency_is_told_to_critics_from_its_second_noting_on():
    script = Court(Restated=lambda _: objection(), Criticised=note())
    heard = session(CriticProfile(debate_rounds=1), script, questions(4))
    told = ["forget to carry digits" in each.prompt("Restated") for each in heard]
    assert told == [False, False, True, True]
    assert [each.outcome.facts["tendencies"] for each in heard] == [0, 1, 1, 1]
    notes = [[kind for kind in each.kinds if kind.startswith("note")] for each in heard]
    assert notes == [
        ["note_proposed"],
        ["note_proposed", "note_merged", "note_surfaced"],
        ["note_proposed", "note_merged"],
        ["note_proposed", "note_merged"],
    ]


def test_tendencies_are_worded_as_what_may_be():
    (heard,) = session(
        CriticProfile(), Court(), state=State(profile=Profile(notes=(Noted(text="skip steps", count=2),)))
    )
    assert "The answerer may tend to:\n- skip steps" in heard.prompt("Restated")
    for kind in ("Opening", "Reply", "Case", "Question"):
        assert "skip steps" not in heard.prompt(kind)


def test_a_note_on_manner_is_rejected_and_logged():
    heard = one(CriticProfile(), Restated=[objection(), DONE], Criticised=note("write overly long answers"))
    assert heard.state.profile.notes == ()
    assert [kind for kind in heard.kinds if kind.startswith("note")] == ["note_proposed", "note_rejected"]


def test_a_false_note_stays_for_the_whole_session_and_nothing_can_refute_it():
    rules = Rules(planted="count the last number twice", capacity=2)
    notes = iter(
        [
            f"trip over {name}"
            for name in ("carrying", "borrowing", "rounding", "doubling", "halving", "units")
        ]
    )
    objections = iter([objection(), objection("The last number was counted twice here.")] * 3)
    script = Court(Restated=lambda _: next(objections), Criticised=lambda _: note(next(notes)))
    heard = session(CriticProfile(debate_rounds=1, rules=rules), script, questions(6))
    assert all("- count the last number twice" in each.prompt("Restated") for each in heard)
    assert heard[-1].state.profile.notes[0] == Noted(text="count the last number twice", count=2)
    assert [len(each.state.profile.notes) for each in heard] == [2] * 6
    facts = [each.outcome.facts for each in heard]
    assert [fact["planted_active"] for fact in facts] == [True] * 6
    assert [fact["planted_raised"] for fact in facts] == [0, 1] * 3
    assert "planted_active" not in one(CriticProfile()).outcome.facts


def test_the_state_is_plain_json_of_a_size_that_grows_with_the_answerer_s_log_alone():
    script = Court(Restated=[objection(), DONE] * 8, Criticised=note())
    heard = session(CriticProfile(), script, questions(8))
    sizes = [len(each.state.model_dump_json()) for each in heard]
    steps = [after - before for before, after in itertools.pairwise(sizes)]
    assert max(steps) - min(steps) < 16
    assert set(json.loads(heard[0].state.model_dump_json())) == {
        "answerer",
        "critics",
        "questions",
        "profile",
    }
    assert SUM.question not in heard[-1].state.model_dump_json()
