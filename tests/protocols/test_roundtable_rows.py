"""The published gates of the round table, fault by fault, each beside what it should be: as it was, and as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madbench.protocols.roundtable_evidence import strengths
from madbench.protocols.roundtable_quality import EvidenceQuality, PublishedQuality
from madbench.protocols.roundtable_repetition import ClaimRepetition, PublishedRepetition

STRONG = "The correlation between price and sales is strong enough to matter, as r is strong enough for us"
NOT_STRONG = STRONG.replace("as r is strong", "as r is not strong")
OPENER = "Looking at the data once more, price and sales seem closely linked"
OTHER_ENDING = f"{OPENER} because seasonal visitors always distort summer weeks"
ENDING = f"{OPENER}, which larger stores could use for planning"
NUMBER = "The correlation of price with sales is r = 0.21 here"
WEATHER = "Rainy weeks bring fewer visitors to the smaller shops"

REPETITION = {
    # what is said now, what was said before (own, oldest first): is it a repetition? as published, and as it is
    "a copied opener with another ending": (OTHER_ENDING, [ENDING], False, True),
    "a part of an old one": ("Rainy weeks bring fewer visitors", [WEATHER], True, True),
    "other punctuation": ("Price matters Sales matter", ["Price matters. Sales matter!"], False, True),
    "punctuation put in": ("Price matters. Sales matter!", ["Price matters Sales matter"], False, True),
    "a negation": (NOT_STRONG, [STRONG], True, False),
    "a negation taken back": (STRONG, [NOT_STRONG], True, False),
    "a changed number": (NUMBER.replace("0.21", "0.71"), [NUMBER], True, False),
    "exactly the threshold": ("price stock rain staff noise", ["price stock rain staff light"], False, True),
    "one word in five new, below it": ("price stock rain noise", ["price stock rain light"], False, False),
    "nothing at all": ("", ["Price matters"], False, True),
    "a pass after a pass": ("PASS", ["PASS"], True, False),
    "another order": (
        "to the smaller shops, rainy weeks bring visitors: fewer of them", [WEATHER], False, True
    ),
    "older than three": (WEATHER, [WEATHER, "Price one", "Stock two", "Staff three"], False, True),
    "a language without spaces, in another order": ("雨の週は客が少ない", ["客が少ない雨の週は"], False, True),
    "word for word": (WEATHER, [WEATHER], True, True),
    "something new": ("Staff numbers drive complaints", [WEATHER], False, False),
}  # fmt: skip


@pytest.mark.parametrize("row", REPETITION)
def test_repetition(row):
    text, own, as_it_was, as_it_is = REPETITION[row]
    assert bool(PublishedRepetition().fault(text, own, [])) is as_it_was
    assert bool(ClaimRepetition().fault(text, own, [])) is as_it_is


def test_another_persona_s_words_in_another_order():
    text = "Fewer visitors: that is what rainy weeks bring to smaller shops."
    assert PublishedRepetition().fault(text, [], [WEATHER]) == ""
    assert "was said before" in ClaimRepetition().fault(text, [], [WEATHER])


@pytest.mark.parametrize(
    "text",
    [
        f"{OPENER}; r is 0.62 over eighty shops this year",
        "Looking at it, staff numbers and long queues explain most complaints in small shops",
        f"{WEATHER} and nobody has yet checked whether discounts, parking and opening hours explain it",
    ],
)
def test_what_looks_like_a_copy_and_is_none(text):
    earlier = [
        f"{OPENER}, which larger stores could use for planning",
        "Looking at it, price matters most to us",
    ]
    assert ClaimRepetition().fault(text, earlier, []) == ""


def test_the_overlap_is_a_setting():
    text, old = "price stock rain noise", ["price stock rain light"]
    assert ClaimRepetition(overlap=0.75).fault(text, old, [])
    assert PublishedRepetition(overlap=0.7).fault(text, old, [])


QUALITY = {
    # confidence, evidence: is it rejected? as published, and as it is
    "the source's own case": ("high", ["r = 0.2"], True, True),
    "negative and strong": ("high", ["r = -0.62"], False, False),
    "negative and weak": ("high", ["r=-0.1"], False, True),
    "no zero": ("high", ["r=.2"], False, True),
    "of": ("high", ["r of 0.2"], False, True),
    "a colon": ("high", ["r: 0.2"], False, True),
    "about": ("high", ["r≈0.2"], False, True),
    "about, no zero": ("high", ["r≈.2"], False, True),
    "degrees of freedom": ("high", ["r(98)=0.2"], False, True),
    "rho": ("high", ["rho=0.2"], False, True),
    "per cent": ("high", ["r=20%"], False, True),
    "one": ("high", ["r=1.0"], False, False),
    "no number": ("high", ["price and sales go together"], False, True),
    "the source's own bad case": ("high", ["Negative correlation between price and CCU"], False, True),
    "a capital": ("High", ["r=0.2"], False, True),
    "very": ("very high", ["r=0.2"], False, True),
    "medium": ("medium", ["r=0.05"], False, True),
    "medium, strong enough": ("medium", ["r=0.35"], False, False),
    "low": ("low", ["r=0.05"], False, False),
    "no confidence at all": ("certain", ["r=0.9"], False, True),
    "error before a decimal": ("high", ["error 0.3 and r=0.9"], True, False),
    "over before a decimal": ("high", ["over 0.4 of users; r=0.8"], True, False),
    "a text in the place of a list": ("high", "r=0.2", False, True),
    "one weak among strong": ("high", ["r = 0.8", "r = 0.1"], True, True),
}  # fmt: skip


@pytest.mark.parametrize("row", QUALITY)
def test_confidence_and_evidence(row):
    confidence, evidence, as_it_was, as_it_is = QUALITY[row]
    assert bool(PublishedQuality().fault(confidence, evidence)) is as_it_was
    assert bool(EvidenceQuality().fault(confidence, evidence)) is as_it_is


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("r = -0.62", [0.62]),
        ("r = −0,62", [0.62]),
        ("r=+.4, p = 0.03", [0.4]),
        ("r of about 0.2", [0.2]),
        ("r was only 0.2", [0.2]),
        ("r with sales = -0.62", [0.62]),
        ("price: mean 74.7, sd 14.3, r with sales = -0.02", [0.02]),
        ("The correlation between price and sales is 0.31.", [0.31]),
        ("correlation of price with sales: -0.31", [0.31]),
        ("a correlation coefficient of 0.5", [0.5]),
        ("Pearson's r(78) = .41, p < .001", [0.41]),
        ("Spearman's rho was 0.3", [0.3]),
        ("ρ = .3 and τ = .2", [0.3, 0.2]),
        ("price correlates at 0.44 with sales", [0.44]),
        ("a 0.62 correlation", [0.62]),
        ("a -0.4 correlation", [0.4]),
        ("20 % correlation", [0.2]),
        ("r = 20 per cent", [0.2]),
        ("R² = 0.04", [0.2]),
        ("R^2 of 0.25", [0.5]),
        ("price explains 4% of the variance", [0.2]),
        ("r=0.2 to r=0.3", [0.2, 0.3]),
        ("r ≥ 0.5", [0.5]),
        ("r = 20", []),
        ("r = 1.7", []),
        ("error 0.3, over 0.4 of users, four 0.5s", []),
        ("The correlation in 80 shops is clear", []),
        ("price falls by 12 % where staff is short", []),
        ("", []),
    ],
)
def test_how_a_correlation_is_written(text, found):
    assert sorted(strengths(text)) == pytest.approx(sorted(found))


DATA = "price: r with sales = -0.62\nrain: r with sales = 0.12"


@pytest.mark.parametrize(
    ("question", "evidence", "wanting"),
    [
        (DATA, "r = 0.62 for price", ""),
        (DATA, "r = -0.62 for price", ""),
        (DATA, "r = 0.9 for price", "r = 0.90 is not in the data"),
        (DATA, "r = 0.12 for rain", "r = 0.12 is too weak for high confidence, which needs 0.50"),
        (DATA, "80 shops went the same way", "no quantified evidence"),
        ("What is 4 + 5?", "4 + 5 is 9", ""),
        ("What is 4 + 5?", "I counted", "no quantified evidence"),
        ("Which is a mammal?", "whales nurse their young", ""),
    ],
)
def test_what_evidence_has_to_give_depends_on_the_question(question, evidence, wanting):
    assert EvidenceQuality().fault("high", [evidence], question) == wanting


@settings(deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=4))
def test_no_text_trips_a_gate(text, earlier):
    for rule in (ClaimRepetition(), PublishedRepetition()):
        assert isinstance(rule.fault(text, earlier, earlier), str)
    for quality in (EvidenceQuality(), PublishedQuality()):
        assert isinstance(quality.fault(text, earlier, text), str)
    assert all(0 <= r <= 1 for r in strengths(text))


@settings(deadline=None)
@given(st.text(alphabet="abc .,!", min_size=1, max_size=60))
def test_word_for_word_is_always_a_repetition(text):
    assert ClaimRepetition().fault(text, [text], [])
    assert PublishedRepetition().fault(text, [text], [])


@settings(deadline=None)
@given(
    st.floats(-1, 1),
    st.sampled_from(["r = {}", "r({}) about", "rho: {}", "a correlation of {}", "Pearson's r was {}"]),
)
def test_a_written_correlation_is_read_back(r, form):
    text = form.format(f"{r:.2f}")
    assert strengths(text) == (() if "(" in form else (pytest.approx(abs(round(r, 2))),))


@pytest.mark.parametrize(
    "piece", ["r ", "correlation of ", "r(1) ", "r = = ", "explains about ", "1.", "r 0.", "pearson r of of "]
)
def test_long_texts_are_read_at_all(piece):
    """A pattern that tried all ways to split such a text would never come to an end."""
    assert all(0 <= r <= 1 for r in strengths(piece * 3000))
