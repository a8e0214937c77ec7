"""Precision and recall against known issues, on reviews whose numbers are known."""

from dataclasses import replace
from itertools import product

import pytest
from metrics.build import failed, turn
from metrics.reviewing import artifact, finding, review

from madbench.metrics import arm_metrics, definitions, measure, tabulate
from madbench.types import Ending, Target


def metrics(*records):
    return {name: found.value for name, found in arm_metrics(tabulate(map(measure, records))).items()}


def at(*lines):
    return [finding(line) for line in lines]


def test_counts_of_one_review():
    numbers = measure(review(at(3, 3, 5), [at(3), at(3, 3, 5)], lines=(3, 7))).numbers
    counted = {"final": [1, 1, 1], "union": [1, 1, 2], "reviewer_0": [1, 0, 0], "reviewer_1": [1, 1, 1]}
    assert numbers["known"] == 2
    for view, expected in counted.items():
        assert [numbers[f"{count}:{view}"] for count in ("matched", "unmatched", "duplicates")] == expected


def test_a_single_review_is_the_final_one_and_no_view_besides():
    numbers = measure(review(at(3))).numbers
    assert [name for name in numbers if name.startswith("matched:")] == ["matched:final"]


def test_pooled_and_by_artifact():
    found = metrics(
        review(at(3, 4, 5, 6), name="a", lines=(3,)),
        review(at(3), name="b", lines=(3, 7, 9)),
        review(at(), name="c", lines=(1,)),
    )
    assert found["precision"] == 2 / 5
    assert found["precision_mean"] == (1 / 4 + 1) / 2, "artifacts without findings have no precision"
    assert found["missed_issue_recall"] == 2 / 5
    assert found["missed_issue_recall_mean"] == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert found["missed_issue_rate"] == 3 / 5
    assert found["f1"] == 2 * 2 / (5 + 5)
    assert found["findings_per_artifact"] == 5 / 3


def test_every_small_review_by_enumeration():
    """All reviews of at most three findings on three lines, of which one or two hold an issue."""
    for lines in ((1,), (1, 2)):
        for size in range(4):
            for said in product((1, 2, 3), repeat=size):
                found = metrics(review(at(*said), lines=lines))
                hit, false = set(said) & set(lines), [line for line in said if line not in lines]
                repeats = len(said) - len(false) - len(hit)
                reported = len(hit) + len(false)
                assert found["precision"] == (len(hit) / reported if reported else None)
                assert found["missed_issue_recall"] == len(hit) / len(lines)
                assert found["duplicates_rate"] == (repeats / size if size else None)
                assert found["findings_per_artifact"] == size
                assert found["false_alarms_per_clean"] is None


def test_the_fixed_points():
    lines = range(1, 11)
    everything = metrics(review(at(*lines), lines=(3, 7)))
    assert (everything["missed_issue_recall"], everything["precision"]) == (1, 0.2)
    silent = metrics(review([], lines=(3, 7)), review([], name="clean", lines=()))
    assert (silent["missed_issue_recall"], silent["precision"]) == (0, None)
    assert silent["false_alarms_per_clean"] == 0


def test_false_alarms_are_counted_on_clean_artifacts_alone():
    found = metrics(
        review(at(1, 2), name="dirty"),
        review(at(1, 2, 4), name="c0", lines=()),
        review([], name="c1", lines=()),
    )
    assert found["false_alarms_per_clean"] == 1.5
    assert found["precision"] == 0


def test_an_absent_review_misses_everything_and_raises_nothing():
    unread = review(None, [None, at(3)], name="u")
    numbers = measure(unread).numbers
    assert numbers["matched:final"] == 0
    assert "unmatched:final" not in numbers
    assert "unmatched:reviewer_0" not in numbers
    assert numbers["matched:reviewer_1"] == 1
    found = metrics(
        review(at(3, 7), [at(3, 7), at()], name="r"), unread, failed(artifact("f"), Ending.CONTEXT)
    )
    assert found["missed_issue_recall"] == 2 / 6
    assert found["missed_issue_recall_reviewer_0"] == 2 / 6
    assert found["missed_issue_recall_reviewer_1"] == 1 / 6, "the failed row misses all in every view"
    assert found["precision"] == 1
    assert (found["unparsed_rate"], found["error_rate"]) == (1 / 3, 1 / 3)


def test_a_failed_review_of_a_clean_artifact_spares_no_false_alarm():
    found = metrics(review(at(1), name="c0", lines=()), failed(artifact("c1", ())))
    assert found["false_alarms_per_clean"] == 1


def test_a_wrong_metric_would_be_seen():
    """The traps: duplicates as hits, absent reviews as hits, absent reviews left out."""
    records = [review(at(3, 3, 3), name="d", lines=(3, 7)), failed(artifact("f"))]
    found = metrics(*records)
    assert found["precision"] == 1
    assert found["missed_issue_recall"] == 1 / 4
    assert found["missed_issue_recall"] not in (3 / 4, 1 / 2)


NOT_OF_REVIEWS = (
    "accuracy", "accuracy_strict", "accuracy_ties", "oracle_any", "tokens_per_right_answer", "flips_right_to_wrong",
    "flips_wrong_to_right", "fold_rate", "rescue_rate", "ece", "brier", "confidence", "tie_rate",
)  # fmt: skip


def test_nothing_is_right_or_wrong_about_a_whole_review():
    said = [turn("text", "[]", probability=0.9)]
    shared = review(
        at(3), turns=said, confidence={"vote_share": 0.5, "stated_label": "high"}, facts={"tied": []}
    )
    found = metrics(shared, failed(artifact("f")))
    assert {name: found[name] for name in NOT_OF_REVIEWS if found[name] is not None} == {}
    assert [name for name in found if name.startswith(("accuracy_round", "right_share"))] == []
    assert found["tokens_per_matched_issue"] == 110


def test_what_the_debate_lost_and_gained():
    records = [
        review(at(3), [at(3, 5), at(7, 5)], name="a"),
        review(at(3, 7), [at(3), at(7, 8)], name="b"),
    ]
    found = metrics(*records)
    assert found["missed_issue_recall_union"] == 1
    assert found["missed_issue_recall"] == 3 / 4
    assert found["recall_lost"] == 1 / 4
    assert found["precision_gained"] == pytest.approx(1 - 4 / 7)
    assert found["missed_issue_recall_reviewer_0"] == 2 / 4
    assert found["recall_of_union_gained"] == 1 - 2 / 4
    estimate = arm_metrics(tabulate(map(measure, records)))["recall_lost"]
    assert estimate.low < 0.25 < estimate.high
    assert estimate.n == 2


def test_one_reviewer_alone_gains_nothing_by_a_union():
    assert metrics(review(at(3)))["recall_of_union_gained"] is None
    assert metrics(review(at(3), [at(3, 5)]))["recall_of_union_gained"] is None


def test_noise_floors():
    with_noise = review(at(3, 5), lines=(3, 7))
    floor = {"noise:final:matched": 1.0, "noise:final:known": 4.0}
    found = metrics(replace(with_noise, scores=with_noise.scores | floor))
    assert (found["precision_noise"], found["recall_noise"]) == (1 / 2, 1 / 4)
    assert metrics(with_noise)["precision_noise"] is None


def test_a_lenient_matcher_is_taken_at_its_word():
    """One finding found both issues; an absent review found all."""
    one = review(at(3), lines=(3, 7))
    lenient = replace(one, scores=one.scores | {"view:final:missed": 0.0})
    found = metrics(lenient)
    assert (found["missed_issue_recall"], found["precision"]) == (1, 1)
    absent = review(None, [None], name="b")
    absent = replace(absent, scores=absent.scores | {"view:final:missed": 0.0})
    assert metrics(absent)["missed_issue_recall"] == 1


def test_where_no_issues_are_known_nothing_is_counted():
    one = review(at(3))
    target = Target("", {"documents": []})
    unknown = replace(one, sample=replace(one.sample, target=target), scores={"view:final:findings": 1.0})
    found = metrics(unknown)
    assert {
        found[name] for name in ("precision", "missed_issue_recall", "accuracy", "findings_per_artifact")
    } == {None}


def test_findings_add_up_or_it_is_told():
    whole = review(at(3, 3, 5))
    assert "uncounted" not in measure(whole).numbers
    lost = replace(whole, scores={**whole.scores, "view:final:findings": 5.0})
    assert measure(lost).numbers["uncounted"] == 2


def test_intervals_are_clustered():
    twins = [review(at(3), name=f"t{i}", lines=(3,), cluster=f"c{i // 4}") for i in range(8)]
    twins += [review(at(5), name=f"u{i}", lines=(3,), cluster=f"d{i // 4}") for i in range(8)]
    alone = [replace(r, sample=artifact(r.id.sample, (3,))) for r in twins]
    wide, narrow = (
        arm_metrics(tabulate(map(measure, rows)))["missed_issue_recall"] for rows in (twins, alone)
    )
    assert (wide.value, wide.n) == (narrow.value, narrow.n) == (0.5, 16)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_seats_agree_by_place():
    found = metrics(review(at(3), [at(3), at(3, 5)]))
    assert found["convergence"] == 1, "both end with the same findings"
    apart = replace(review(at(3), [at(3), at(5)]))
    positions = (apart.outcome.positions[0], apart.outcome.positions[0])
    apart = replace(apart, outcome=replace(apart.outcome, positions=positions))
    assert metrics(apart)["convergence"] == 0
    assert metrics(review([], [[], []]))["convergence"] is None, "nothing found is no agreement"


def test_other_words_at_the_same_place_are_no_change():
    again = [finding(3, text="the loop runs once too often")]
    numbers = measure(review(again, [at(3), at(3)])).numbers
    assert (numbers["changed"], numbers["cheap_moves"], numbers["moves"]) == (0, 2, 2)
    numbers = measure(review(again, [at(3), at(4)])).numbers
    assert (numbers["changed"], numbers["cheap_moves"]) == (1, 1)


def test_every_name_has_a_meaning():
    names = arm_metrics(tabulate([measure(review(at(3), [at(3), at(7)]))]))
    known = definitions(names)
    assert all(known[name] for name in names)
    assert known["precision_union"].endswith("; of the union of all first reviews alone.")
    assert "reviewer 1 alone" in known["missed_issue_recall_reviewer_1"]
