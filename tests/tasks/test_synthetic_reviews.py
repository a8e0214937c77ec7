"""Synthetic reviews: how many issues, where, how they are marked, and what the three simplest reviewers score."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from madbench.engines.review_marks import documents_in
from madbench.tasks.synthetic_reviews import APART, SyntheticReviews, spread
from madbench.types import (
    Finding,
    InputError,
    Message,
    Outcome,
    Span,
    StopReason,
    canonical_findings,
    findings_of,
)

TASK = SyntheticReviews(400)
SAMPLES = TASK.samples()


def known(sample):
    return [finding.span.first for finding in findings_of(sample.target.answer)]


def scored(sample, findings):
    answer = None if findings is None else canonical_findings(findings)
    return TASK.score(Outcome(answer, ((answer,),), StopReason.MAX_ROUNDS), sample.target)


def at(first, last=None):
    return Finding(span=Span(document="main.txt", first=first, last=last or first), text="it is wrong")


def test_every_number_of_issues_is_as_common():
    counts = Counter(len(known(sample)) for sample in SAMPLES)
    assert set(counts) == {0, 1, 2, 3}
    assert all(60 < count < 140 for count in counts.values())
    assert all(sample.target.facts["clean"] == (not known(sample)) for sample in SAMPLES)


def test_issues_lie_apart_and_anywhere():
    places = Counter(line for sample in SAMPLES for line in known(sample))
    assert set(places) == set(range(1, TASK.lines + 1))
    for sample in SAMPLES:
        lines = known(sample)
        assert all(b - a >= APART for a, b in pairwise(lines))


def test_every_choice_of_lines_is_as_likely():
    drawn = Counter(tuple(spread(2, 9, random.Random(seed))) for seed in range(6000))
    choices = [(a, b) for a in range(1, 10) for b in range(a + APART, 10)]
    assert set(drawn) == set(choices)
    assert all(abs(drawn[choice] - 1000) < 130 for choice in choices)


def test_the_mark_tells_the_simulated_reviewer_the_truth_and_stands_in_the_artifact():
    for sample in SAMPLES[:20]:
        (document,) = documents_in([Message("user", sample.problem.prompt)])
        assert (document.name, document.lines, list(document.issues)) == ("main.txt", 24, known(sample))
        (shown,) = sample.problem.reader.artifact.documents
        assert len(shown.lines) == TASK.lines + 1
        assert all(line.split()[1] == str(number) for number, line in enumerate(shown.lines[:-1], 1))


def test_ids_and_content_are_those_of_the_seed():
    assert len({sample.problem.id for sample in SAMPLES}) == len(SAMPLES)
    assert TASK.content() == SyntheticReviews(400).content() != replace(TASK, seed=1).content()
    assert [s.problem for s in SyntheticReviews(5).samples()] == [s.problem for s in SAMPLES[:5]]


def total(scores, name):
    return sum(score[f"view:final:{name}"] for score in scores)


def test_one_finding_a_line_finds_all_at_the_base_rate():
    scores = [scored(sample, [at(line) for line in range(1, 26)]) for sample in SAMPLES]
    issues = sum(len(known(sample)) for sample in SAMPLES)
    assert total(scores, "matched") == issues
    assert total(scores, "unmatched") == 25 * len(SAMPLES) - issues


def test_one_finding_over_all_finds_nothing():
    scores = [scored(sample, [at(1, 25)]) for sample in SAMPLES]
    assert total(scores, "matched") == 0
    assert total(scores, "missed") == sum(len(known(sample)) for sample in SAMPLES)


def test_silence_finds_nothing_and_raises_no_alarm():
    scores = [scored(sample, []) for sample in SAMPLES]
    assert total(scores, "findings") == total(scores, "matched") == 0


def test_strangers_issues_are_the_noise_floor():
    floor = [
        scored(sample, [at(line) for line in known(sample)]).get("noise:final:matched", 0.0)
        for sample in SAMPLES
    ]
    own = sum(len(known(sample)) for sample in SAMPLES)
    assert 0 < sum(floor) < 0.2 * own


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n": 0}, "n=0 and issues=3"),
        ({"issues": -1}, "issues=-1"),
        ({"lines": 12}, "task.lines: 12, wanted 19 or more for 3 issues"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(settings, words):
    with pytest.raises(InputError, match=words):
        SyntheticReviews(**settings)
