"""Critic and profile: the order of asks, who is shown what, how it stops, and what is counted."""

import json

import pytest
from court import (
    DONE,
    SHOWN,
    Court,
    clarify,
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
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from stage import SUM

from madbench.agents import settings_of
from madbench.agents.prompts import FOLDER
from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_arms import NoBottleneck, NoRephrase, RawArbiter, SplitJudge
from madbench.protocols.profile import NoNotes
from madbench.types import FormatError, InputError, RoleSettings, StopReason

FLOW = ["Question", "Opening", "Reply", "Restated", "Objected", "Reply", "Case", "Criticised"]
RAW = "I add four and five and get nine."
OBJECTION = "Four and five could also make ten"
FACTS = "The sum is nine, since four and five make nine."


def seen(heard):
    return [turn.seen for turn in heard.turns]


# The course of one question


def test_the_course_of_one_exchange():
    heard = one(CriticProfile(debate_rounds=1), Restated=objection())
    assert seen(heard) == FLOW
    assert heard.outcome.stop is StopReason.MAX_ROUNDS


def test_the_source_s_thirteen_calls_and_the_last_restatement():
    heard = one(CriticProfile(), Restated=objection())
    assert (
        len(heard.turns) == 14
    )  # 1 rephrase, 1 answer, 3 x (restate, criticise, answer), restate, rule, note
    assert [turn.seen for turn in heard.turns].count("Reply") == 4


def test_the_critic_s_done_field_ends_it_at_once():
    heard = one(CriticProfile())
    assert seen(heard) == ["Question", "Opening", "Reply", "Restated", "Case"]
    assert heard.outcome.stop is StopReason.NO_OBJECTION


def test_a_critic_may_be_done_after_an_exchange():
    heard = one(CriticProfile(), Restated=[objection(), DONE])
    assert heard.outcome.stop is StopReason.NO_OBJECTION
    assert seen(heard) == [*FLOW[:6], "Restated", "Case", "Criticised"]


def test_no_exchanges_wanted_no_critic_asked():
    heard = one(CriticProfile(debate_rounds=0), Restated=objection())
    assert seen(heard) == ["Question", "Opening", "Reply", "Case"]
    assert heard.outcome.stop is StopReason.MAX_ROUNDS


def test_the_verdict_is_the_answer_and_is_asked_for_once_at_the_end():
    heard = one(CriticProfile(), Restated=objection(), Case=verdict("7", "low", "how they were counted"))
    assert heard.outcome.answer == "7"
    assert heard.outcome.confidence == {"stated_label": "low"}
    assert seen(heard).count("Case") == 1
    assert seen(heard)[-2] == "Case"
    (ruled,) = [event for event in heard.outcome.ledger if event.kind == "ruled"]
    assert (ruled.text, ruled.facts) == ("how they were counted", {"answer": "7", "confidence": "low"})


def test_positions_are_the_answerer_s_answers_by_round():
    replies = [response(answer="8", stance="conceded"), response(answer="9")]
    heard = one(CriticProfile(debate_rounds=2), Restated=objection(), Objected=replies)
    assert heard.outcome.positions == (("9",), ("8",), ("9",))


def test_moves_are_fields_and_go_to_the_ledger():
    replies = [response(answer="8", stance="conceded"), response(answer="9")]
    heard = one(CriticProfile(debate_rounds=2), Restated=objection(), Objected=replies)
    moves = ["objected", "answered", "conceded", "restated", "objected", "answered", "defended", "restated"]
    assert heard.kinds == ["rephrased", "restated", *moves, "ruled"]
    assert [event.facts["move"] for event in heard.outcome.ledger if event.kind == "answered"] == [
        "conceded",
        "defended",
    ]
    assert (
        heard.outcome.facts["objected"],
        heard.outcome.facts["conceded"],
        heard.outcome.facts["defended"],
    ) == (2, 1, 1)
    assert [event.round for event in heard.outcome.ledger if event.kind == "objected"] == [0, 1]


def test_an_unreadable_verdict_is_no_answer_and_no_invention():
    with pytest.raises(FormatError, match="judge0"):
        one(CriticProfile(), Case="nine, I would say")
    assert one(CriticProfile(), Case=verdict("   ")).outcome.answer is None


def test_an_unreadable_note_costs_nobody_the_verdict():
    heard = one(CriticProfile(), Restated=[objection(), DONE], Criticised="PROFILE_NOTE: forget to carry")
    assert heard.outcome.answer == "9"
    assert heard.state.profile.notes == ()


def test_an_unreadable_restatement_ends_the_episode_and_nothing_passes_in_its_place():
    script = Court(Reply="it says nine")
    with pytest.raises(FormatError):
        session(CriticProfile(), script)
    assert script.asked["Restated"] == 0


# Who is shown what


def test_the_judge_alone_is_shown_the_user_s_words():
    heard = one(CriticProfile(debate_rounds=1), Restated=objection())
    showing = {turn.seen for turn in heard.turns if SUM.question in heard.prompt(turn.seen)}
    assert showing == {"Question"}
    for kind in ("Opening", "Restated", "Case"):
        assert "In neutral words: what is the sum" in heard.prompt(kind)


def test_the_critic_is_shown_restatements_alone():
    heard = one(
        CriticProfile(debate_rounds=2),
        Restated=objection(),
        Reply=[restated("First facts."), restated("Second facts.")],
    )
    assert "First facts." in heard.last("Restated", 0)
    assert "Second facts." in heard.last("Restated", 1)
    for place in (0, 1):
        assert RAW not in heard.prompt("Restated", place)
        assert "stand by every step" not in heard.prompt("Restated", place)


def test_within_a_question_the_critic_knows_its_own_log():
    heard = one(CriticProfile(debate_rounds=2), Restated=objection())
    roles = [message.role for message in heard.of("Restated")[1].request.messages]
    assert roles == ["system", "user", "assistant", "user"]


def test_the_answerer_hears_the_critic_word_for_word():
    heard = one(CriticProfile(debate_rounds=1), Restated=objection())
    assert json.loads(objection())["objection"] in heard.last("Objected")


def test_the_arbiter_is_shown_restatements_and_objections_alone():
    heard = one(
        CriticProfile(debate_rounds=1),
        Restated=objection(),
        Reply=[restated("First facts."), restated("Second facts.")],
    )
    case = heard.prompt("Case")
    assert "First facts." in case
    assert "Second facts." in case
    assert OBJECTION in case
    assert RAW not in case
    assert "stand by every step" not in case


def test_a_done_critic_s_remark_is_no_objection():
    heard = one(CriticProfile(), Restated='{"objection": "Well argued throughout.", "done": true}')
    assert "Well argued" not in heard.prompt("Case")
    assert "Objection" not in heard.last("Case").split("Rule on")[0]
    assert heard.outcome.facts["objected"] == 0


def test_an_empty_objection_is_none_and_is_refused():
    with pytest.raises(FormatError, match="empty although done is false"):
        one(CriticProfile(), Restated='{"objection": "  ", "done": false}')


def test_the_worked_examples_precede_the_answerer_s_opening_and_nobody_else_s():
    heard = one(CriticProfile(debate_rounds=1), SHOWN, Restated=objection())
    (opening,) = heard.of("Opening")
    assert [message.role for message in opening.request.messages] == ["system", "user", "assistant", "user"]
    shot = SHOWN.shots[0]
    assert opening.request.messages[1].text == shot.prompt
    assert (
        opening.request.messages[-1].text
        == "In neutral words: what is the sum of four and five?\n" + SUM.reader.instruction
    )
    for kind in ("Question", "Reply", "Restated", "Case", "Criticised"):
        assert shot.reply not in heard.prompt(kind)


def test_all_asks_of_one_judge_draw_other_noise():
    heard = one(CriticProfile(), Restated=objection())
    seeds = [turn.request.seed for turn in heard.turns]
    assert len(set(seeds)) == len(seeds)


def test_fields_are_asked_for_in_their_order_reasons_before_answers():
    heard = session(CriticProfile(debate_rounds=1), Court(Restated=objection()), enforcement="grammar")[0]
    order = {
        turn.seen: list(json.loads(turn.request.schema)["properties"])
        for turn in heard.turns
        if turn.request.schema
    }
    assert order["Case"] == ["reasons", "answer", "confidence", "uncertainty"]
    assert order["Objected"] == ["reply", "answer", "stance"]
    assert order["Question"] == ["unclear", "text"]
    assert order["Restated"] == ["objection", "done"]


def test_brief_forms_show_no_example_that_a_small_model_could_copy():
    heard = one(CriticProfile(debate_rounds=1, forms="brief"), Restated=objection(), Criticised=note())
    for kind in ("Question", "Reply", "Restated", "Objected", "Case", "Criticised"):
        assert "{" not in heard.last(kind)
        assert "at most 8 words" in heard.last(kind)


def test_brief_forms_leave_no_way_to_ask_for_more():
    done = form(objection="Nothing is left.", done=True)
    heard = one(CriticProfile(forms="brief"), Question=[clarify(), rephrased()], Restated=done)
    assert heard.outcome.facts["nudged"] == 1


def test_each_form_knows_the_shape_of_the_task_s_answers():
    heard = one(CriticProfile(debate_rounds=1), Restated=objection())
    for kind in ("Objected", "Case"):
        assert '"maxLength": 8' in heard.last(kind)


# The rephrase


def test_a_leading_question_is_neutral_before_anybody_else_is_asked():
    heard = one(CriticProfile(), questions(1)[0])
    assert seen(heard)[0] == "Question"
    assert "as every child knows" not in heard.prompt("Opening")
    (event,) = [event for event in heard.outcome.ledger if event.kind == "rephrased"]
    assert event.facts["verbatim"] is False


def test_a_question_repeated_word_for_word_is_counted():
    heard = one(CriticProfile(), Question=rephrased(SUM.question))
    assert heard.outcome.facts["rephrase_verbatim"] == 1
    assert heard.outcome.facts["rephrase_kept"] == 1


def test_nobody_is_there_to_clarify_and_the_judge_is_told_so():
    heard = one(CriticProfile(), Question=[clarify(), rephrased()])
    assert seen(heard)[:3] == ["Question", "Question", "Opening"]
    assert "There is no further information." in heard.last("Question", 1)
    assert "Which apples are meant, exactly?" in heard.last("Question", 1)
    assert "no further information" not in heard.last("Question", 0)
    assert heard.outcome.facts["clarified"] == 1


def test_a_reply_without_the_form_is_nudged():
    heard = one(CriticProfile(), Question=["Hmm.", "Well.", "So?", rephrased()])
    assert heard.outcome.facts["nudged"] == 3
    assert heard.outcome.answer == "9"
    assert "did not have the form" in heard.last("Question", 1)
    assert "did not have the form" not in heard.last("Question", 0)


@pytest.mark.parametrize("says", ["Hmm.", clarify()])
def test_after_three_nudges_the_question_is_given_up_and_counted(says):
    heard = one(CriticProfile(), Question=says)
    assert seen(heard) == ["Question"] * 4
    assert heard.outcome.answer is None
    assert heard.outcome.stop is StopReason.ERROR
    assert heard.outcome.facts["aborted"] == 1
    assert heard.kinds[-1] == "aborted"
    assert heard.state == CriticProfile().begin()


def test_no_nudges_wanted_none_made():
    assert len(one(CriticProfile(nudges=0), Question="Hmm.").turns) == 1


# Arms


def test_without_rephrase_everybody_reads_the_user_s_words():
    heard = one(NoRephrase(debate_rounds=1), Restated=objection())
    assert seen(heard) == FLOW[1:]
    assert heard.last("Opening") == SUM.prompt
    assert SUM.question in heard.prompt("Restated")


def test_without_bottleneck_only_the_critic_s_view_changes():
    heard = one(NoBottleneck(debate_rounds=1), Restated=objection())
    assert seen(heard) == FLOW
    assert RAW in heard.prompt("Restated")
    assert FACTS not in heard.prompt("Restated")
    assert RAW not in heard.prompt("Case")


def test_a_raw_arbiter_reads_replies_and_the_critic_still_restatements():
    heard = one(RawArbiter(debate_rounds=1), Restated=objection())
    assert RAW in heard.prompt("Case")
    assert "stand by every step" in heard.prompt("Case")
    assert RAW not in heard.prompt("Restated")


def test_without_profile_nobody_notes_anything():
    heard = one(CriticProfile(debate_rounds=1, rules=NoNotes()), Restated=objection(), Criticised=note())
    assert seen(heard) == FLOW[:-1]
    assert heard.state.profile.notes == ()


def test_a_split_judge_is_two_roles():
    heard = one(SplitJudge(debate_rounds=1), Restated=objection())
    roles = {turn.seen: turn.speaker.role for turn in heard.turns}
    assert roles["Question"] == roles["Reply"] == "mediator"
    assert roles["Case"] == roles["Criticised"] == "arbiter"
    assert {event.by for event in heard.outcome.ledger} == {"mediator", "critic", "answerer", "arbiter"}


def test_one_judge_does_all_its_jobs():
    heard = one(CriticProfile(debate_rounds=1), Restated=objection())
    assert {t.speaker.role for t in heard.turns if t.seen in ("Question", "Reply", "Case", "Criticised")} == {
        "judge"
    }
    assert {t.speaker.seat for t in heard.turns} == {0}


def test_isolated_critics_never_hear_one_another():
    def by_focus(request):
        focus = "logic" if "logic" in request.messages[0].text else "facts"
        return objection(f"Here the {focus} do not hold at all.")

    heard = one(CriticProfile(critics=("the logic", "the facts"), debate_rounds=2), Restated=by_focus)
    assert [turn.speaker.seat for turn in heard.of("Restated")] == [0, 1, 0, 1]
    for turn in heard.of("Restated"):
        other = "facts" if turn.speaker.seat == 0 else "logic"
        assert all(f"Here the {other} do" not in message.text for message in turn.request.messages)
    assert "Here the logic do" in heard.last("Objected")
    assert "Here the facts do" in heard.last("Objected")


def test_one_of_several_critics_may_be_done():
    def by_focus(request):
        return DONE if "logic" in request.messages[0].text else objection()

    heard = one(CriticProfile(critics=("the logic", "the facts"), debate_rounds=1), Restated=by_focus)
    assert heard.kinds.count("objected") == heard.kinds.count("no_objection") == 1
    assert heard.last("Objected").count("The critic objects:") == 1


PARTS = {"assumptions": ["Nobody ate one."], "omitted_variables": [], "evidence_offered": []}


def test_structured_restatements_keep_their_parts_apart_and_their_drift_is_measured():
    first = json.dumps({"core_claims": ["The sum is nine.", "Counting needs care."], **PARTS})
    second = json.dumps({"core_claims": ["The sum is nine."], **PARTS})
    heard = one(
        CriticProfile(forms="structured", debate_rounds=1), Restated=objection(), Reply=[first, second]
    )
    assert (
        "Claims:\n- The sum is nine.\n- Counting needs care.\nAssumptions:\n- Nobody ate one."
        in heard.last("Restated")
    )
    assert "Left out" not in heard.last("Restated")
    assert heard.outcome.facts["restatement_drift"] == 0.5


def test_how_much_each_restatement_keeps_is_in_the_facts():
    heard = one(
        CriticProfile(debate_rounds=1),
        Restated=objection(),
        Reply=[restated("Perhaps add four and five to get nine."), restated("Pigs fly at night.")],
    )
    facts = heard.outcome.facts
    assert (facts["restatement_kept"], facts["restatement_softened"], facts["restatement_added"]) == (
        0,
        0.5,
        0.5,
    )
    assert facts["restated"] == 2


def test_raw_replies_and_their_restatements_stand_side_by_side_in_the_record():
    facts = [restated("First facts."), restated("Second facts.")]
    heard = one(CriticProfile(debate_rounds=1), Restated=objection(), Reply=facts)
    raw = [turn.reading.reply for turn in heard.turns if turn.speaker.role == "answerer"]
    neutral = [event for event in heard.outcome.ledger if event.kind == "restated"]
    assert [reply.get("text", reply.get("reply")) for reply in raw] == [
        "I add four and five and get nine.\nAnswer: 9",
        "I counted again and stand by every step.",
    ]
    assert [(event.round, event.text) for event in neutral] == [(0, "First facts."), (1, "Second facts.")]
    assert all({"kept", "softened", "added"} <= set(event.facts) for event in neutral)


RULES = {
    "Question": ["Leave out opinions, hints", "Keep every number", "Do not answer it"],
    "Opening": [
        "Answer directly, without referring to earlier questions",
        "Name no source",
        "say what you change",
    ],
    "Objected": ["That somebody sounds sure is no reason to give in"],
    "Reply": [
        "Leave out\nrhetoric and persuasion",
        "Add nothing, correct nothing",
        "mark the claim as uncertain",
    ],
    "Restated": [
        "argue for its opposite, not-X",
        "Invent no fault",
        "work it out again",
        "that nothing supports",
    ],
    "Case": ["weighs less than one that was conceded", "how confident", "remains\nuncertain"],
    "Criticised": ["Only what the\ncritic did criticise counts", "not length, format, tone or style"],
}


@pytest.mark.parametrize("forms", ["full", "brief", "structured", "marked"])
@pytest.mark.parametrize("kind", RULES)
def test_each_role_is_told_its_rules_in_every_form(kind, forms):
    markers = {
        "Question": "REPHRASED: How many in all?",
        "Restated": "Ten is possible.",
        "Objected": "It stays.\nAnswer: 9",
        "Case": "It stays. Confidence: high\nAnswer: 9",
        "Criticised": "PROFILE_NOTE: none",
    }
    parts = json.dumps(
        {"core_claims": ["Nine."], "assumptions": [], "omitted_variables": [], "evidence_offered": []}
    )
    says = {"Restated": objection(), "Criticised": note("forget to carry digits")}
    says |= markers if forms == "marked" else {"Reply": parts} if forms == "structured" else {}
    prompt = one(CriticProfile(debate_rounds=1, forms=forms), **says).prompt(kind)
    assert [rule for rule in RULES[kind] if rule not in prompt] == []


# Settings


def test_bad_settings_are_refused_with_what_was_wanted():
    for bad in ({"debate_rounds": -1}, {"nudges": -1}, {"critics": ()}):
        with pytest.raises(InputError, match="wanted debate_rounds >= 0"):
            CriticProfile(**bad)
    with pytest.raises(InputError, match="brief"):
        CriticProfile(forms="short")
    with pytest.raises(InputError, match="has no role"):
        CriticProfile(roles={"arbiter": {}})


def choice(name):
    with initialize_config_dir(str(FOLDER.parents[2] / "conf"), version_base=None):
        return instantiate(
            compose("config", [f"protocol={name}", "model@cast.default=simulated"]).protocol, _convert_="all"
        )


def test_the_published_constants_are_the_default():
    protocol = choice("critic_profile")
    settings = {role: settings_of(role, protocol, RoleSettings()) for role in protocol.plays}
    assert {role: each.sampling.temperature for role, each in settings.items()} == {
        "answerer": 0.3,
        "critic": 0.9,
        "judge": 0.3,
    }
    assert (protocol.debate_rounds, protocol.nudges, protocol.session) == (3, 3, 8)
    assert (protocol.rules.overlap, protocol.rules.surface, protocol.rules.capacity) == (0.5, 2, 10)


def test_the_longest_quick_reply_fits_its_tokens():
    """A byte a token, every text at its longest: worse no tokenizer can do with plain characters."""
    protocol = choice("critic_profile_quick")
    answer = len('"-123456789012345.123456"')
    longest = {
        "judge": max(
            len('{"unclear":false,"text":""}') + 80,
            len('{"facts":""}') + 60,
            len('{"reasons":"","answer":,"confidence":"medium","uncertainty":""}') + 32 + answer + 32,
            len('{"criticised":false,"note":""}') + 32,
        ),
        "critic": len('{"objection":"","done":false}') + 60,
        "answerer": len('{"reply":"","answer":,"stance":"conceded"}') + 60 + answer,
    }
    for role, size in longest.items():
        settings = settings_of(role, protocol, RoleSettings())
        assert settings.contract.enforcement == "grammar"
        assert size <= settings.sampling.max_tokens
