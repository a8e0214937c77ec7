"""Tit for tat: who hears what, who ends it, and what the judge is shown."""

import json
import re

import pytest
from canary import check_channels
from stage import SUM, play, stage

from madbench.protocols.tit_for_tat import TitForTat
from madbench.protocols.tit_for_tat_sides import sided
from madbench.types import Contract, FormatError, InputError, RoleSettings, StopReason


def side(name):
    """A debater whose every reply is its own, and whose answer is its side and the count of its replies."""

    def script(request):
        spoken = sum(message.role == "assistant" for message in request.messages)
        return f"{name} argues <{name}-{spoken}> at some length.\nAnswer: {name}{spoken}"

    return script


def ruling(answer, settled=False):
    return json.dumps({"reasons": "It is clear.", "candidates": "two", "answer": answer, "settled": settled})


def moderator(settles_after):
    """Settles on its favourite once it has heard so many rounds; None: never."""

    def script(request):
        heard = sum(message.role == "user" for message in request.messages)
        reply = {
            "reasons": f"Having heard {heard} rounds of this, I have to say.",
            "answer": f"m{heard}",
            "settled": heard == settles_after,
        }
        return json.dumps(reply)

    return script


def judge(request):
    return json.dumps({"candidates": "two", "answer": "j", "reasons": "It is clear."})


def court(settles_after=None, **settings):
    scripts = {
        "affirmative": side("pro"),
        "negative": side("con"),
        "moderator": moderator(settles_after),
        "judge": judge,
    }
    return stage(TitForTat(**settings), scripts)


def marks(text):
    return re.findall(r"<((?:pro|con)-\d)>", text)


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_the_moderators_word_ends_it_and_no_judge_is_asked(rounds):
    played = play(court(settles_after=rounds, debate_rounds=4))
    assert (played.outcome.answer, played.outcome.stop) == (f"m{rounds}", StopReason.JUDGE)
    assert [turn.speaker.role for turn in played.turns] == ["affirmative", "negative", "moderator"] * rounds
    assert played.outcome.facts == {
        "adaptive_stop": 1.0,
        "rounds": rounds,
        "sided_with_affirmative": None,
        "choices": [],
    }
    assert played.outcome.positions == tuple((f"pro{at}", f"con{at}") for at in range(rounds))


@pytest.mark.parametrize(
    ("sees", "shown"),
    [
        ("first", ["pro-0", "con-0"]),
        ("last", ["pro-2", "con-2"]),
        ("all", ["pro-0", "pro-1", "pro-2", "con-0", "con-1", "con-2"]),
    ],
)
def test_at_the_cap_a_judge_decides_on_what_it_is_said_to_see(sees, shown):
    played = play(court(judge_sees=sees))
    assert (played.outcome.answer, played.outcome.stop) == ("j", StopReason.MAX_ROUNDS)
    assert len(played.turns) == 3 * 3 + 1
    assert marks(played.asked("judge", 0, 2)) == shown
    assert played.outcome.facts["adaptive_stop"] == 0.0


def test_each_hears_the_others_latest_words_alone_and_remembers_its_own():
    played = play(court())
    for round in range(3):
        assert marks(played.asked("negative", 0, round)) == [f"pro-{round}"]
        assert marks(played.asked("moderator", 0, round)) == [f"pro-{round}", f"con-{round}"]
    for round in (1, 2):
        assert marks(played.asked("affirmative", 0, round)) == [f"con-{round - 1}"]
        log = played.turn("affirmative", 0, round).request.messages
        assert [marks(m.text) for m in log if m.role == "assistant"] == [[f"pro-{at}"] for at in range(round)]
    assert SUM.prompt in played.turn("affirmative", 0, 0).request.messages[-1].text
    assert [message.role for message in played.turn("judge", 0, 2).request.messages] == ["user"]


def test_the_negative_side_alone_is_told_how_often_to_agree():
    told = play(court(agreement=9))
    plain = play(court())
    for round in range(3):
        assert "90 %" in told.asked("negative", 0, round)
        assert "%" not in told.asked("affirmative", 0, round)
        assert "%" not in plain.asked("negative", 0, round)
    assert "You disagree" in plain.asked("negative", 0, 0)
    assert "You disagree" not in told.asked("negative", 0, 0)


@pytest.mark.parametrize(
    "words", ["They are both right.", "null", "__import__('os').abort()", '{"settled": true}']
)
def test_a_decision_that_cannot_be_read_settles_nothing_and_is_never_run(words):
    scripts = {
        "affirmative": side("pro"),
        "negative": side("con"),
        "moderator": lambda _: words,
        "judge": judge,
    }
    played = play(stage(TitForTat(debate_rounds=2), scripts))
    assert (played.outcome.answer, played.outcome.stop) == ("j", StopReason.MAX_ROUNDS)


@pytest.mark.parametrize("fenced", ["```json\n{}\n```", "So I say: {}", "{}"])
def test_a_decision_in_fences_or_prose_is_read(fenced):
    scripts = {
        "affirmative": side("pro"),
        "negative": side("con"),
        "moderator": lambda _: fenced.replace(
            "{}", ruling("x", settled=True).replace('"candidates": "two", ', "")
        ),
        "judge": judge,
    }
    assert play(stage(TitForTat(), scripts)).outcome.answer == "x"


def test_a_judge_who_cannot_be_read_gives_no_answer():
    scripts = {
        "affirmative": side("pro"),
        "negative": side("con"),
        "moderator": moderator(None),
        "judge": side("j"),
    }
    with pytest.raises(FormatError):
        play(stage(TitForTat(), scripts, settings=RoleSettings(contract=Contract(enforcement="repair"))))


@pytest.mark.parametrize(("answer", "share"), [("pro2", 1.0), ("con2", 0.0), ("pro0", None), ("else", None)])
def test_whose_last_answer_was_taken(answer, share):
    """A moderator always reads the affirmative side first: a taste for the first place shows here."""
    scripts = {
        "affirmative": side("pro"),
        "negative": side("con"),
        "moderator": moderator(None),
        "judge": lambda _: json.dumps({"candidates": "two", "answer": answer, "reasons": "It is clear."}),
    }
    assert play(stage(TitForTat(), scripts)).outcome.facts["sided_with_affirmative"] == share


def test_nobody_was_sided_with_where_both_said_the_same():
    assert sided("a", "a", "a") is sided(None, None, "a") is None


@pytest.mark.parametrize("settings", [{"debate_rounds": 0}, {"agreement": 11}, {"agreement": -1}])
def test_bad_settings_are_refused_with_what_was_wanted(settings):
    with pytest.raises(InputError, match="least 1, and 0 to 10"):
        TitForTat(**settings)


def test_its_channels_are_as_declared(tmp_path):
    check_channels(court(), tmp_path)
