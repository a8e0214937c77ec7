"""Adversarial review: who says what when, what becomes of claims, and what binds."""

import json

import pytest
from reviewers import (
    CARRY,
    OBJECTION,
    PROBLEM,
    REBUTTAL,
    Side,
    answers,
    debate,
    decides,
    review,
    settles,
    stands,
)
from stage import SUM

from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.adversarial_review_terms import Terms
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.types import (
    Accepted,
    Answered,
    Claimed,
    Fault,
    InputError,
    Maintained,
    Objected,
    Passed,
    StopReason,
    Unaddressed,
    Withdrawn,
    findings_of,
)


def contested(answer, rejoin="MAINTAINED", **options):
    """B objects to A's one claim; B has none."""
    defence = [answer] if isinstance(answer, str) else answer
    return debate(
        Side(answer=defence, settle=settles(B_1_1="A run under load shows torn values.")),
        Side(
            review=review(),
            object=stands(A1=OBJECTION),
            rejoin=decides(B_1_1=(rejoin, "The constructor proves nothing")),
        ),
        **options,
    )


def test_a_whole_debate_in_order():
    """Claims, objections by opponents, answers by owners, decisions by objectors; then what is open is settled."""
    heard = contested(answers(B_1_1=REBUTTAL))
    kinds = [type(entry).__name__ for entry in heard.ledger]
    assert kinds == ["Claimed", "Objected", "Answered", "Maintained", "Answered", "Maintained"]
    asked = [(turn.speaker.role, turn.speaker.seat, turn.speaker.round) for turn in heard.turns]
    assert asked == [
        ("solver", 0, 0), ("solver", 1, 0), ("objector", 1, 1), ("defender", 0, 1), ("objector", 1, 1),
        ("defender", 0, 2), ("objector", 1, 2), ("synthesiser", 0, 2),
    ]  # fmt: skip
    assert heard.outcome.stop is StopReason.MAX_ROUNDS
    assert heard.outcome.facts["asks"] == {"review": 2, "object": 1, "answer": 2, "rejoin": 2, "settle": 1}
    assert heard.outcome.facts["verdict"] == "dispute"
    assert heard.outcome.facts["unresolved"] == [
        {"objection": "B/1/1", "claim": "A/1", "would_resolve_if": "A run under load shows torn values."}
    ]


def test_a_conceded_claim_falls_and_settles_the_debate():
    heard = contested(answers(B_1_1="CONCEDED"))
    assert heard.moves == {"B/1/1": "CONCEDED"}
    assert heard.last == [[], []]
    assert heard.outcome.answer == "[]"
    assert heard.outcome.stop is StopReason.CONSENSUS
    assert [len(findings_of(side)) for side in heard.outcome.positions[0]] == [1, 0]


def test_a_withdrawn_objection_leaves_the_claim():
    heard = contested(answers(B_1_1=REBUTTAL), "WITHDRAWN")
    assert [each.claim for each in heard.of(Withdrawn)] == ["A/1"]
    assert heard.last == [["A/1"], []]
    assert (heard.outcome.stop, heard.outcome.facts["verdict"]) == (StopReason.CONSENSUS, "verdict")
    assert findings_of(heard.outcome.facts["views"]["settled"])[0].id == "A/1"
    assert heard.outcome.facts["upheld"] == []  # nobody said that it is right


def test_an_accepted_claim_is_upheld_and_never_withdrawn():
    """Agreement is a stance of the opponent's, not a concession of the owner's."""
    heard = debate(
        Side(), Side(review=review(), object=stands(A1=("ACCEPTED", "It is a data race", "app.py:3")))
    )
    assert [(each.by, each.claim) for each in heard.of(Accepted)] == [("B", "A/1")]
    assert heard.outcome.facts["upheld"] == ["A/1"]
    assert findings_of(heard.outcome.facts["views"]["upheld"]) == findings_of(heard.outcome.answer)
    assert heard.outcome.stop is StopReason.NO_OBJECTION


def test_a_claim_is_not_upheld_while_anybody_objects_to_it():
    sides = [
        Side(answer=answers(B_1_1=REBUTTAL)),
        Side(review=review(), object=stands(A1=OBJECTION), rejoin=decides(B_1_1="MAINTAINED")),
        Side(review=review(), object=stands(A1="ACCEPTED")),
    ]
    assert debate(*sides, rounds=1).outcome.facts["upheld"] == []
    sides[1].rejoin = decides(B_1_1="WITHDRAWN")
    assert debate(*sides, rounds=1).outcome.facts["upheld"] == ["A/1"]


def test_a_claim_s_id_answers_an_objection_only_where_there_is_one():
    """Two objectors, and an answer that names the claim: whom it answers cannot be told."""
    objectors = [Side(review=review(), object=stands(A1=OBJECTION)) for _ in range(2)]
    heard = debate(Side(answer="A/1: CONCEDED."), *objectors, rounds=1)
    assert heard.moves == {"B/1/1": None, "C/1/1": None}
    assert ("unknown_id", "A") in heard.faults
    assert debate(Side(answer="A/1: CONCEDED."), objectors[0], rounds=1).moves == {"B/1/1": "CONCEDED"}


def test_nobody_objects_and_it_is_over():
    heard = debate(Side(), Side())
    assert heard.outcome.stop is StopReason.NO_OBJECTION
    assert heard.outcome.facts["verdict"] == "verdict"
    assert len(heard.turns) == 4


def test_what_is_left_open_is_put_again_with_all_that_was_said():
    heard = contested(answers(B_1_1=REBUTTAL))
    second = heard.prompts("defender", "A")[1]
    for words in (OBJECTION[1], REBUTTAL[1], "The constructor proves nothing"):
        assert words in second


def test_a_second_round_may_concede_what_the_first_carried():
    heard = contested([answers(B_1_1=CARRY), answers(B_1_1="CONCEDED")])
    assert [each.move for each in heard.of(Answered)] == ["CARRIED", "CONCEDED"]
    assert heard.last == [[], []]
    assert [len(findings_of(round[0])) for round in heard.outcome.positions] == [1, 1, 0]


def test_the_artifact_stands_before_everybody_in_every_turn():
    heard = contested(answers(B_1_1=REBUTTAL))
    for turn in heard.turns:
        assert PROBLEM.question in turn.request.messages[0].text


def test_an_opponent_objects_and_never_the_owner():
    heard = debate(
        Side(review=review(3, 4), object=stands(B1=OBJECTION)),
        Side(review=review(7), object=stands(A1=OBJECTION, A2=OBJECTION)),
    )
    assert all(each.by != each.claim[0] for each in heard.of(Objected))
    assert [each.objection for each in heard.of(Objected)] == ["A/1/1", "B/1/1", "B/1/2"]


def test_three_reviewers_object_to_one_another():
    sides = [
        Side(review=review(3), object=stands(B1=OBJECTION), answer=answers(C_1_1=REBUTTAL)),
        Side(
            review=review(7), object=stands(C1="ACCEPTED"), answer=answers(A_1_1="CONCEDED", C_1_2=REBUTTAL)
        ),
        Side(review=review(9), object=stands(A1=OBJECTION, B1=OBJECTION)),
    ]
    heard = debate(*sides, rounds=1)
    assert {(each.by, each.claim) for each in heard.of(Objected)} == {
        ("A", "B/1"),
        ("C", "A/1"),
        ("C", "B/1"),
    }
    assert heard.last == [["A/1"], [], ["C/1"]]
    assert heard.outcome.facts["upheld"] == ["C/1"]
    assert heard.moves == {"A/1/1": "CONCEDED", "C/1/1": "REBUTTED", "C/1/2": "REBUTTED"}


def test_who_took_a_stand_is_not_asked_about_the_claim_again():
    sides = [Side(review=review(3, 7)), Side(review=review(), object=stands(A1=OBJECTION))]
    first, second = debate(*sides).prompts("objector", "B")[:2]
    assert "A/1" in first
    assert "A/2" in first
    assert "- A/1" not in second
    assert "- A/2" in second


def test_a_claim_that_was_passed_over_in_so_many_words_is_not_put_again():
    sides = [
        Side(review=review(3, 7)),
        Side(review=review(), object=stands(A1=OBJECTION, A2=("PASSED", "No view"))),
    ]
    heard = debate(*sides)
    assert len(heard.prompts("objector", "B")) == 1
    assert [(each.claim, each.reason) for each in heard.of(Passed)] == [("A/2", "No view")]
    assert heard.outcome.facts["upheld"] == []


# isolated reviews are everybody's


def test_the_isolated_reviews_are_the_completions_of_every_other_protocol():
    def first_requests(protocol):
        heard = debate(Side(), Side(), protocol=protocol)
        return [
            turn.request for turn in heard.turns if turn.speaker.role == "solver" and turn.speaker.round == 0
        ][:2]

    ours = first_requests(None)
    assert ours == first_requests(Debate(agents=2))
    assert ours == first_requests(SelfConsistency(votes=2, pool=2))
    assert ours[0] != ours[1]


def test_a_review_that_cannot_be_read_is_no_position_and_noted():
    heard = debate(Side(review="I would rather not."), Side())
    assert heard.outcome.positions[0][0] is None
    assert heard.outcome.positions[-1][0] is None
    assert ("unread", "A") in heard.faults
    assert heard.last[1:] == [["B/1"]]
    nobody = debate(Side(review="Hm."), Side(review="Well."))
    assert (nobody.outcome.answer, nobody.outcome.facts["verdict"]) == (None, "no_claims")


def test_two_silent_reviews_are_no_verdict():
    heard = debate(Side(review=review()), Side(review=review()))
    assert (heard.outcome.answer, heard.outcome.facts["verdict"], heard.outcome.facts["claims"]) == (
        "[]",
        "no_claims",
        0,
    )
    assert len(heard.turns) == 2


def test_claims_are_named_by_side_and_evidence_that_does_not_exist_is_marked():
    missing = ["app.py:3", "app.py:99", "trustme"]
    heard = debate(Side(review=review(3, references=missing)), Side(review=review(3)))
    claimed = heard.of(Claimed)
    assert [each.finding.id for each in claimed] == ["A/1", "B/1"]
    assert [each.unresolved for each in claimed] == [("app.py:99", "trustme"), ()]


def test_a_claim_said_twice_is_refused():
    heard = debate(Side(review=review((3, "No lock."), (3, "no  LOCK."), (4, "No lock."))), Side())
    assert [each.finding.id for each in heard.of(Claimed) if each.by == "A"] == ["A/1", "A/2"]
    assert ("duplicate_id", "A") in heard.faults


def test_claims_over_the_cap_are_noted_and_the_least_severe_go_first():
    found = [
        review((n, f"wrong {n}"), severity=s) for n, s in enumerate(("low", "high", "medium", "high"), 1)
    ]
    rows = [json.loads(each)["findings"][0] for each in found]
    heard = debate(Side(review=json.dumps({"findings": rows})), Side(), claims=2)
    assert [each.finding.text for each in heard.of(Claimed) if each.by == "A"] == ["wrong 2", "wrong 4"]
    assert [each.text for each in heard.of(Fault)] == ["wrong 3", "wrong 1"]


# repairs


def test_a_missing_move_is_asked_for_twice_by_name_and_then_left():
    heard = contested("I have thought about it.", enforcement="repair", rounds=1)
    assert heard.moves == {"B/1/1": None}
    asked = heard.repairs("defender")
    assert len(asked) == 2
    assert all("B/1/1" in text for text in asked)
    assert [turn.speaker.attempt for turn in heard.turns if turn.speaker.role == "defender"] == [0, 1, 2]
    assert ("unread", "A") in heard.faults


def test_a_repair_names_what_is_missing_alone_and_adds_to_what_was_there():
    sides = (
        Side(review=review(3, 4), answer=[answers(B_1_1="CONCEDED"), answers(B_1_2=REBUTTAL)]),
        Side(review=review(), object=stands(A1=OBJECTION, A2=OBJECTION)),
    )
    heard = debate(*sides, enforcement="repair", rounds=1)
    (asked,) = heard.repairs("defender")
    assert "nothing on B/1/2" in asked
    assert "B/1/1" not in asked.split("\n")[0]
    assert heard.moves == {"B/1/1": "CONCEDED", "B/1/2": "REBUTTED"}


def test_without_repair_a_missing_move_is_unaddressed_at_once():
    heard = contested("I have thought about it.", rounds=1)
    assert (heard.moves, heard.repairs("defender")) == ({"B/1/1": None}, [])


@pytest.mark.parametrize(("insists", "repairs"), [("reasons", 1), ("moves", 0)])
def test_a_repair_insists_on_reasons_where_the_terms_do(insists, repairs):
    said = [answers(B_1_1="CARRIED"), answers(B_1_1=CARRY)]
    heard = contested(said, enforcement="repair", rounds=1, insists=insists)
    assert len(heard.repairs("defender")) == repairs
    (answer,) = heard.of(Answered)
    assert answer.valid is bool(repairs)
    if repairs:
        assert "B/1/1: no specific reason" in heard.repairs("defender")[0]


@pytest.mark.parametrize("answer", ["Nothing to say here.", answers(B_1_1="CARRIED")])
@pytest.mark.parametrize(("on_invalid", "left"), [("unaddressed", ["A/1"]), ("concede", [])])
def test_what_an_objection_without_a_valid_answer_counts_as(answer, on_invalid, left):
    assert contested(answer, rounds=1, on_invalid=on_invalid).last == [left, []]


def test_objections_may_be_withheld_and_are_not_asked_for_again():
    heard = debate(Side(), Side(object='{"claims": {}}'), enforcement="repair")
    assert heard.repairs("objector") == []


# caps


@pytest.mark.parametrize("calls", range(2, 9))
def test_calls_are_never_more_than_the_cap(calls):
    heard = contested(answers(B_1_1=REBUTTAL), calls=calls)
    assert len(heard.turns) == min(calls, 8)
    assert (heard.outcome.stop is StopReason.BUDGET) is (calls < 7)
    assert ("over_cap", "engine") in heard.faults or calls == 8
    assert heard.last == [["A/1"], []]


def test_a_token_cap_ends_the_debate_after_the_stage_that_reaches_it():
    heard = contested(answers(B_1_1=REBUTTAL), tokens=1)
    assert (len(heard.turns), heard.outcome.stop) == (2, StopReason.BUDGET)
    assert [each.by for each in heard.of(Fault)] == ["engine"]


def test_a_debate_that_outgrows_the_context_keeps_what_was_said():
    room = max(len(message.split()) for message in (PROBLEM.prompt,)) + 512 + 5
    heard = contested(answers(B_1_1=REBUTTAL), context=room)
    assert heard.outcome.stop is StopReason.CONTEXT
    assert heard.last == [["A/1"], []]
    assert "context" in heard.of(Fault)[0].text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reviewers": 1}, "2 to 26 reviewers"),
        ({"debate_rounds": 0}, "1 or more rounds"),
        ({"terms": Terms(calls=1)}, "do not pay for 2 reviews"),
    ],
)
def test_settings_that_make_no_debate_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        AdversarialReview(**settings)


@pytest.mark.parametrize(
    ("terms", "message"),
    [({"claims": 0}, "terms.claims: 0"), ({"tokens": -1}, "terms.tokens"), ({"insists": "love"}, "none of")],
)
def test_terms_that_bind_nothing_are_refused(terms, message):
    with pytest.raises(InputError, match=message):
        Terms(**terms)


def test_a_question_without_an_artifact_is_refused():
    with pytest.raises(InputError, match="no artifact to review"):
        debate(Side(), Side(), problem=SUM)


# the report


def test_giving_everything_up_is_no_verdict():
    sides = [
        Side(review=review(3), object=stands(B1=OBJECTION), answer=answers(B_1_1="CONCEDED")),
        Side(review=review(7), object=stands(A1=OBJECTION), answer=answers(A_1_1="CONCEDED")),
    ]
    facts = debate(*sides).outcome.facts
    assert (facts["verdict"], facts["conceded"]) == ("all_conceded", ["A/1", "B/1"])


def test_replies_that_nobody_can_read_are_no_verdict():
    heard = debate(Side(object="Fine."), Side(object="Good work all round."))
    assert heard.outcome.facts["verdict"] == "unheard"


def test_the_strongest_points_are_the_most_severe_that_stand():
    sides = [Side(review=review(3, 4, severity="low")), Side(review=review(7), object=stands(A1=OBJECTION))]
    sides[0].answer = answers(B_1_1="CONCEDED")
    assert debate(*sides).outcome.facts["strongest"] == {"A": ["A/2"], "B": ["B/1"]}


def test_what_would_resolve_a_point_is_a_models_word_or_missing():
    heard = contested(answers(B_1_1=REBUTTAL), rounds=1)
    assert heard.outcome.facts["unresolved"][0]["would_resolve_if"] == "A run under load shows torn values."
    silent = debate(Side(), Side(review=review(), object=stands(A1=OBJECTION)), rounds=1)
    assert silent.outcome.facts["unresolved"][0]["would_resolve_if"] is None


def test_maintained_objections_and_their_reasons_are_in_the_ledger():
    heard = contested(answers(B_1_1=REBUTTAL), rounds=1)
    assert [(each.objection, each.reason) for each in heard.of(Maintained)] == [
        ("B/1/1", "The constructor proves nothing")
    ]


def test_an_objector_that_says_nothing_of_an_answer_leaves_its_objection_open():
    heard = debate(
        Side(answer=answers(B_1_1=REBUTTAL)), Side(review=review(), object=stands(A1=OBJECTION)), rounds=1
    )
    assert heard.outcome.facts["verdict"] == "dispute"
    assert not heard.of(Maintained)


def test_an_unanswered_objection_is_not_put_to_its_author_for_a_decision():
    heard = contested("Hm.", rounds=1)
    assert [each.objection for each in heard.of(Unaddressed)] == ["B/1/1"]
    assert "rejoin" not in heard.outcome.facts["asks"]


def test_an_answer_is_put_to_the_objector_in_its_own_round_alone():
    """Rebutted in the first round, silent in the second: there is nothing new to decide on."""
    heard = contested([answers(B_1_1=REBUTTAL), "Hm."])
    assert heard.outcome.facts["asks"]["rejoin"] == 1
    assert [type(entry).__name__ for entry in heard.ledger if entry.kind != "integrity"][-2:] == [
        "Maintained",
        "Unaddressed",
    ]
