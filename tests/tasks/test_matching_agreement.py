"""Matchers beside recorded judges and on published review sets, as experiments/matching prints them."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from madbench.tasks.finding_pairs import FindingPairs
from madbench.tasks.matching import LenientMatcher, TextMatcher

PATH = Path(__file__).parents[2] / "experiments" / "matching" / "agree.py"
SPEC = importlib.util.spec_from_file_location("agree", PATH)
agree = importlib.util.module_from_spec(SPEC)
sys.modules["agree"] = agree
SPEC.loader.exec_module(agree)

DATA = Path(os.environ.get("MADBENCH_DATA", "/nowhere"))
NEEDS_DATA = pytest.mark.skipif(
    not (DATA / "martian_review_matches").is_dir(), reason="MADBENCH_DATA names no folder of data"
)


@pytest.fixture(scope="module")
def found():
    return agree.reviews(DATA)


def test_agreement_by_hand():
    """Of 8 issues ours finds 4, theirs 3, both 2; chance agrees on 1/2."""
    rows = [
        ("one", (True, True, True, True), (True, True, False, False)),
        ("two", (False,) * 4, (True, False, False, False)),
    ]
    table = agree.Agreement.of(rows)
    assert table.precision().startswith("0.500")
    assert table.recall().startswith("0.667")
    assert table.kappa() == pytest.approx((5 / 8 - 1 / 2) / (1 / 2))
    assert table.spread()[0] <= table.kappa() <= table.spread()[1]
    assert agree.most([(True, False), (True, True), (False, False)]) == (True, False)


@NEEDS_DATA
def test_the_recorded_set_is_what_it_says(found):
    assert len(found) == 32 * 6
    votes = [
        sum(judge.found(review.issues)[at] for judge in review.judged)
        for review in found
        for at in range(len(review.issues))
    ]
    assert [votes.count(n) for n in range(4)] == [292, 9, 12, 239]


@NEEDS_DATA
def test_words_agree_with_the_judges_and_shared_words_do_not(found):
    text, lenient = (agree.beside_majority(found, m) for m in (TextMatcher(), LenientMatcher()))
    assert 0.78 < text.kappa() < 0.92
    assert (text.ours & text.theirs).sum() / text.ours.sum() > 0.84
    assert (text.ours & text.theirs).sum() / text.theirs.sum() > 0.9
    assert 0.2 < lenient.kappa() < 0.4
    assert (lenient.ours & lenient.theirs).sum() == lenient.theirs.sum()
    assert agree.chosen_elsewhere(found).kappa() > 0.78


@NEEDS_DATA
def test_judges_agree_among_themselves_and_by_way_of_their_labels(found):
    recorded = agree.beside_each_other(
        found, lambda review, at: review.judged[at].found(review.issues)
    ).kappa()
    labels = agree.beside_each_other(found, agree.of_labels).kappa()
    assert 0.92 < recorded < 0.98
    assert 0.87 < labels < recorded  # one-to-one costs issues that share a comment with another


@NEEDS_DATA
def test_the_noise_floor_of_words_is_low_and_that_of_any_word_is_not(found):
    assert agree.noise(found, TextMatcher()) < 0.03
    assert agree.noise(found, LenientMatcher()) > 0.5


@NEEDS_DATA
def test_published_missed_rates_arise_from_leniency(found):
    """1.7 to 3.4 % of pull requests: the lenient matcher says so of tools that miss a third of the issues and more."""
    for tool in ("augment", "bugbot", "copilot"):
        own = [review for review in found if review.tool == tool]
        assert agree.missed(own, LenientMatcher())[1] <= 1 / 32
        assert agree.missed(own, TextMatcher())[0] > 0.3
    absent = [review for review in found if review.tool == "baz"]
    assert (
        agree.missed(absent, LenientMatcher(), 24 / 59)[1]
        <= 1 / 32
        < 0.3
        < agree.missed(absent, LenientMatcher())[1]
    )
    assert agree.missed(absent, LenientMatcher(), 0) == (0, 0)
    assert agree.missed(absent, TextMatcher(), 0) == (1, 1)


@NEEDS_DATA
@pytest.mark.parametrize("name", agree.SETS)
def test_fixed_points_hold_on_every_set(name):
    task = agree.task_of(name, DATA)
    every, whole, silent, gold = (
        agree.reviewed(task, who)
        for who in (agree.every_line, agree.whole_files, agree.silent, agree.the_gold)
    )
    assert every.of("found", "known") == 1
    assert every.of("matched", "judged") == pytest.approx(every.of("known", "places"), abs=1e-3)
    assert whole.of("found", "known") == 0
    assert (silent.of("found", "known"), silent.of("matched", "judged"), silent.counts["alarms"]) == (
        0,
        None,
        0,
    )
    assert (gold.of("found", "known"), gold.of("matched", "judged"), gold.counts["alarms"]) == (1, 1, 0)


@NEEDS_DATA
def test_recorded_pairs_can_be_asked_of_any_judge(tmp_path, found):
    agree.write_pairs(found[:12], tmp_path / "pairs.jsonl")
    samples = FindingPairs(str(tmp_path / "pairs.jsonl")).samples()
    yes = sum(sample.target.answer == "MATCH" for sample in samples)
    assert yes == sum(len(review.judged[0].pairs) for review in found[:12])
    assert len(samples) == sum(len(review.judged[0].comments) * len(review.issues) for review in found[:12])
