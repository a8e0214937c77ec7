"""One episode's numbers, on records whose numbers are known."""

import pytest
from metrics.build import debate, failed, record, sample, turn, votes

from madbench.metrics import arm_metrics, measure, tabulate
from madbench.types import Ending, Event, Message, ParseStatus, StopReason


def numbers(*args, **kwargs):
    return measure(record(*args, **kwargs)).numbers


def test_nothing_unparsed_is_right():
    found = numbers(None, [[None, None, "5"]], of=sample(gold="9"), scores={"correct": 1.0})
    assert (found["correct"], found["parsed"], found["unparsed"]) == (0, 0, 1)
    for answers, gold in [((None, None, "5"), "9"), (("A", "A", None), "B"), ((None, None, None), "B")]:
        assert numbers(None, [answers], of=sample(gold=gold))["majority_round:0"] == 0


def test_nothing_leaves_the_denominator():
    rows = [record("B", [["B"]], of=sample(f"r{i}")) for i in range(80)]
    rows += [record("C", [["C"]], of=sample(f"w{i}")) for i in range(10)]
    rows += [failed(sample(f"x{i}"), Ending.RETRY if i % 2 else Ending.CONTEXT) for i in range(10)]
    found = arm_metrics(tabulate(map(measure, rows)))
    assert {name: found[name].value for name in ("accuracy", "coverage", "error_rate", "unparsed_rate")} == {
        "accuracy": 0.8,
        "coverage": 0.9,
        "error_rate": 0.1,
        "unparsed_rate": 0.0,
    }
    assert found["accuracy"].n == 100
    assert found["accuracy_round_0"].value == 0.8, "an episode without positions is wrong in every round"
    assert found["oracle_any"].value == 0.8


def test_seven_calls():
    turns = [turn("x", "B", seat=seat, round=r) for r in (0, 1) for seat in range(3)]
    turns += [turn("B it is", "B", role="judge"), turn("spare", "B", seat=9, spare=True)]
    found = numbers("B", [["B"] * 3] * 2, turns)
    assert (found["calls"], found["prompt_tokens"], found["output_tokens"]) == (7, 700, 70)
    assert (found["calls:solver"], found["output_tokens:solver"], found["calls:judge"]) == (6, 60, 1)


def test_repairs_are_charged():
    turns = [turn("?", status=ParseStatus.MISSING), turn("B", "B", attempt=1, status=ParseStatus.REPAIRED)]
    found = numbers("B", [["B"]], turns)
    assert (found["calls"], found["status:missing"], found["status:repaired"]) == (2, 1, 1)


def test_flips_are_counted_between_first_and_last_round():
    found = numbers("C", [["B", "C", "D", "B"], ["C", "C", "B", "B"], ["C", "C", "D", "B"]])
    assert (found["seats"], found["right_first"]) == (4, 2)
    assert (found["right_to_wrong"], found["wrong_to_right"], found["changed"]) == (1, 0, 1)
    assert (found["moves"], found["cheap_moves"]) == (8, 5)
    assert found["oracle"] == 1


def test_early_stops_are_the_cheapest_move():
    stopped = numbers("B", [["B"]], stop=StopReason.NO_OBJECTION)
    assert (stopped["moves"], stopped["cheap_moves"], stopped["changed"]) == (1, 1, 0)
    assert "moves" not in numbers("B", [["B"]])


@pytest.mark.parametrize(
    ("final", "agreement"),
    [
        (("B", "B", "B"), 1),
        (("B", "B", "C"), 1 / 3),
        (("B", "C", "D"), 0),
        ((None, None, "B"), 0),
        (("B", "C"), 0),
    ],
)
def test_convergence_is_over_pairs(final, agreement):
    assert numbers("B", [final])["convergence"] == pytest.approx(agreement)


def test_one_seat_cannot_converge():
    assert "convergence" not in numbers("B", [["B"]])


def test_ties_count_their_expected_accuracy():
    found = numbers("B", [["B", "C", "B", "C"]], facts={"tied": ["B", "C"]})
    assert (found["tie"], found["correct"], found["correct_ties"], found["majority_round:0"]) == (
        1,
        1,
        0.5,
        0.5,
    )
    single = numbers("B", [["B", "B", "C"]], facts={"tied": []})
    assert (single["tie"], single["correct_ties"]) == (0, 1)


def test_a_guess_from_unmarked_text_is_not_strictly_right():
    guess = [turn("B I guess", "B", rule="fallback_last")]
    assert numbers("B", [["B"]], guess)["correct_strict"] == 0
    assert numbers("B", [["B"]], [*guess, turn("Answer: B", "B", seat=1)])["correct_strict"] == 1
    assert numbers("C", [["C"]], [turn("Answer: C", "C")])["correct_strict"] == 0


def test_the_gold_is_read_by_the_same_normaliser():
    found = numbers("18", [["18", "20"]], of=sample(gold="18.0"), scores={"correct": 1.0})
    assert found["majority_round:0"] == 0.5


def test_the_tasks_own_scores_go_before_equality():
    found = numbers("b", [["b", "c", "c"]], scores={"correct": 1.0, "right:c": 1.0})
    assert (found["majority_round:0"], found["oracle"]) == (1, 1)


def test_scores_of_channels_and_facts_of_the_protocol_are_kept():
    facts = {"restatement_kept": 0.75, "none": None, "words": "many", "odd": float("nan")}
    found = numbers("B", [["B"]], facts=facts, scores={"correct": 1.0, "channel_leaks": 2.0, "quoted": 1.0})
    assert (found["channel_leaks"], found["quoted"], found["fact:restatement_kept"]) == (2, 1, 0.75)
    assert not {"fact:none", "fact:words", "fact:odd"} & set(found)


def test_repetition():
    loop, plain = turn("a a a a a a a a a"), turn("one two three four")
    assert numbers("B", [["B"]], [loop])["repetition"] == pytest.approx(7 / 8)
    assert numbers("B", [["B"]], [loop, plain])["repetition"] == pytest.approx(7 / 16)
    assert numbers("B", [["B"]], [turn("")])["repetition"] == 0


def test_a_failed_row_has_costs_and_nothing_else():
    found = measure(failed(sample(), turns=[turn("x")]))
    assert (found.numbers["calls"], found.numbers["correct"], found.numbers["errored"]) == (1, 0, 1)
    assert not {"theater", "convergence", "tie", "majority_round:0"} & set(found.numbers)
    assert found.numbers["oracle"] == found.numbers["correct_strict"] == 0
    assert found.labels == {"ending": "context"}


def test_a_pool_holds_all_votes_and_the_arm_its_own():
    found = measure(votes(["B", "C", "B", "D"], charged=2))
    assert [ballot.answer for ballot in found.pool] == ["B", "C", "B", "D"]
    assert [ballot.right for ballot in found.pool] == [1, 0, 1, 0]
    assert found.numbers["calls"] == 2
    assert found.numbers["convergence"] == 0, "two votes of its own"


def test_only_independent_first_answers_are_a_pool():
    assert measure(debate([[("B", "B"), ("C", "C")], [("B", "B"), ("C", "C")]])).pool == ()
    assert measure(record("B", [["B"]], [turn("B", "B"), turn("B", "B", role="judge")])).pool == ()


# The truth table of theater on questions.

FIRST = [("Seventeen apples remain. Answer: B", "B"), ("Ducks have feathers. Answer: C", "C")]


@pytest.mark.parametrize(
    ("last", "theater"),
    [
        ([("Seventeen apples remain. Answer: B", "B"), ("Ducks have feathers. Answer: C", "C")], 1),
        ([("Perhaps. Answer: B", "B"), ("Ducks have feathers. Answer: B", "B")], 0),
        ([("True, feathers. Answer: B", "B"), ("Ducks have feathers. Answer: C", "C")], 0),
        ([("I agree with the other agents. Answer: B", "B"), ("Still sure. Answer: C", "C")], 1),
        ([("Which one? Answer: B", "B"), ("End with the answer: C", "C")], 1),
        ([("Horses run. Answer: B", "B"), ("Elephants walk. Answer: C", "C")], 1),
    ],
    ids=["replayed", "moved", "taken up", "polite", "question's words", "own words"],
)
def test_theater_on_questions(last, theater):
    assert measure(debate([FIRST, last])).numbers["theater"] == theater


def test_there_and_back_is_movement():
    rounds = [[("B", "B"), ("C", "C")], [("C", "C"), ("C", "C")], [("B", "B"), ("C", "C")]]
    assert measure(debate(rounds)).numbers["theater"] == 0


def test_what_a_seat_said_itself_before_is_not_taken_up():
    first = [("Ducks have feathers. Answer: B", "B"), ("Feathers! Answer: C", "C")]
    assert (
        measure(debate([first, [("Feathers indeed. Answer: B", "B"), ("Yes. Answer: C", "C")]])).numbers[
            "theater"
        ]
        == 1
    )


def test_numbers_are_content():
    first = [("It is 12. Answer: B", "B"), ("It is 17. Answer: C", "C")]
    assert measure(debate([first, [("Not 17. Answer: B", "B"), ("Answer: C", "C")]])).numbers["took_up"] == 1


def test_no_interaction_no_theater():
    same = [FIRST, FIRST]
    assert "theater" not in measure(debate(same, deaf=True)).numbers
    assert "theater" not in measure(votes(["B", "C"], charged=2)).numbers
    assert "theater" not in numbers("B", [["B"], ["B"]], [turn("B", "B"), turn("B", "B", round=1)])


def test_a_peer_that_repeats_the_question_is_not_heard_where_peers_are_silent():
    echo = "Which one?"
    told = [Message("user", f"Go through your reply again.\n\n{echo}\nEnd with the answer.")]
    turns = [
        turn("B", "B"),
        turn(echo, None, seat=1),
        *(turn("B", "B", seat=s, round=1, told=told) for s in (0, 1)),
    ]
    positions = [["B", None], ["B", "B"]]
    assert measure(record("B", positions, turns)).numbers["theater"] == 0
    assert "theater" not in measure(record("B", positions, turns, facts={"peers": "none"})).numbers


def test_a_seat_reminded_of_its_own_words_has_heard_nobody():
    own = "Seventeen apples remain. Answer: B"
    told = [Message("user", f"You said:\n{own}\nThink again.")]
    turns = [turn(own, "B"), turn(own, "B", seat=1)]
    turns += [turn(own, "B", seat=seat, round=1, told=told) for seat in (0, 1)]
    assert "theater" not in numbers("B", [["B", "B"]] * 2, turns)
    heard = [Message("user", f"You said:\n{own}\nAnother said:\n{own}\nThink again.")]
    turns[2:] = [turn(own, "B", seat=seat, round=1, told=heard) for seat in (0, 1)]
    assert numbers("B", [["B", "B"]] * 2, turns)["theater"] == 1


def test_words_of_strangers_count_as_peers():
    stranger = turn("Penguins swim. Answer: D", "D", spare=True)
    told = [Message("user", "Others wrote:\nPenguins swim. Answer: D\nReply again.")]
    seats = [turn("I know. Answer: B", "B", seat=seat) for seat in (0, 1)]
    last = [
        turn("Penguins? Answer: B", "B", seat=0, round=1, told=told),
        turn("Answer: B", "B", seat=1, round=1, told=told),
    ]
    found = numbers("B", [["B", "B"]] * 2, [stranger, *seats, *last])
    assert (found["heard"], found["took_up"], found["theater"]) == (2, 1, 0)


# The truth table of theater with a ledger.


def events(*kinds):
    return tuple(Event(kind, "somebody", 0, facts={"seat": 0}) for kind in kinds)


@pytest.mark.parametrize(
    ("ledger", "theater", "convergence"),
    [
        (events("answered", "objected"), 1, 0),
        (events("answered", "objected", "answered", "conceded", "no_objection"), 0, 1),
        (events("answered", "objected", "answered", "defended", "objected", "answered", "defended"), 0, 0),
        (events("answered", "objected", "answered", "defended", "no_objection"), 0, 1),
        (events("answered", "objected", "answered", "defended", "objected", "answered", "conceded"), 0, 0.5),
    ],
    ids=["unanswered", "conceded", "stubborn", "dropped", "half"],
)
def test_theater_with_a_ledger(ledger, theater, convergence):
    found = numbers("B", [["B"]], ledger=ledger)
    assert (found["theater"], found["convergence"]) == (theater, convergence)
    assert found["theater_no_concession"] == ("conceded" not in [event.kind for event in ledger])
    assert found["theater_no_state_change"] == (convergence == 0)


@pytest.mark.parametrize(
    ("reply", "theater"),
    [
        ("Carried.", 1),
        ("The second step ignores the carried digit.", 1),
        ("Seventeen apples remain in the basket.", 1),
        ("Counting ducks twice would double every feather.", 0),
    ],
    ids=["bare", "the objection's words", "its own earlier words", "specific"],
)
def test_only_a_specific_reason_is_a_valid_answer(reply, theater):
    ledger = (
        Event("answered", "answerer", 0, "Seventeen apples remain in the basket."),
        Event("objected", "critic", 0, "The second step ignores the carried digit."),
        Event("answered", "answerer", 1, reply),
    )
    found = numbers("B", [["B"], ["B"]], ledger=ledger)
    assert (found["theater"], found["theater_no_valid_answer"]) == (0, theater)


def test_without_objections_there_is_nothing_to_answer():
    found = numbers("B", [["B"]], ledger=events("answered", "no_objection"))
    assert found["zero_claims"] == 1
    assert not {"theater", "convergence"} & set(found)
