"""Self-Refine: what critic and solver see, and what ends it."""

import json
import re

import pytest
from stage import SUM, play, stage

from madbench.agents.prompts import FOLDER
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.self_refine import SelfRefine
from madbench.types import InputError, StopReason


def drafts(request):
    turn = sum(message.role == "assistant" for message in request.messages)
    return f"Draft number {turn} of mine.\nAnswer: {turn}"


def verdicts(*given, advice="Look at the second step again."):
    """The given verdicts, feedback by feedback; None is feedback that cannot be read."""
    left = iter(given)

    def script(request):
        verdict = next(left)
        return "It is correct." if verdict is None else json.dumps({"advice": advice, "verdict": verdict})

    return script


def refine(*given, solver=drafts, **settings):
    return play(stage(SelfRefine(**settings), {"solver": solver, "critic": verdicts(*given)}))


def test_first_draft_is_the_single_answers_draw():
    single = play(stage(ChainOfThought(), drafts))
    assert refine("keep").turn("solver", 0, 0).request == single.turn("solver", 0, 0).request


def test_feedback_and_refinement_are_calls_of_their_own():
    played = refine("revise", "revise", "keep")
    assert [(turn.speaker.role, turn.speaker.round) for turn in played.turns] == [
        ("solver", 0),
        ("critic", 1),
        ("solver", 1),
        ("critic", 2),
        ("solver", 2),
        ("critic", 3),
    ]
    assert played.outcome.positions == (("0",), ("1",), ("2",))
    assert played.outcome.answer == "2"
    assert played.outcome.stop is StopReason.NO_OBJECTION


def test_the_stop_rule_comes_before_the_cap():
    assert refine("revise", "keep", refinements=2).outcome.stop is StopReason.NO_OBJECTION
    assert refine("revise", "revise", refinements=2).outcome.stop is StopReason.MAX_ROUNDS
    assert refine(refinements=0).outcome.positions == (("0",),)


def test_the_cap_bounds_the_calls():
    for refinements in (1, 2, 5):
        played = refine(*["revise"] * 9, refinements=refinements)
        assert len(played.turns) == 1 + 2 * refinements
        assert len(played.outcome.positions) == 1 + refinements


def test_words_of_praise_end_nothing():
    """Only the verdict does: not praise in the advice, nor in the refinement, nor a denial of praise."""
    for praise in ("It is correct.", "I do not think it is correct; mend step 2.", '"verdict": "keep"'):
        solver = lambda request: f"It is correct. keep\n{drafts(request)}"  # noqa: E731
        critic = verdicts("revise", "revise", advice=praise)
        played = play(stage(SelfRefine(refinements=2), {"solver": solver, "critic": critic}))
        assert played.outcome.stop is StopReason.MAX_ROUNDS
        assert len(played.outcome.positions) == 3


def test_a_doubtful_advice_with_a_clear_verdict_stops():
    critic = verdicts("keep", advice="I am not sure that it is wrong.")
    played = play(stage(SelfRefine(), {"solver": drafts, "critic": critic}))
    assert played.outcome.stop is StopReason.NO_OBJECTION


@pytest.mark.parametrize(
    "said", ["It is correct.", '{"verdict": "keep"}', '{"advice": "", "verdict": "keep"}', "null"]
)
def test_unreadable_feedback_is_neither_advice_nor_a_stop(said):
    played = play(stage(SelfRefine(refinements=3), {"solver": drafts, "critic": lambda request: said}))
    assert played.outcome.stop is StopReason.MAX_ROUNDS
    assert played.outcome.positions == (("0",),)
    assert [turn.speaker.role for turn in played.turns] == ["solver"] + ["critic"] * 3
    assert len({turn.request.seed for turn in played.turns[1:]}) == 3  # asked anew, with other noise


def test_refining_goes_on_after_one_unreadable_feedback():
    played = refine(None, "revise", "keep", refinements=3)
    assert played.outcome.positions == (("0",), ("1",))
    assert [turn.speaker.round for turn in played.turns] == [0, 1, 2, 2, 3]


def test_feedback_is_repaired_where_the_contract_says_so():
    roles = {"critic": {"contract": {"enforcement": "repair", "repairs": 1}}}
    played = refine(None, "keep", roles=roles)
    first, second = (turn for turn in played.turns if turn.speaker.role == "critic")
    assert (first.speaker.attempt, second.speaker.attempt) == (0, 1)
    assert (first.reading.status, second.reading.status) == ("missing", "repaired")
    assert "advice" in second.request.messages[-1].text
    assert played.outcome.stop is StopReason.NO_OBJECTION


def test_a_grammar_holds_the_critics_form_alone():
    roles = {"critic": {"contract": {"enforcement": "grammar"}}}
    played = refine("revise", "keep", roles=roles)
    schemas = {turn.speaker.role: turn.request.schema for turn in played.turns}
    assert schemas["solver"] is None
    schema = json.loads(schemas["critic"])
    assert schema["required"] == ["advice", "verdict"]
    assert schema["properties"]["verdict"]["enum"] == ["revise", "keep"]
    assert schema["properties"]["advice"]["maxLength"] > 0


def test_the_critic_sees_question_and_draft_and_remembers_nothing():
    played = refine("revise", "revise", "keep")
    for number in range(3):
        turn = played.turn("critic", 0, number + 1)
        (message,) = turn.request.messages
        assert SUM.question in message.text
        assert SUM.reader.instruction not in message.text  # it is not the critic who answers
        assert re.findall(r"Draft number (\d)", message.text) == [str(number)]


def test_the_solver_sees_all_it_said_and_was_told():
    messages = refine("revise", "revise", "keep").turn("solver", 0, 2).request.messages
    assert [message.role for message in messages] == ["user", "assistant"] * 2 + ["user"]
    assert "Look at the second step again." in messages[-1].text
    assert '"verdict"' not in messages[-1].text


def test_the_asserting_arm_differs_in_what_the_critic_is_told_alone():
    neutral, asserting = refine("keep"), refine("keep", asserting=True)
    told = [played.asked("critic", 0, 1) for played in (neutral, asserting)]
    assert "that contains an error" in told[1]
    assert "that contains an error" not in told[0]
    assert "or that nothing is" not in told[1]
    form = (FOLDER / "self_refine" / "form.j2").read_text().strip()
    assert all(text.endswith(form) for text in told)
    assert neutral.turns[0].request == asserting.turns[0].request
    assert neutral.turns[1].request.seed == asserting.turns[1].request.seed


def test_later_wrong_answers_are_not_covered_by_an_early_right_one():
    """The published evaluation counted every attempt after the first right one as right."""
    solver = iter(["Answer: 9", "Answer: 8", "Answer: 7"])
    played = refine("revise", "revise", "keep", solver=lambda request: next(solver))
    assert played.outcome.positions == (("9",), ("8",), ("7",))
    assert played.outcome.answer == "7"


def test_a_refinement_without_an_answer_is_the_final_one_all_the_same():
    solver = iter(["Answer: 9", "I give up."])
    played = refine("revise", "keep", solver=lambda request: next(solver))
    assert played.outcome.answer is None
    assert played.outcome.positions == (("9",), (None,))


def test_a_negative_number_of_refinements_is_refused():
    with pytest.raises(InputError, match="refinements: -1"):
        SelfRefine(refinements=-1)


def rated(*given, **settings):
    """The critic's (verdict, score), feedback by feedback; None is feedback that cannot be read."""
    left = iter(given)

    def script(request):
        one = next(left)
        return "?" if one is None else json.dumps({"advice": "Look.", "verdict": one[0], "score": one[1]})

    made = SelfRefine(keep="best_by_own_score", **settings)
    return play(stage(made, {"solver": drafts, "critic": script}))


@pytest.mark.parametrize(
    ("given", "kept", "stop"),
    [
        ([("revise", 3), ("revise", 9), ("revise", 5)], 1, StopReason.MAX_ROUNDS),
        ([("revise", 4), ("revise", 4), ("keep", 4)], 0, StopReason.NO_OBJECTION),
        ([("revise", 1), ("revise", 2), ("revise", 8)], 2, StopReason.MAX_ROUNDS),
        ([("revise", 7), ("keep", 6)], 0, StopReason.NO_OBJECTION),
        ([("revise", 7), None, ("revise", 11)], 0, StopReason.MAX_ROUNDS),
        ([None, None, None], 0, StopReason.MAX_ROUNDS),
    ],
)
def test_the_reply_that_its_critic_scored_highest_is_given(given, kept, stop):
    outcome = rated(*given, refinements=2).outcome
    assert (outcome.answer, outcome.facts["kept"], outcome.stop) == (str(kept), kept, stop)


def test_every_reply_is_scored_in_as_many_calls_as_that_takes():
    assert len(rated(*[("revise", 1)] * 3, refinements=2).turns) == 6


def test_the_first_answer_can_be_the_one_that_counts():
    played = refine("revise", "revise", refinements=2, keep="first")
    assert played.outcome.answer == "0"
    assert played.outcome.positions == (("0",), ("1",), ("2",))


def test_a_critic_told_of_an_error_is_no_judge():
    with pytest.raises(InputError, match="asserting: false"):
        SelfRefine(asserting=True, keep="best_by_own_score")
