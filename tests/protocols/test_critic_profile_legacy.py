"""The faults of the published critic and profile: each as it was, and as it is now."""

import pytest
from court import DONE, Court, form, objection, one, session, verdict
from stage import SUM

from madbench.protocols import critic_profile_forms as now
from madbench.protocols import critic_profile_marked as then
from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.critic_profile_arms import AsPublished
from madbench.protocols.critic_profile_costs import booked, booked_as_published, tokens_by_job
from madbench.protocols.profile import Noted, Profile, Rules
from madbench.protocols.profile_as_published import PublishedRules
from madbench.types import FormatError

LEGACY = AsPublished(debate_rounds=1, forms="marked", rules=PublishedRules())
MARKED = {
    "Question": "REPHRASED: What is the sum of four and five, in neutral words?",
    "Reply": "The sum is nine, since four and five make nine.",
    "Restated": "No further objections.",
    "Objected": "I counted again and stand by every step.\nAnswer: 9",
    "Case": "The final answer stands.\nConfidence: high, since it was checked.\nRemaining uncertainty: none\nAnswer: 9",
    "Criticised": "PROFILE_NOTE: none",
}


def legacy(**says):
    return one(LEGACY, **{**MARKED, **says})


# Notes: style


@pytest.mark.parametrize(
    ("note", "published", "corrected"),
    [
        ("skip steps in long division", True, False),
        ("misapply formal logic", True, False),
        ("ignore register allocation limits", True, False),
        ("extrapolate from short time series", True, False),
        ("mix up list indices", True, False),
        ("make serious arithmetic slips", True, False),
        ("pad his replies with filler", False, True),
        ("answer in too many words", False, True),
        ("write in an overly chatty manner", False, True),
        ("write long answers", True, True),
        ("use emoji", True, True),
        ("use a formal tone", True, True),
        ("give replies that are too short", True, True),
        ("assume that correlation is causation", False, False),
    ],
)
def test_a_note_about_manner(note, published, corrected):
    assert PublishedRules().stylistic(note) is published
    assert Rules().stylistic(note) is corrected


# Notes: which are the same


@pytest.mark.parametrize(
    ("one_note", "other", "published", "corrected"),
    [
        ("over-generalise from single examples", "generalise too broadly from one example", False, True),
        ("ignore negative numbers", "ignore positive numbers", True, False),
        ("confuse correlation with causation", "confuse causation with correlation", True, False),
        ("omit units", "forget units", False, True),
        ("overgeneralize", "over-generalize", False, True),
        ("confuse correlation with causation", "confuse correlation with causation", True, True),
        ("ignore negative numbers", "assume independence", False, False),
        ("check the sign", "not check the sign", True, False),
        ("overestimate small risks", "underestimate small risks", True, False),
    ],
)
def test_two_notes_of_one_tendency(one_note, other, published, corrected):
    assert PublishedRules().same(one_note, other) is PublishedRules().same(other, one_note) is published
    assert Rules().same(one_note, other) is Rules().same(other, one_note) is corrected


# Done, and confidence


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("I have no further objections to step 1, but step 2 is wrong.", True),
        ("No further objection.", False),
        ("No more objections.", False),
        ("No further objections.", True),
    ],
)
def test_being_done_was_a_phrase_and_is_a_field(text, published):
    assert then.is_done(text) is published
    for done in (True, False):
        assert now.Criticism.read(form(objection=text, done=done), SUM, cut=False).done is done


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("I have high confidence; residual risk is low.", "low"),
        ("My confidence is not high, it is low.", "high"),
        ("Confidence (low / medium / high): high", "low"),
        ("Confidence: 0.9", None),
        ("The high-level answer is 4.", "high"),
        ("Confidence: medium", "medium"),
        ("High confidence.", "high"),
        ("The answer is 4.", None),
    ],
)
def test_confidence_was_a_word_and_is_a_field(text, published):
    assert then.stated_confidence(text) == published
    for label in ("low", "medium", "high"):
        said = form(reasons=text, answer="4", confidence=label, uncertainty=text)
        assert now.Verdict.read(said, SUM, cut=False).confidence == label
    with pytest.raises(FormatError, match="confidence"):
        now.Verdict.read(form(reasons=text, answer="4", confidence=text, uncertainty=""), SUM, cut=False)


# The note's marker


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("PROFILE_NOTE: none (no criticism)", "none (no criticism)"),
        ("PROFILE_NOTE: none\nThe critic was done.", "none\nThe critic was done."),
        ("PROFILE_NOTE: none", None),
        ("**PROFILE_NOTE**: forgets to carry", None),
        ("profile_note: forgets to carry", None),
        ("PROFILE_NOTE: forgets to carry", "forgets to carry"),
    ],
)
def test_a_note_was_what_followed_a_marker_and_is_a_field(text, published):
    assert then.ProfileNote.read(text, SUM, cut=False).tendency == published
    tail = text.partition(":")[2].strip()
    corrected = now.ProfileNote.read(form(criticised=True, note=tail), SUM, cut=False).tendency
    assert corrected == (None if tail.startswith("none") else "forgets to carry")


def test_both_markers_in_one_reply_meant_rephrased():
    said = then.Rephrased.read("CLARIFY: which? REPHRASED: How many?", SUM, cut=False)
    assert (said.unclear, said.text) == (False, "How many?")
    with pytest.raises(FormatError):
        then.Rephrased.read("How many?", SUM, cut=False)


# Capacity


def test_a_full_profile_of_confirmed_notes():
    full = Profile(notes=tuple(Noted(text=f"trip over case {name}", count=2) for name in "abc"))
    published, _ = PublishedRules(capacity=3).add(full, "omit units")
    assert [note.text for note in published.notes] == ["trip over case b", "trip over case c", "omit units"]
    corrected, changes = Rules(capacity=3).add(full, "omit units")
    assert corrected == full
    assert [(change.kind, change.text) for change in changes] == [
        ("note_proposed", "omit units"),
        ("note_evicted", "omit units"),
    ]


# The course


def test_parting_words_of_a_critic_who_is_done():
    before = legacy().last("Case")
    assert "Objection: No further objections." in before
    assert "Response: none" in before
    after = one(CriticProfile(), Restated=DONE).last("Case")
    assert "Exchange" not in after


def test_the_last_response():
    before = legacy(Restated="Ten is possible.")
    assert [turn.seen for turn in before.turns].count("Reply") == 1
    assert "I counted again and stand by every step." in before.last("Case")
    after = one(CriticProfile(debate_rounds=1), Restated=objection())
    assert [turn.seen for turn in after.turns].count("Reply") == 2
    assert "I counted again" not in after.last("Case")


def test_a_restatement_that_fails():
    raw = "I add four and five and get nine."
    assert raw in legacy(Reply="", Restated="Ten is possible.").last("Restated")
    script = Court(Reply="", Restated=objection())
    with pytest.raises(FormatError):
        session(CriticProfile(), script)
    assert script.asked["Restated"] == 0


def test_where_the_tokens_of_restatements_are_booked():
    turns = one(CriticProfile(debate_rounds=1), Restated=objection()).turns
    assert {booked(turn) for turn in turns} == {
        "rephrase",
        "answerer",
        "restate",
        "critic",
        "verdict",
        "profile",
    }
    (before, after) = (
        {how(turn) for turn in turns if turn.seen == "Reply"} for how in (booked_as_published, booked)
    )
    assert (before, after) == ({"critic"}, {"restate"})
    tokens = tokens_by_job(turns)
    assert sum(tokens.values()) == sum(t.completion.prompt_tokens + t.completion.output_tokens for t in turns)
    assert tokens["restate"] == sum(
        turn.completion.prompt_tokens + turn.completion.output_tokens
        for turn in turns
        if turn.seen == "Reply"
    )


# The arm as a whole


def test_the_published_course_reads_markers_to_the_end():
    heard = legacy(
        Restated="Ten is possible.", Criticised="PROFILE_NOTE: The answerer may be too sure of itself."
    )
    assert [turn.seen for turn in heard.turns] == [
        "Question",
        "Opening",
        "Reply",
        "Restated",
        "Objected",
        "Case",
        "Criticised",
    ]
    assert heard.outcome.answer == "9"
    assert heard.outcome.confidence == {"stated_label": "high"}
    assert heard.outcome.positions == (("9",), ("9",))
    assert [note.text for note in heard.state.profile.notes] == ["The answerer may be too sure of itself."]
    assert "conceded" not in heard.kinds
    assert "defended" not in heard.kinds
    assert heard.kinds.count("answered") == 1
    assert all(turn.request.schema is None for turn in heard.turns)
    for kind in ("Question", "Restated", "Case", "Criticised"):
        assert "JSON object" not in heard.last(kind)


def test_markers_without_a_verdict_are_no_answer():
    heard = legacy(Case="I cannot tell.")
    assert heard.outcome.answer is None
    assert heard.outcome.confidence == {}


def test_forms_are_read_from_prose_and_in_any_order():
    text = f"Here is my ruling:\n```json\n{verdict('8', 'low')}\n```\nI am highly confident."
    said = now.Verdict.read(text, SUM, cut=False)
    assert (said.extraction().answer, said.confidence) == ("8", "low")
    start, end = said.extraction().span
    assert text[start:end] == "8"
