"""Arms on reviews against their controls, on the same artifacts."""

import itertools
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from metrics.build import failed, turn
from metrics.reviewing import Script, argued, artifact, count, finding, review

from madbench.metrics import MeasuredRun, measure, summarise, tabulate
from madbench.metrics.pooled import PooledPair, difference, swap_test
from madbench.metrics.verdict import sentence


def at(*lines):
    return [finding(line) for line in lines]


def run(arm, records, *, seed=0):
    return MeasuredRun(arm, "reviews", arm, "small", seed, len(records), tabulate(map(measure, records)))


def voted(name, ballots, lines=(3, 7), *, charged=2):
    """Self-consistency on reviews: the vote of the first k keeps what more than half of them found."""
    turns = [turn(f"{name} {seat}", seat=seat, spare=seat >= charged) for seat in range(len(ballots))]
    one = review(at(*ballots[0]), [at(*ballot) for ballot in ballots], name=name, lines=lines, turns=turns)
    scores = dict(one.scores)
    for k in range(1, len(ballots) + 1):
        said = list(itertools.chain(*map(set, ballots[:k])))
        kept = sorted({line for line in said if said.count(line) > k / 2})
        scores |= {f"view:vote_{k}:{key}": float(value) for key, value in count(at(*kept), lines).items()}
    outcome = replace(one.outcome, positions=one.outcome.positions[:1])
    return replace(one, scores=scores, outcome=outcome)


def debated(name, lines=(3, 7)):
    """Both sides find one issue each, and a false one; one false one is conceded. Three calls a side."""
    script = Script().claim("A/1", 3).claim("A/2", 5).claim("B/1", 7).claim("B/2", 9)
    script.object("A/2").move("A/2", "B/1/1", "CONCEDED")
    turns = [turn(f"{name} {r} {seat}", seat=seat, round=r) for r in range(3) for seat in range(2)]
    return argued(script, name=name, lines=lines, turns=turns)


NAMES = [f"a{i}" for i in range(24)]


def summary():
    debate = [debated(name) for name in NAMES]
    votes = [voted(name, [(3,), (5,), (3, 5), (3,), (5,), (3,), (7,)]) for name in NAMES]
    cot = [review(at(3), name=name) for name in NAMES]
    return summarise(
        "toy", [run("cot", cot), run("self_consistency", votes), run("adversarial_review", debate)]
    )


def compared(found):
    return {(c.a, c.b, c.metric): c for c in found.comparisons}


def test_reviews_are_compared_by_recall_and_precision():
    found = compared(summary())
    assert {metric for _, _, metric in found} == {"missed_issue_recall", "precision"}
    assert found["adversarial_review", "cot", "missed_issue_recall"].difference == 0.5
    assert found["adversarial_review", "cot", "precision"].difference == pytest.approx(2 / 3 - 1)


def test_the_union_of_its_own_first_reviews_is_a_control():
    found = compared(summary())
    ours = found["adversarial_review", "adversarial_review@union", "missed_issue_recall"]
    assert (ours.difference, ours.n) == (0, 24)
    assert found["adversarial_review", "adversarial_review@union", "precision"].difference == pytest.approx(
        2 / 3 - 1 / 2
    )
    assert not [key for key in found if key[1] in ("cot@union", "self_consistency@union")]


def test_equal_calls_are_the_vote_of_as_many_reviews():
    """Six calls: of the first six reviews, four found line 3 and three line 5."""
    found = compared(summary())
    ours = found["adversarial_review", "self_consistency@equal_calls", "missed_issue_recall"]
    assert ours.difference == 1 - 0.5
    assert found[
        "adversarial_review", "self_consistency@equal_calls", "precision"
    ].difference == pytest.approx(2 / 3 - 1)
    single = found["cot", "self_consistency@equal_calls", "missed_issue_recall"]
    assert single.difference == 0, "one call buys one review"


def test_the_sentence_speaks_of_issues_and_of_precision():
    said = summary().verdict
    assert said.startswith("More of the known issues are found with adversarial_review than self-consistency")
    assert "Findings less often match a known issue with adversarial_review" in said
    union = compared(summary())["adversarial_review", "adversarial_review@union", "missed_issue_recall"]
    assert sentence(union).startswith("No difference in known issues found shows") or "Too few" in sentence(
        union
    )
    assert "the union of its own first reviews" in sentence(union)


def test_spare_reviews_make_no_reviewer_and_no_union():
    arm = summary().arms[1]
    assert arm.metrics["missed_issue_recall_reviewer_1"].value == 0
    assert "missed_issue_recall_reviewer_2" not in arm.metrics
    numbers = measure(voted("a", [(3,), (5,), (3,)], charged=2)).numbers
    views = ("final", "reviewer_0", "reviewer_1", "vote_1", "vote_2", "vote_3")
    assert {name for name in numbers if name.startswith("matched:")} == {f"matched:{view}" for view in views}


def test_failed_reviews_count_against_their_arm():
    cot = [review(at(3, 7), name=name) for name in NAMES]
    debate = [debated(name) for name in NAMES[:12]] + [failed(artifact(name)) for name in NAMES[12:]]
    found = compared(summarise("toy", [run("cot", cot), run("adversarial_review", debate)]))
    assert found["adversarial_review", "cot", "missed_issue_recall"].difference == -0.5


def test_arms_of_one_debate_are_compared_by_how_they_argued():
    def arm(fault):
        script = Script().claim("A/1", 3).object("A/1").move("A/1", "B/1/1", "CARRIED", fault)
        return [argued(script, name=name) for name in NAMES]

    runs = [run("adversarial_review", arm("")), run("adversarial_review_permissive", arm("no reason"))]
    found = compared(summarise("toy", runs))
    key = ("adversarial_review", "adversarial_review_permissive")
    assert found[*key, "theater_no_valid_answer"].difference == -1
    assert found[*key, "theater_rate"].difference == 0


def pair(ours, theirs, clusters=None):
    first, second = ([np.array(part, float) for part in zip(*rows, strict=True)] for rows in (ours, theirs))
    clusters = np.arange(len(ours)) if clusters is None else np.array(clusters)
    return PooledPair(tuple(first), tuple(second), clusters, len(ours))


def test_the_swap_test_by_enumeration():
    ours, theirs = [(2, 2), (1, 3), (0, 2), (1, 1)], [(1, 4), (1, 3), (1, 1), (0, 2)]
    moved = [i for i in range(4) if ours[i] != theirs[i]]
    seen, all_swaps = None, []
    for swap in itertools.product((False, True), repeat=len(moved)):
        first, second = list(ours), list(theirs)
        for place, swapped in zip(moved, swap, strict=True):
            if swapped:
                first[place], second[place] = theirs[place], ours[place]
        value = sum(a for a, _ in first) / sum(b for _, b in first) - sum(a for a, _ in second) / sum(
            b for _, b in second
        )
        seen = value if seen is None else seen
        all_swaps.append(value)
    expected = sum(abs(value) >= abs(seen) - 1e-12 for value in all_swaps) / len(all_swaps)
    assert swap_test(pair(ours, theirs)) == expected
    assert difference(pair(ours, theirs)).value == pytest.approx(seen)


def test_equal_weights_give_the_paired_mean():
    """With one finding a row, the difference of ratios is the mean difference, with the same interval."""
    from madbench.metrics.comparisons import Paired, interval, sign_flip

    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 2, 40).astype(float), rng.integers(0, 2, 40).astype(float)
    clusters = np.repeat(np.arange(20), 2)
    pooled = PooledPair((one, np.ones(40)), (two, np.ones(40)), clusters, 40)
    paired = Paired(one - two, clusters, 40)
    found = difference(pooled)
    assert found.value == pytest.approx(paired.sums.value)
    assert (found.low, found.high) == pytest.approx(interval(paired))
    assert swap_test(pooled) == pytest.approx(sign_flip(paired.sums.above), abs=0.02)


def test_nothing_found_is_nothing_to_compare():
    assert difference(pair([(0, 0)], [(1, 1)])).value is None
    assert swap_test(pair([(0, 0)], [(1, 1)])) is None


def test_intervals_cover_what_they_say():
    """Two silent-or-noisy reviewers of equal precision, by many small sets of artifacts."""
    rng = np.random.default_rng(5)
    covered, sets = 0, 400
    for _ in range(sets):
        size = rng.poisson(2, (2, 40)).astype(float)
        easy = rng.beta(2, 2, 40)
        hits = rng.binomial(size.astype(int), easy).astype(float)
        found = difference(PooledPair((hits[0], size[0]), (hits[1], size[1]), np.arange(40), 40))
        covered += found.low <= 0 <= found.high
    assert 0.93 <= covered / sets <= 0.99


def test_many_clusters_are_swapped_by_the_normal_rule():
    rng = np.random.default_rng(2)
    size = rng.poisson(2, (2, 1100)).astype(float)
    hits = rng.binomial(size.astype(int), 0.5).astype(float)
    found = PooledPair((hits[0], size[0]), (hits[1], size[1]), np.arange(1100), 1100)
    few = PooledPair(
        *(tuple(part[:900] for part in side) for side in (found.first, found.second)), np.arange(900), 900
    )
    for one in (found, few):
        spread = (difference(one).high - difference(one).low) / 2 / 1.96
        normal = np.vectorize(lambda z: 2 * (1 - NormalDist().cdf(abs(z))))(difference(one).value / spread)
        assert swap_test(one) == pytest.approx(float(normal), abs=0.03)


def test_numbers_outside_the_healthy_bands_are_noted():
    stubborn = [
        argued(Script().claim("A/1").object("A/1").silent("A/1", "B/1/1"), name=name) for name in NAMES
    ]
    notes = summarise("toy", [run("adversarial_review", stubborn)]).notes
    assert "adversarial_review: convergence 0 % (healthy: 30 to 70 %): almost nothing is settled." in notes
    assert any("theater_rate 100 % (healthy: up to 30 %)" in note for note in notes)
    yielding = [
        argued(Script().claim("A/1").object("A/1").move("A/1", "B/1/1", "CONCEDED"), name=n) for n in NAMES
    ]
    notes = summarise("toy", [run("adversarial_review", yielding)]).notes
    assert any("capitulation_rate 100 %" in note for note in notes)
    assert not any("healthy" in note for note in summarise("toy", [run("cot", [review(at(3))])]).notes)


def test_findings_add_up_in_the_summary():
    arm = summary().arms[2].metrics
    parts = [arm[f"findings_{part}"].value for part in ("matched", "unmatched", "duplicates")]
    assert parts == [48, 24, 0]
    assert (arm["known_issues"].value, arm["findings_uncounted"].value) == (48, 0)
