"""Faults of published debates with judges, votes and quotations, each with its smallest input, against what we ship."""

import json
import re
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate
from stage import play, stage

from madbench.protocols.quotes import checked
from madbench.protocols.tribunal import Tribunal
from madbench.protocols.tribunal_policy import OneMoreRound
from madbench.protocols.tribunal_tally import tally
from madbench.tasks.passages import Passages
from madbench.types import StopReason

CONF = Path(__file__).parents[2] / "conf"
CASE = Passages(n=1).samples()[0].problem
TRAPS = [
    "null",
    "```json\n{}\n```",
    "I would say: {'settled': True}",
    "__import__('os').abort()",
    "[" * 10_000,
]


def preset(name):
    with initialize_config_dir(str(CONF), version_base=None):
        return instantiate(compose(f"protocol/{name}")["protocol"], _convert_="all")


def speaker(name):
    """Everything that this role says is numbered by its own count of replies."""

    def script(request):
        number = sum(message.role == "assistant" for message in request.messages) + 1
        return f"This is {name}'s speech <{name}-{number}>, made at length.\nAnswer: {name}"

    return script


def undecided(request):
    return json.dumps({"reasons": "Not yet.", "answer": "a", "settled": False})


def judge(request):
    return json.dumps({"candidates": "two", "answer": "a", "reasons": "So it is."})


def court(name, **scripts):
    roles = {
        "affirmative": speaker("pro"),
        "negative": speaker("con"),
        "moderator": undecided,
        "judge": judge,
    }
    return play(stage(preset(name), roles | scripts))


def heard(played):
    """What the judge of a tit for tat was shown."""
    (shown,) = (turn.request.messages for turn in played.turns if turn.speaker.role == "judge")
    return re.findall(r"<((?:pro|con)-\d)>", shown[-1].text)


def test_a_judge_reads_every_round_unless_it_is_told_otherwise_by_name():
    """In 164 of 164 published judgements the judge was shown first arguments alone."""
    assert heard(court("tit_for_tat")) == [
        f"{side}-{number}" for side in ("pro", "con") for number in (1, 2, 3)
    ]
    assert heard(court("liang2023")) == ["pro-1", "con-1"]


@pytest.mark.parametrize("name", ["judged_debate", "judged_debate_sequential", "judged_debate_interactive"])
def test_a_judge_who_cannot_read_the_passage_hears_every_round(name):
    def debater(request):
        number = request.messages[-1].text.count("\nRound ") // 2 + 1
        return json.dumps({"thoughts": "t", "argument": f"<said-{number}>"})

    asks = lambda request: json.dumps({"question": "Why?"})  # noqa: E731
    rules = lambda request: json.dumps({"reasons": "r", "answer": "A"})  # noqa: E731
    roles = {"debater": debater, "examiner": asks, "judge": rules}
    played = play(stage(preset(name), roles, problem=CASE))
    for turn in played.turns:
        if turn.speaker.role == "judge":
            assert turn.request.messages[-1].text.count("<said-") == 6
            assert [f"<said-{number}>" in turn.request.messages[-1].text for number in (1, 2, 3)] == [
                True
            ] * 3


@pytest.mark.parametrize("words", TRAPS)
def test_what_a_moderator_says_is_never_run_and_ends_nothing_unread(words):
    """Published code evaluated it: prose and fences crashed, `null` was a name, and code would have been run."""
    played = court("tit_for_tat", moderator=lambda request: words)
    assert (played.outcome.answer, played.outcome.stop) == ("a", StopReason.MAX_ROUNDS)


@pytest.mark.parametrize("quotation", ["", "...", "did", "leave. Captain", "the", " \n ", "“”"])
def test_an_empty_or_a_common_quotation_proves_nothing(quotation):
    passage = "So did they leave. Captain and crew went on board, and the harbour fell silent."
    assert checked(f"<quote>{quotation}</quote>", passage).verified == 0
    assert checked("<quote>Captain and crew went on board</quote>", passage).verified == 1


@pytest.mark.parametrize("argument", ["word " * 140, "<quote>" + "word " * 130 + "</quote>"])
def test_a_speech_that_is_too_long_reaches_the_judge_cut(argument):
    debater = lambda request: json.dumps({"thoughts": "t", "argument": argument})  # noqa: E731
    rules = lambda request: json.dumps({"reasons": "r", "answer": "A"})  # noqa: E731
    played = play(stage(preset("judged_debate_quick"), {"debater": debater, "judge": rules}, problem=CASE))
    assert played.turns[-1].request.messages[-1].text.count("word") == 4 * 60
    assert played.outcome.facts["speeches_cut"] == 4


def test_a_speech_of_as_many_long_words_as_asked_for_is_no_fault_of_form():
    argument = "extraordinary " * 100
    debater = lambda request: json.dumps({"thoughts": "t", "argument": argument})  # noqa: E731
    rules = lambda request: json.dumps({"reasons": "r", "answer": "A"})  # noqa: E731
    played = play(stage(preset("judged_debate"), {"debater": debater, "judge": rules}, problem=CASE))
    assert played.turns[-1].request.messages[-1].text.count("extraordinary") == 600
    assert played.outcome.facts["speeches_cut"] == 0


# --- votes of a tribunal ---


def member(*rankings):
    """Proposes, then ranks in words, one for each of its critiques; it is known by its view."""

    def script(request):
        if "Propose how" in request.messages[-1].text:
            parts = {"approach": "x", "answer": "a", "pros": [], "cons": [], "complexity": "low", "risks": []}
            return json.dumps(parts)
        number = sum(message.role == "assistant" for message in request.messages) - 1
        seat = ["one", "two", "three", "four"].index(request.messages[0].text.split("view ")[1].rstrip("."))
        ranking = rankings[number][seat]
        parts = {"reasons": "r", "answer": "a", "ranking": ranking, "stance": "stick", "target": "one"}
        return json.dumps(
            parts | {"blocking": [{"against": "one", "concern": "it costs"}] if not number else []}
        )

    return script


def tribunal(*rankings, **settings):
    names = ("one", "two", "three", "four")[: len(rankings[0])]
    protocol = Tribunal(members={name: f"the view {name}" for name in names}, **settings)
    return play(stage(protocol, member(*rankings))).outcome


@pytest.mark.parametrize(
    "words",
    ["two is better than one", "1 > 2", "one (90% sure) > two", "one > two > one", "not one > two", ""],
)
def test_a_ranking_in_other_words_is_no_vote(words):
    """Published code read "Solution 1 is better than 2" as a vote for 12, and "0 (90% sure)" as one for 90."""
    outcome = tribunal((words, "two > one"))
    assert [event.by for event in outcome.ledger if event.kind == "gap"] == ["one"]
    assert outcome.ledger[-1].text == "two"


@pytest.mark.parametrize(
    ("rankings", "consensus"),
    [
        ([(0, 1), (1, 0)], False),
        ([(0, 1, 2, 3), (0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3)], False),
        ([(0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3), (2, 0, 1, 3)], True),
    ],
)
def test_half_of_the_first_choices_are_no_consensus(rankings, consensus):
    """Two of four and one of two counted as a majority."""
    assert tally(rankings, rankings[0], concerns={}, seed=0).consensus is consensus


def test_objections_of_a_round_do_not_outlive_it():
    """A list of objections that was never cleared kept a published panel from agreeing after the first one."""
    split, agreed = ("one > two", "two > one"), ("two > one", "two > one")
    outcome = tribunal(split, agreed, policy=OneMoreRound())
    assert outcome.stop is StopReason.CONSENSUS
    assert [event.round for event in outcome.ledger if event.kind == "blocked"] == [1, 1]
    assert outcome.ledger[-1].text == "two"
