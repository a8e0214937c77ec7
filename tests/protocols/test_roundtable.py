"""The round table: who speaks when on what, what the gates let pass, and what a vote decides."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from panel import DATA, Panel, drafts, events, form, only, says, shown, table, votes
from stage import SUM, play, stage

from madbench.agents.roles import settings_of
from madbench.protocols.roundtable import Roundtable
from madbench.protocols.roundtable_brief import BRIEF
from madbench.protocols.roundtable_chair import Manner
from madbench.protocols.roundtable_forms import ADVERSARIES, FULL, PERSONAS
from madbench.protocols.roundtable_gates import Gates
from madbench.protocols.roundtable_quality import EvidenceQuality, PublishedQuality
from madbench.protocols.roundtable_repetition import ClaimRepetition, PublishedRepetition
from madbench.protocols.roundtable_votes import carried
from madbench.types import ContextError, InputError, RoleSettings, StopReason

CONF = Path(__file__).parents[2] / "conf"
WEAK = drafts(answer="rain", evidence=["r = 0.12"], confidence="low", insight="Rain goes with sales")
BOAST = drafts(answer="rain", evidence=["r = 0.12"], insight="Rain goes with sales")


def choice(name):
    with initialize_config_dir(str(CONF), version_base=None):
        return instantiate(compose(f"protocol/{name}")["protocol"], _convert_="all")


# who speaks when


def test_six_personas_of_whom_two_are_there_to_object():
    assert Roundtable().personas == PERSONAS
    assert len(PERSONAS) == 6
    assert {"contrarian", "skeptic"} == ADVERSARIES
    systems = {turn.speaker.role: turn.request.messages[0].text for turn in table().turns}
    assert [name for name in PERSONAS if "You are there to object" in systems[name]] == [
        "contrarian",
        "skeptic",
    ]
    assert len(set(systems.values())) == 6


def test_eight_rounds_then_one_proposal_then_the_vote_of_all():
    sitting = table(debate_rounds=Roundtable().debate_rounds)
    order = [(turn.seen, turn.speaker.role, turn.speaker.round) for turn in sitting.turns]
    assert order[:48] == [("Floor", name, number) for number in range(8) for name in PERSONAS]
    assert order[48:] == [("Draft", "generalist", 8), *(("Ballot", name, 8) for name in PERSONAS)]


def test_everybody_hears_everybody_one_after_another():
    sitting = table()
    heard = [text.count("- The ") for text in shown(sitting, "Floor")]
    assert heard == list(range(12))
    assert [text.count("- The ") for text in (*shown(sitting, "Draft"), *shown(sitting, "Ballot"))] == [
        12
    ] * 7


def test_at_once_everybody_hears_the_rounds_before():
    sitting = table(manner=Manner(schedule="synchronous"))
    assert [text.count("- The ") for text in shown(sitting, "Floor")] == [0] * 6 + [6] * 6


def test_a_window_keeps_the_latest():
    last = shown(table(manner=Manner(window=2)), "Draft")[0]
    assert last.count("- The ") == 2
    assert "The skeptic (add" in last.partition("so far:")[2]


def test_a_pass_is_said_to_nobody_and_counted():
    sitting = table(Panel(detective_floor=says("", move="pass", answer="rain")))
    assert all("The detective" not in text for text in shown(sitting, "Draft"))
    assert (sitting.outcome.facts["passes"], sitting.outcome.facts["contributions"]) == (2, 10)
    assert [answers[3] for answers in sitting.outcome.positions[:2]] == ["rain", "rain"]
    assert sitting.outcome.facts["rejections"] == 0


def test_fewer_personas_in_another_order():
    sitting = table(personas=("skeptic", "generalist"), debate_rounds=1)
    assert [turn.speaker.role for turn in sitting.turns] == [
        "skeptic",
        "generalist",
        "skeptic",
        "skeptic",
        "generalist",
    ]
    assert "at a round table: skeptic, generalist." in sitting.turns[0].request.messages[0].text


def test_without_discussion_there_is_still_a_vote():
    sitting = table(debate_rounds=0)
    assert [turn.seen for turn in sitting.turns] == ["Draft", *["Ballot"] * 6]
    assert sitting.outcome.answer == "price"


def test_nobody_is_told_how_another_votes():
    """Forbidden channels are in test_roundtable_channels; here the votes are asked for at one moment."""
    sitting = table(Panel(generalist_ballot=votes("generalist", reason="Because I drafted it, of course.")))
    assert all("Because I drafted it" not in text for text in shown(sitting, "Ballot"))


# what is said


def test_what_a_proposal_and_a_vote_consist_of():
    for forms in (FULL, BRIEF):
        assert set(forms.proposal.form(SUM)["properties"]) == {"insight", "answer", "evidence", "confidence"}
        assert list(forms.vote.form(SUM)["properties"]) == ["agent", "concerns", "reason", "vote"]
    (proposed,) = events(table(Panel(generalist_draft=drafts(confidence="medium"))), "proposed")
    assert (proposed.text, proposed.facts) == (
        "Price goes with sales",
        {"answer": "price", "evidence": ["r = -0.62"], "confidence": "medium"},
    )
    cast = events(table(), "voted")
    assert [(event.by, event.facts["vote"], event.text) for event in cast] == [
        (name, "agree", "It is well backed.") for name in PERSONAS
    ]


def test_evidence_may_come_as_one_text():
    sitting = table(
        Panel(generalist_draft=form(insight="x", answer="price", evidence="r = -0.62", confidence="high"))
    )
    assert events(sitting, "proposed")[0].facts["evidence"] == ["r = -0.62"]


def test_a_vote_in_prose_is_no_vote_whatever_words_it_uses():
    sitting = table(Panel(detective_ballot="I do not agree with those who do not agree."))
    assert [event.facts["vote"] for event in events(sitting, "voted")].count("void") == 1
    assert sitting.outcome.facts["votes_for"] == 5


def test_one_voice_that_cannot_be_read_ends_nothing():
    sitting = table(Panel(storyteller_floor="Once upon a time."))
    assert sitting.outcome.answer == "price"
    assert sitting.outcome.facts["unread"] == 2
    assert [answers[2] for answers in sitting.outcome.positions] == [None, None, "price"]


def test_a_draft_that_cannot_be_read_leaves_no_proposal():
    sitting = table(Panel(generalist_draft="Let me think."))
    assert not shown(sitting, "Ballot")
    assert (sitting.outcome.answer, sitting.outcome.facts["proposed"]) == (None, 0)


# what the vote decides


def agreeing(count):
    scripts = {f"{name}_ballot": votes(name, "disagree") for name in PERSONAS[count:]}
    return Panel(**scripts)


@pytest.mark.parametrize(("threshold", "least"), [("majority", 4), ("two_thirds", 4), ("unanimity", 6)])
def test_a_proposal_passes_from_its_threshold_on(threshold, least):
    for count in range(7):
        outcome = table(agreeing(count), threshold=threshold).outcome
        assert outcome.facts["votes_for"] == count
        assert outcome.facts["approved"] == (count >= least)
        assert outcome.stop is (StopReason.CONSENSUS if count >= least else StopReason.MAX_ROUNDS)
        assert outcome.answer == ("price" if count >= least else None)
        assert outcome.facts["vote_tied"] == (count == 3)


@pytest.mark.parametrize(
    ("seats", "agree", "majority", "two_thirds"),
    [
        (4, 2, False, False),
        (2, 1, False, False),
        (3, 2, True, True),
        (5, 3, True, False),
        (1, 1, True, True),
        (1, 0, False, False),
    ],
)
def test_half_is_no_majority(seats, agree, majority, two_thirds):
    cast = [FULL.vote(agent="skeptic", concerns="none", reason="x", vote="agree")] * agree + [None] * (
        seats - agree
    )
    assert carried(cast, "majority") is majority
    assert carried(cast, "two_thirds") is two_thirds
    assert carried(cast, "unanimity") is (agree == seats)


def test_no_vote_carries_nothing():
    assert not any(carried([], threshold) for threshold in ("majority", "two_thirds", "unanimity"))


def test_votes_that_were_not_cast_help_nobody():
    scripts = {f"{name}_ballot": "nonsense" for name in PERSONAS[3:]}
    outcome = table(Panel(**scripts)).outcome
    assert (outcome.facts["votes_for"], outcome.facts["votes_void"], outcome.facts["approved"]) == (3, 3, 0)


def test_positions_are_where_everybody_stands_round_by_round_and_behind_whom_in_the_end():
    script = Panel(
        skeptic_floor=[says("Rain might do it", answer="rain"), says("Rain in summer then", answer="rain")],
        detective_ballot=votes("detective", "disagree"),
        skeptic_ballot=votes("skeptic", "disagree"),
    )
    positions = table(script).outcome.positions
    assert positions[0] == positions[1] == ("price",) * 5 + ("rain",)
    assert positions[2] == ("price", "price", "price", None, "price", "rain")


def test_where_nothing_passes_the_answer_is_the_fallback_if_the_task_has_it():
    refuse = agreeing(0)
    assert table(refuse, fallback="rain").outcome.answer == "rain"
    assert table(agreeing(0), fallback="").outcome.answer is None
    assert table(agreeing(0), fallback="rain").outcome.confidence == {}


def test_confidence_is_the_proposal_s_label_and_the_share_that_agreed():
    assert table(agreeing(4)).outcome.confidence == {"stated_label": "high", "vote_share": 4 / 6}


# the repetition gate


REPEATED = says("Queues drive complaints in every shop")
NEW = says("Parking might explain the summer weeks")


def test_a_repetition_is_rejected_and_asked_for_again_and_again_until_it_changes():
    """As in the source: after two rejections the contrarian changed its approach."""
    sitting = table(
        Panel(contrarian_floor=[REPEATED, REPEATED, REPEATED, NEW]), gates=only(repetition="both")
    )
    assert len(shown(sitting, "Floor", "contrarian")) == 4
    assert [event.round for event in events(sitting, "rejected", gate="repetition")] == [1, 1]
    assert [event.facts["attempt"] for event in events(sitting, "retried")] == [1, 2]
    assert (
        sitting.outcome.facts["rejections_of_contrarian"]
        == sitting.outcome.facts["retries_of_contrarian"]
        == 2
    )
    assert sitting.outcome.facts["rejections_round_1"] == 2
    assert "Parking might explain" in shown(sitting, "Draft")[0]
    last = shown(sitting, "Floor", "contrarian")[-1]
    assert last.count("was said before: Queues drive complaints") == 2
    assert "not accepted" not in shown(sitting, "Floor", "contrarian")[1]


def test_what_was_rejected_is_heard_by_nobody_and_after_the_cap_the_persona_is_silent():
    sitting = table(Panel(contrarian_floor=REPEATED), gates=only(repetition="code"))
    assert shown(sitting, "Draft")[0].count("Queues drive complaints") == 1
    assert (sitting.outcome.facts["given_up"], sitting.outcome.facts["rejections"]) == (1, 3)
    assert len(shown(sitting, "Floor", "contrarian")) == 4
    assert [answers[4] for answers in sitting.outcome.positions] == ["price"] * 3


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_retries_are_capped(retries):
    sitting = table(
        Panel(contrarian_floor=REPEATED), gates=only(repetition="code"), manner=Manner(retries=retries)
    )
    assert sitting.outcome.facts["rejections"] == retries + 1
    assert sitting.outcome.facts["retries"] == retries


def test_asked_for_alone_a_rule_can_be_ignored_and_that_is_counted():
    sitting = table(Panel(contrarian_floor=REPEATED), gates=only(repetition="prompt"))
    assert all("Do not say again what was said" in text for text in shown(sitting, "Floor"))
    assert (sitting.outcome.facts["rejections"], len(events(sitting, "breached", gate="repetition"))) == (
        0,
        1,
    )
    assert sitting.outcome.facts["breach_rate_repetition"] == pytest.approx(1 / 12)
    assert shown(sitting, "Draft")[0].count("Queues drive complaints") == 2


def test_a_gate_that_is_off_says_and_rejects_nothing():
    sitting = table(Panel(contrarian_floor=REPEATED), gates=only())
    assert not any("Do not say again" in text for text in shown(sitting, "Floor"))
    assert sitting.outcome.facts["rejections"] == 0
    assert sitting.outcome.facts["breach_rate_repetition"] == pytest.approx(1 / 12)


def test_others_words_count_too_but_not_by_the_published_rule():
    script = {
        "contrarian_floor": [REPEATED, NEW],
        "skeptic_floor": [REPEATED, says("Light is a cause nobody named")],
    }
    ours = table(Panel(**script), gates=only(repetition="code"), debate_rounds=1)
    assert ours.outcome.facts["rejections_of_skeptic"] == 1
    published = table(Panel(**script), gates=Gates(sameness=PublishedRepetition()), debate_rounds=1)
    assert published.outcome.facts["rejections_of_skeptic"] == 0


def test_passing_twice_is_no_repetition_but_was_one_by_the_published_rule():
    script = {"detective_floor": says("", move="pass")}
    assert table(Panel(**script)).outcome.facts["rejections"] == 0
    assert (
        table(Panel(**script), gates=Gates(sameness=PublishedRepetition())).outcome.facts["rejections"] == 3
    )


# the proposal gate


def test_a_proposal_whose_evidence_does_not_carry_its_confidence_is_drafted_again():
    sitting = table(Panel(generalist_draft=[BOAST, drafts()]), gates=only(proposal="code"))
    assert "too weak for high confidence" in shown(sitting, "Draft")[1]
    assert sitting.outcome.facts["rejections_proposal"] == 1
    assert sitting.outcome.facts["rejection_rate_proposal"] == 0.5
    assert sitting.outcome.answer == "price"


def test_after_the_cap_there_is_no_proposal_and_no_vote():
    sitting = table(Panel(generalist_draft=BOAST), gates=only(proposal="code"), fallback="nothing")
    assert not shown(sitting, "Ballot")
    assert (sitting.outcome.answer, sitting.outcome.facts["proposed"]) == ("nothing", 0)
    assert sitting.outcome.facts["adversary_fold_rate"] is None
    assert sitting.outcome.stop is StopReason.MAX_ROUNDS


@pytest.mark.parametrize(
    ("draft", "wanting"),
    [
        (
            drafts(evidence=["r = 0.12"], confidence="medium"),
            "too weak for medium confidence, which needs 0.30",
        ),
        (drafts(evidence=["Price goes down when sales go up"]), "no quantified evidence"),
        (drafts(evidence=[]), "no quantified evidence"),
        (drafts(evidence=["r = 0.99"]), "r = 0.99 is not in the data"),
        (drafts(answer=" "), "the answer is none of those on offer"),
    ],
)
def test_what_a_proposal_is_sent_back_for(draft, wanting):
    sitting = table(Panel(generalist_draft=[draft, drafts()]), gates=only(proposal="code"))
    (rejected,) = events(sitting, "rejected", gate="proposal")
    assert wanting in rejected.text


def test_medium_confidence_has_no_gate_in_the_published_rules():
    script = {"generalist_draft": drafts(answer="rain", evidence=["r = 0.12"], confidence="medium")}
    published = table(
        Panel(**script),
        gates=only(
            proposal="code",
        ),
        fallback="",
    )
    assert published.outcome.facts["proposed"] == 0
    gates = Gates(proposal="code", vote="off", quality=PublishedQuality())
    assert table(Panel(**script), gates=gates).outcome.answer == "rain"


def test_low_confidence_is_a_way_around_the_bars_unless_it_has_one_too():
    assert table(Panel(generalist_draft=WEAK)).outcome.answer == "rain"
    closed = Gates(quality=EvidenceQuality(low=0.3))
    sitting = table(Panel(generalist_draft=[WEAK, drafts()]), gates=closed)
    assert "too weak for low confidence, which needs 0.30" in shown(sitting, "Draft")[1]
    assert "medium confidence 0.3 or more, low confidence 0.3 or more." in shown(sitting, "Draft")[0]


def test_to_report_nothing_needs_figures_but_no_strength():
    nothing = drafts(answer="nothing", evidence=["r = 0.12 at most"], insight="Nothing goes with sales")
    assert table(Panel(generalist_draft=nothing), fallback="nothing").outcome.facts["approved"] == 1
    bare = drafts(answer="nothing", evidence=["none of it"], insight="Nothing goes with sales")
    assert table(Panel(generalist_draft=bare), fallback="nothing").outcome.facts["proposed"] == 0


@pytest.mark.parametrize("switch", ["off", "prompt", "code", "both"])
def test_the_bars_are_told_where_they_are_asked_for(switch):
    (draft, *_) = shown(table(gates=only(proposal=switch)), "Draft")
    told = "high confidence needs correlations of 0.5 or more (of either sign), medium confidence 0.3 or more"
    assert (told in draft) is (switch in ("prompt", "both"))


def test_on_questions_without_strengths_figures_will_do():
    script = Panel(generalist_draft=[drafts("9", ["I counted them"]), drafts("9", ["4 + 5 is 9"])])
    sitting = table(script, problem=SUM, gates=only(proposal="both"))
    assert sitting.outcome.answer == "9"
    worded = shown(sitting, "Draft")[0]
    assert "correlations" not in worded
    assert "the confidence must fit the evidence" in worded


# the gates of the vote


def test_adversaries_are_told_to_disagree_unless_all_conditions_hold():
    sitting = table(gates=only(vote="prompt"))
    for name in PERSONAS:
        (ballot,) = shown(sitting, "Ballot", name)
        assert ("Disagree unless all of these hold" in ballot) is (name in ADVERSARIES)
        if name in ADVERSARIES:
            assert "correlations of 0.5 or more" in ballot
            assert "medium confidence 0.3 or more" in ballot
            assert "is not obvious" in ballot


def test_the_bars_are_settings_that_reach_prompts_and_gates():
    gates = Gates(quality=EvidenceQuality(high=0.7, medium=0.6))
    sitting = table(Panel(generalist_draft=[drafts(), drafts(confidence="medium")]), gates=gates)
    assert "which needs 0.70" in shown(sitting, "Draft")[1]
    assert "correlations of 0.7 or more" in shown(sitting, "Ballot", "skeptic")[0]


def test_an_adversary_s_vote_for_what_falls_short_is_rejected_and_asked_for_again():
    script = Panel(generalist_draft=BOAST, skeptic_ballot=[votes("skeptic"), votes("skeptic", "disagree")])
    sitting = table(script, gates=only(vote="code"))
    assert "you agreed, but the evidence falls short: r = 0.12" in shown(sitting, "Ballot", "skeptic")[1]
    found = {event.by: event.facts["vote"] for event in events(sitting, "voted")}
    assert found["skeptic"] == "disagree"
    assert found["contrarian"] == "void"
    assert found["statistician"] == "agree"
    assert sitting.outcome.facts["rejections_vote"] == 4


def test_where_it_is_not_enforced_an_adversary_may_agree_to_anything():
    for switch in ("off", "prompt"):
        facts = table(Panel(generalist_draft=BOAST), gates=only(vote=switch)).outcome.facts
        assert (facts["votes_for"], facts["breach_rate_vote"], facts["rejections"]) == (6, 1.0, 0)


def test_everybody_is_reminded_who_it_is_at_every_decision():
    sitting = table(gates=only(role="prompt"))
    for seen in ("Floor", "Draft", "Ballot"):
        for turn in sitting.turns:
            if turn.seen == seen:
                assert f"Remember that you are the {turn.speaker.role}." in turn.request.messages[-1].text
    assert not any(
        "Remember that" in text
        for seen in ("Floor", "Draft", "Ballot")
        for text in shown(table(gates=only()), seen)
    )


def test_who_votes_as_somebody_else_is_asked_again():
    script = {"skeptic_ballot": [votes("generalist"), votes("skeptic", "disagree")]}
    sitting = table(Panel(**script), gates=only(role="code"))
    assert "you are the skeptic, not the generalist" in shown(sitting, "Ballot", "skeptic")[1]
    assert sitting.outcome.facts["rejections_role"] == 1
    assert table(Panel(**script), gates=only(role="prompt")).outcome.facts[
        "breach_rate_role"
    ] == pytest.approx(1 / 6)


OBJECTION = says("Sales may depend on parking alone", move="object", to="generalist")


def test_objectors_are_shown_their_objections_and_asked_whether_they_were_answered():
    sitting = table(Panel(detective_floor=[OBJECTION, NEW]), gates=only(concerns="prompt"))
    (mine,), (theirs,) = shown(sitting, "Ballot", "detective"), shown(sitting, "Ballot", "storyteller")
    assert "You objected: Sales may depend on parking alone" in mine
    assert "Was that answered? Do not agree as long as it was not." in mine
    assert "Had you any concerns" in theirs
    assert "Was that answered" not in "".join(
        shown(table(Panel(detective_floor=[OBJECTION, NEW]), gates=only()), "Ballot")
    )


@pytest.mark.parametrize(
    ("concerns", "accepted"), [("none", False), ("unanswered", False), ("answered", True)]
)
def test_an_objector_cannot_agree_before_its_concerns_were_answered(concerns, accepted):
    script = Panel(
        detective_floor=[OBJECTION, NEW],
        detective_ballot=[
            votes("detective", concerns=concerns),
            votes("detective", "disagree", "unanswered"),
        ],
    )
    sitting = table(script, gates=only(concerns="code"))
    (cast,) = [event for event in events(sitting, "voted") if event.by == "detective"]
    assert cast.facts["vote"] == ("agree" if accepted else "disagree")
    assert sitting.outcome.facts["rejections_concerns"] == (not accepted)


def test_who_did_not_object_has_no_concerns_to_be_answered():
    assert (
        table(Panel(detective_ballot=votes("detective", concerns="unanswered"))).outcome.facts["rejections"]
        == 0
    )


def test_faults_at_several_gates_are_named_and_counted_together():
    script = Panel(
        generalist_draft=BOAST,
        skeptic_floor=[OBJECTION, NEW],
        skeptic_ballot=[votes("generalist"), votes("skeptic", "disagree", "unanswered")],
    )
    sitting = table(script, gates=Gates(proposal="off"))
    facts = sitting.outcome.facts
    assert [facts[f"rejections_{gate}"] for gate in ("role", "vote", "concerns")] == [1, 4, 1]
    assert facts["retries_of_skeptic"] == 1
    assert shown(sitting, "Ballot", "skeptic")[1].count("\n- you ") == 3


# what is measured


def folding(**ballots):
    objects = {
        f"{name}_floor": [says(f"{name} doubts {point}", move="object"), NEW.replace("Parking", name)]
        for name, point in (("contrarian", "summer"), ("skeptic", "winter"))
    }
    return Panel(**objects, **ballots)


@pytest.mark.parametrize(
    ("contrarian", "skeptic", "rate"),
    [("agree", "agree", 1.0), ("agree", "disagree", 0.5), ("disagree", "disagree", 0.0)],
)
def test_adversaries_who_objected_and_agree_have_folded(contrarian, skeptic, rate):
    script = folding(
        contrarian_ballot=votes("contrarian", contrarian), skeptic_ballot=votes("skeptic", skeptic)
    )
    facts = table(script, gates=only()).outcome.facts
    assert (facts["adversary_fold_rate"], facts["adversaries_objecting"]) == (rate, 2)


def test_who_did_not_object_cannot_fold_and_others_are_no_adversaries():
    assert table().outcome.facts["adversary_fold_rate"] is None
    objecting = table(Panel(detective_floor=[OBJECTION, NEW]), gates=only()).outcome.facts
    assert (objecting["adversary_fold_rate"], objecting["objections_raised"]) == (None, 1)


def test_a_vote_that_the_gates_voided_is_no_fold():
    facts = table(folding(generalist_draft=BOAST), gates=only(vote="code")).outcome.facts
    assert (facts["adversary_fold_rate"], facts["adversaries_objecting"], facts["votes_void"]) == (0.0, 2, 2)


def test_rejection_rates_are_shares_of_what_a_gate_looked_at():
    sitting = table(
        Panel(contrarian_floor=[REPEATED, REPEATED, NEW], generalist_draft=[BOAST, BOAST, drafts()])
    )
    facts = sitting.outcome.facts
    assert facts["rejection_rate_repetition"] == pytest.approx(1 / 13)
    assert facts["rejection_rate_proposal"] == pytest.approx(2 / 3)
    assert facts["rejection_rate_vote"] == facts["breach_rate_vote"] == 0.0
    assert facts["rejection_rate_concerns"] is None
    assert facts["rejections"] == sum(facts[f"rejections_of_{name}"] for name in PERSONAS) == 3
    assert facts["rejections"] == sum(facts[f"rejections_round_{number}"] for number in range(3))


def test_objections_replies_and_who_gave_in_are_in_the_ledger():
    script = Panel(
        skeptic_floor=[says("Parking is not in the data", move="object"), NEW],
        statistician_floor=[
            says("Price leads clearly"),
            says("Parking is constant across these shops", to="skeptic"),
        ],
        skeptic_ballot=votes("skeptic", "agree", "answered"),
    )
    ledger = table(script).outcome.ledger
    told = [
        (event.kind, event.by) for event in ledger if event.kind in ("objected", "answered", "no_objection")
    ]
    assert told == [("objected", "skeptic"), ("answered", "statistician"), ("no_objection", "skeptic")]


def test_replies_that_pass_leave_no_entry_but_their_number():
    ledger = table().outcome.ledger
    assert {event.kind for event in ledger} == {"contributed", "proposed", "voted", "no_objection", "looked"}
    assert ledger[-1].facts == {"repetition": 12, "proposal": 1, "role": 6, "vote": 2}


def test_a_persona_can_be_played_by_a_model_of_its_own():
    doubts = Panel(skeptic_floor=[OBJECTION, NEW], skeptic_ballot=votes("skeptic", "disagree", "unanswered"))
    protocol = Roundtable(debate_rounds=2)
    cast = {"default": Panel(), "skeptic": doubts}
    sitting = play(stage(protocol, cast, problem=DATA))
    assert [event.by for event in events(sitting, "voted", vote="disagree")] == ["skeptic"]
    assert set(doubts.asked) == {"skeptic_floor", "skeptic_ballot"}


def test_a_table_without_objections_says_so():
    assert [event.by for event in events(table(), "no_objection")] == ["table"]


# the arms, and bad input


ARMS = {
    "roundtable": "both",
    "roundtable_prompt_only": "prompt",
    "roundtable_code_only": "code",
    "roundtable_no_gates": "off",
    "roundtable_quick": "both",
    "roundtable_quick_prompt_only": "prompt",
    "roundtable_quick_code_only": "code",
    "roundtable_quick_no_gates": "off",
}


@pytest.mark.parametrize("arm", ARMS)
def test_what_an_arm_switches(arm):
    protocol = choice(arm)
    gates = protocol.gates
    assert {gates.repetition, gates.proposal, gates.vote, gates.role, gates.concerns} == {ARMS[arm]}
    assert (gates.sameness, gates.quality) == (ClaimRepetition(), EvidenceQuality())
    quick = "quick" in arm
    assert (protocol.debate_rounds, protocol.manner.forms) == ((2, "brief") if quick else (8, "full"))


def test_without_stated_bars_confidence_is_asked_to_fit_and_no_number_is_told():
    vague, told = (choice(f"roundtable_quick_{arm}").gates for arm in ("vague", "prompt_only"))
    assert replace(vague, quality=told.quality) == told
    loud = drafts(evidence=("r = 0.21",), confidence="high")
    for gates, number in ((vague, False), (told, True)):
        played = table(
            Panel(generalist_draft=loud), gates=gates, problem=replace(DATA, question="r with sales = 0.21")
        )
        for seen, who in (("Draft", "generalist"), ("Ballot", "skeptic")):
            (prompt,) = shown(played, seen, who)
            assert ("0.5" in prompt) is number
            assert ("the confidence must fit the evidence" in prompt) is not number
        assert events(played, "breached", gate="proposal")


def test_as_published():
    gates = choice("roundtable_legacy").gates
    assert (gates.sameness, gates.quality) == (PublishedRepetition(), PublishedQuality())
    assert (gates.repetition, gates.proposal, gates.vote, gates.role, gates.concerns) == (
        "both", "code", "prompt", "prompt", "prompt",
    )  # fmt: skip


def test_the_longest_quick_reply_fits_its_tokens():
    """A character a token: worse no tokenizer can do with plain ones."""
    protocol = choice("roundtable_quick")
    answer = len('"-123456789012345.123456"')
    floor = len('{"text":"","answer":,"move":"support","to":"statistician"}') + 60 + answer
    ballot = len('{"agent":"statistician","concerns":"unanswered","reason":"","vote":"disagree"}') + 40
    draft = len('{"insight":"","answer":,"evidence":[""],"confidence":"medium"}') + 60 + 40 + answer
    for name in PERSONAS:
        settings = settings_of(name, protocol, RoleSettings())
        assert settings.contract.enforcement == "grammar"
        assert max(floor, ballot, draft if name == "generalist" else 0) <= settings.sampling.max_tokens


def test_full_forms_fit_their_tokens():
    settings = settings_of("generalist", choice("roundtable"), RoleSettings())
    longest = {
        form: json.dumps(getattr(FULL, form).form(SUM)) for form in ("contribution", "proposal", "vote")
    }
    assert all('"maxLength": 240' in longest[form] for form in ("proposal", "vote"))
    assert settings.sampling.max_tokens >= 240 + 4 * 240 + 120


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Roundtable(personas=("skeptic", "skeptic")), "each once"),
        (lambda: Roundtable(personas=("judge",)), "protocol.personas"),
        (lambda: Roundtable(personas=()), "protocol.personas"),
        (lambda: Roundtable(debate_rounds=-1), "debate_rounds"),
        (lambda: Roundtable(threshold="most"), "'most' is none of"),
        (lambda: Roundtable(roles={"judge": {}}), "has no role"),
        (lambda: Gates(vote="yes"), "protocol.gates.vote: 'yes' is none of"),
        (lambda: Manner(retries=-1), "retries"),
        (lambda: Manner(window=0), "window"),
        (lambda: Manner(schedule="later"), "'later' is none of"),
        (lambda: EvidenceQuality(high=0.2), "medium <= high"),
        (lambda: ClaimRepetition(overlap=0.0), "overlap"),
        (lambda: PublishedRepetition(overlap=1.2), "overlap"),
    ],
)
def test_bad_settings_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_bare_off_in_yaml_is_off():
    assert Gates(vote=False).vote == "off"


def test_the_longest_contributions_are_cut_where_the_context_is_small():
    roles = {name: {"context": "cut_peers", "sampling": {"max_tokens": 120}} for name in PERSONAS}
    protocol = Roundtable(debate_rounds=1, roles=roles, gates=only())

    def played(context):
        return play(
            stage(protocol, Panel(skeptic_floor=says("why " * 90 + "so")), problem=DATA, context=context)
        )

    whole = max(turn.completion.prompt_tokens for turn in played(10_000).turns)
    cut = [turn for turn in played(whole + 120 - 5).turns if turn.cuts]
    assert {turn.seen for turn in cut} <= {"Draft", "Ballot"}
    assert cut
    assert all("why so" not in turn.request.messages[-1].text for turn in cut)
    with pytest.raises(ContextError):
        play(stage(Roundtable(debate_rounds=1), Panel(), problem=DATA, context=100))
