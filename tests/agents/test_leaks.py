"""The audit: what counts as shown, as hidden, as quoted; and what it must not mistake for a leak."""

import json

import pytest
from stage import SUM

from madbench.agents import audit
from madbench.agents.leaks import MINIMUM, Guard
from madbench.types import (
    Completion,
    Edge,
    LeakError,
    Message,
    ParseStatus,
    Reading,
    Request,
    Sampling,
    Speaker,
    Turn,
)

SECRET = "The seventh step multiplies where it ought to add."


def turn(role, shown, said, *, seen="Asked", kind="Statement", reply=None, attempt=0):
    messages = tuple(
        Message(*message) if isinstance(message, tuple) else Message("user", message) for message in shown
    )
    request = Request(messages, Sampling(), seed=0)
    reading = Reading(ParseStatus.OK, kind, reply=reply if reply is not None else {"text": said})
    return Turn(Speaker(role, 0, 0, 0, attempt), seen, request, Completion(said, "stop", 1, 1), reading)


HIDDEN = [Edge("solver", "critic")]


def found(turns, edges=HIDDEN):
    return audit(SUM, turns, edges)


def test_nothing_shown_nothing_found():
    result = found([turn("solver", ["Go."], SECRET), turn("critic", ["Judge."], "Fine.")])
    assert (result.leaks, result.quoted, result.checked) == ((), 0, 1)


@pytest.mark.parametrize(
    "shown",
    [
        SECRET,
        f"It was said: {SECRET} What now?",
        SECRET.upper(),
        SECRET.replace(" ", "\n  "),
    ],
)
def test_hidden_words_are_found_however_they_are_set(shown):
    turns = [turn("solver", ["Go."], SECRET), turn("critic", [shown], "Fine.")]
    assert found(turns).leaks == ("solver -> critic at turn 1",)
    with pytest.raises(LeakError, match="critic was about to be shown hidden text: solver -> critic"):
        Guard(SUM, HIDDEN, turns[:1]).check(turns[1])


def test_words_that_were_read_out_of_a_reply_are_hidden_too():
    """Reasoning is stripped and forms are taken apart before anything is shown, so the raw text never recurs."""
    reasoned = turn("solver", ["Go."], f"<think>hm</think>{SECRET}", reply={"text": SECRET})
    raw = json.dumps({"points": [{"claim": SECRET}]})
    formed = turn("solver", ["Go."], raw, kind="Case", reply=json.loads(raw))
    for said in (reasoned, formed):
        assert found([said, turn("critic", [f"- {SECRET}"], "Fine.")]).leaks


def test_only_what_was_said_before_can_leak():
    assert not found([turn("critic", [SECRET], "Fine."), turn("solver", ["Go."], SECRET)]).leaks


def test_a_sinks_own_words_and_requests_to_repair_them_are_not_shown_to_it():
    said = turn("solver", ["Go."], SECRET)
    own = turn("critic", ["Judge.", ("assistant", SECRET), "Again."], "Fine.")
    repaired = turn("critic", ["Judge.", ("assistant", "no"), f"Unreadable. {SECRET}"], "Fine.", attempt=1)
    assert not found([said, own]).leaks
    assert not found([said, repaired]).leaks
    assert found([said, turn("critic", [SECRET, ("assistant", "no"), "Unreadable."], "x", attempt=1)]).leaks


def test_who_only_repeats_its_prompt_gives_nothing_away():
    """Small models often echo; the same wording in another role's prompt is no leak."""
    wording = "Check the reply step by step and say what is wrong."
    assert not found([turn("solver", [wording], wording), turn("critic", [wording], "Fine.")]).leaks


def test_short_replies_recur_by_chance():
    short = "x" * (MINIMUM - 1)
    assert not found([turn("solver", ["Go."], short), turn("critic", [short], "Fine.")]).leaks
    assert found([turn("solver", ["Go."], short + "x"), turn("critic", [short + "x"], "Fine.")]).leaks


def test_a_go_between_that_repeats_is_quoting():
    through = [Edge("solver", "critic", via="Restatement")]
    said = turn("solver", ["Go."], f"{SECRET}\nAnswer: 7")
    raw = json.dumps({"text": f"{SECRET}\nAnswer: 7"})
    restated = turn("mediator", [f"{SECRET}\nAnswer: 7"], raw, kind="Restatement", reply=json.loads(raw))
    shown = turn("critic", [f"It says: {SECRET}\nAnswer: 7"], "Fine.")
    result = found([said, restated, shown], through)
    assert (result.leaks, result.quoted) == ((), 1)
    # without the go-between the same text came through the channel
    assert found([said, shown], through).leaks
    assert found([said, restated, shown], HIDDEN).leaks


def test_a_label_before_repeated_words_can_be_the_templates_own():
    """A small model copied how an observation begins, and then the objection, which the observation shows as well."""
    through, objected = [Edge("solver", "critic", via="Restatement")], f"The critic objected: {SECRET}"
    restated = turn("mediator", [objected], SECRET, kind="Restatement")

    def shown_after(said, label, text=SECRET):
        turns = [turn("solver", ["Go."], said), restated, turn("critic", [f"{label}{text}"], "Fine.")]
        result = found(turns, through)
        return len(result.leaks), result.quoted

    assert shown_after(objected, "The critic objected: ") == (0, 1)
    long = "The critic has always objected: "
    assert shown_after(long + SECRET, long) == (1, 0)
    assert shown_after(f"{SECRET} So 7.", "", f"{SECRET} So 7.") == (1, 0)
    assert shown_after("The critic objected: multiplies", "The critic objected: multiplies") == (1, 0)


def test_one_repeated_text_does_not_excuse_another():
    through = [Edge("solver", "critic", via="Restatement")]
    other = "The second step forgets to carry the one over."
    turns = [
        turn("solver", ["Go."], SECRET),
        turn("solver", ["Go on."], other),
        turn("mediator", [SECRET], SECRET, kind="Restatement"),
        turn("critic", [f"{SECRET} {other}"], "Fine."),
    ]
    result = found(turns, through)
    assert (len(result.leaks), result.quoted) == (1, 1)


def test_the_same_words_without_having_read_them_are_chance():
    """A critic may come up with a sentence that the solver wrote too; it is then nobody's secret."""
    edges = [Edge("solver", "judge")]
    said = turn("solver", ["Go."], SECRET)
    same = turn("critic", ["Judge."], SECRET)
    told = turn("critic", [f"It said: {SECRET}"], SECRET)
    ruled = turn("judge", [SECRET], "Fine.")
    assert not found([said, same, ruled], edges).leaks
    assert found([said, told, ruled], edges).leaks


def test_each_turn_answers_for_what_it_adds_to_its_conversation():
    """What a conversation remembers from before was checked then, maybe in another episode."""
    said = turn("solver", ["Go."], SECRET)
    remembers = turn("critic", [SECRET, ("assistant", "Fine."), "Anything else?"], "No.")
    assert not found([said, remembers]).leaks
    told = turn("critic", [("system", SECRET), "Judge.", ("assistant", "Fine."), "Anything else?"], "No.")
    assert found([said, told]).leaks


def test_the_users_own_question_can_be_hidden():
    edges = [Edge("problem", "critic")]
    assert found([turn("critic", [f"Here: {SUM.question}"], "Fine.")], edges).leaks
    assert not found([turn("critic", ["How many apples are there in all?"], "Fine.")], edges).leaks


def test_edges_may_name_kinds_of_reply_and_of_observation():
    edges = [Edge("solver/Raw", "critic/Draft")]
    raw, mild = (turn("solver", ["Go."], SECRET, kind=kind) for kind in ("Raw", "Mild"))
    draft, verdict = (turn("critic", [SECRET], "Fine.", seen=seen) for seen in ("Draft", "Verdict"))
    assert found([raw, draft], edges).leaks
    assert not found([mild, draft], edges).leaks
    assert not found([raw, verdict], edges).leaks
    assert found([raw, verdict], edges).checked == 0


def test_a_guard_remembers_only_where_something_is_hidden():
    said = turn("solver", ["Go."], SECRET)
    open_, closed = Guard(SUM, []), Guard(SUM, HIDDEN)
    for guard in (open_, closed):
        guard.hear(said)
    assert (open_.past, closed.past) == ([], [said])
