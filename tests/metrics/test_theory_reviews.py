"""Reviews by reviewers of known statistics come out as enumeration says, and wrong ways of counting do not.

Expected values come from the odds and from how many issues each artifact holds, never from the code under test.
"""

import asyncio
from dataclasses import replace
from math import comb, sqrt

import pytest
from jobs import job_at, run

from madbench.agents import Cast
from madbench.engines.reviewer_settings import Arguing, Reviewing
from madbench.engines.simulated_reviewer import SimulatedReviewer
from madbench.metrics import arm_metrics, measure, tabulate
from madbench.protocols.adversarial_review import AdversarialReview
from madbench.protocols.cot import ChainOfThought
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.tables import read_records
from madbench.run.job import finish_job, run_job
from madbench.tasks.synthetic_reviews import SyntheticReviews
from madbench.types import findings_of

N, ISSUES = 240, 3
RECALL, FALSE, ADOPTS = 0.55, 0.7, 0.6
OBJECTS, CONCEDES = {True: 0.5, False: 0.8}, {True: 0.4, False: 0.7}
CHEAP, WITHDRAWS = 0.4, 0.3
TASK = SyntheticReviews(N, issues=ISSUES)
KNOWN = [len(findings_of(sample.target.answer)) for sample in TASK.samples()]
MODEL = SimulatedReviewer(
    Reviewing(recall=RECALL, false_alarms=FALSE, adopts=ADOPTS),
    Arguing(
        objects_real=OBJECTS[True],
        objects_false=OBJECTS[False],
        accepts=1.0,
        concedes_real=CONCEDES[True],
        concedes_false=CONCEDES[False],
        cheap_when_strict=CHEAP,
        withdraws=WITHDRAWS,
    ),
)
GRAMMAR = {role: {"contract": {"enforcement": "grammar"}} for role in ("objector", "defender", "synthesiser")}
ARMS = {
    "single": ChainOfThought(),
    "vote": SelfConsistency(votes=3, pool=5),
    "debate": Debate(agents=3),
    "argued": AdversarialReview(debate_rounds=1, roles=GRAMMAR),
    "argued_twice": AdversarialReview(debate_rounds=2, roles=GRAMMAR),
}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    found = {}
    for arm, protocol in ARMS.items():
        job = job_at(tmp_path_factory.mktemp(arm), task=TASK, protocol=protocol)
        run(job, model=MODEL, concurrency=64)
        finish_job(job)
        found[arm] = list(read_records(job.folder))
    return found


@pytest.fixture(scope="module")
def metrics(records):
    return {arm: arm_metrics(tabulate(map(measure, rows))) for arm, rows in records.items()}


def near(value, truth, n=N):
    """Within four standard errors of a rate of n rows."""
    return abs(value - truth) < 4 * sqrt(max(truth * (1 - truth), 0.01) / n)


def precision(recall, false):
    """Pooled: known issues found over findings, with so many false ones an artifact."""
    found = sum(KNOWN) * recall
    return found / (found + N * false)


def any_of(chance, tries):
    return 1 - (1 - chance) ** tries


def most_of_three(chance):
    return 3 * chance**2 * (1 - chance) + chance**3


def conceded(real, rounds):
    """How likely an objected claim is given up: asked once a round, unless the objection was dropped."""
    once = CONCEDES[real]
    return once if rounds == 1 else once + (1 - once) * (1 - WITHDRAWS) * once


def survives(real, rounds):
    return 1 - OBJECTS[real] * conceded(real, rounds)


RECALLS = {
    ("single", ""): RECALL,
    ("vote", ""): most_of_three(RECALL),
    ("argued", "_reviewer_0"): RECALL,
    ("argued", "_reviewer_1"): RECALL,
    ("argued", "_union"): any_of(RECALL, 2),
    ("argued", ""): any_of(RECALL * survives(True, 1), 2),
    ("argued_twice", "_union"): any_of(RECALL, 2),
    ("argued_twice", ""): any_of(RECALL * survives(True, 2), 2),
}
FALSE_ALARMS = {
    ("single", ""): FALSE,
    ("argued", "_union"): 2 * FALSE,
    ("argued", ""): 2 * FALSE * survives(False, 1),
    ("argued_twice", ""): 2 * FALSE * survives(False, 2),
}


@pytest.mark.parametrize(("arm", "view"), RECALLS, ids="".join)
def test_recall(metrics, arm, view):
    found = metrics[arm][f"missed_issue_recall{view}"]
    truth = RECALLS[arm, view]
    assert near(found.value, truth, sum(KNOWN))
    assert found.low - 0.02 < truth < found.high + 0.02
    assert metrics[arm][f"missed_issue_rate{view}"].value == pytest.approx(1 - found.value)


@pytest.mark.parametrize(("arm", "view"), FALSE_ALARMS, ids="".join)
def test_precision_and_false_alarms(metrics, arm, view):
    false = FALSE_ALARMS[arm, view]
    assert near(metrics[arm][f"precision{view}"].value, precision(RECALLS[arm, view], false))
    clean = KNOWN.count(0)
    assert near(metrics[arm][f"false_alarms_per_clean{view}"].value / 2, false / 2, clean)


def test_a_vote_sheds_what_one_reviewer_alone_reports(metrics):
    """Two of three must invent the same line, out of those that lie three lines and more from every issue."""
    invented = 0.0
    for sample in TASK.samples():
        wrong = [finding.span.first for finding in findings_of(sample.target.answer)]
        free = sum(all(abs(line - one) > 2 for one in wrong) for line in range(1, TASK.lines + 1))
        invented += free * most_of_three(FALSE / free) / N
    truth = precision(RECALLS["vote", ""], invented)
    assert truth > precision(RECALL, FALSE) + 0.2
    assert near(metrics["vote"]["precision"].value, truth)


def test_what_a_debate_cost_and_gained(metrics):
    found = metrics["argued"]
    lost = RECALLS["argued", "_union"] - RECALLS["argued", ""]
    assert near(found["recall_lost"].value, lost, sum(KNOWN))
    gained = precision(RECALLS["argued", ""], FALSE_ALARMS["argued", ""]) - precision(
        RECALLS["argued", "_union"], FALSE_ALARMS["argued", "_union"]
    )
    assert abs(found["precision_gained"].value - gained) < 0.05


def test_what_peers_report_is_adopted(metrics):
    """A seat ends with an issue if it found it, or adopts it from peers of whom one did; then most of three vote."""
    own = [RECALL**k * (1 - RECALL) ** (3 - k) * comb(3, k) for k in range(4)]
    late = [most_of_three_given(k) for k in range(4)]
    truth = sum(p * q for p, q in zip(own, late, strict=True))
    assert near(metrics["debate"]["missed_issue_recall"].value, truth, sum(KNOWN))


def most_of_three_given(finders):
    """Chance that two of three report an issue in the end, if so many found it at first."""
    adopters = 3 - finders if finders else 0
    chances = [ADOPTS**k * (1 - ADOPTS) ** (adopters - k) * comb(adopters, k) for k in range(adopters + 1)]
    return sum(chance for k, chance in enumerate(chances) if finders + k >= 2)


def debates():
    """For every artifact, the distribution of how many real and false claims both sides make together."""
    false = {0: (1 - FALSE) ** 2, 1: 2 * FALSE * (1 - FALSE), 2: FALSE**2}
    for known in KNOWN:
        seats = 2 * known
        for real in range(seats + 1):
            chance = comb(seats, real) * RECALL**real * (1 - RECALL) ** (seats - real)
            for wrong, p in false.items():
                yield real, wrong, chance * p


def over_debates(number):
    """The mean over debates with a claim."""
    some = [(real, wrong, p) for real, wrong, p in debates() if real + wrong]
    return sum(number(real, wrong) * p for real, wrong, p in some) / sum(p for *_, p in some)


def total(real, wrong, chance):
    return real * chance(True) + wrong * chance(False)


DEBATED = {
    "theater_rate": lambda rounds, real, wrong: (1 - OBJECTS[True]) ** real * (1 - OBJECTS[False]) ** wrong,
    "theater_no_concession": lambda rounds, real, wrong: (
        survives(True, rounds) ** real * survives(False, rounds) ** wrong
    ),
    "convergence": lambda rounds, real, wrong: (
        total(real, wrong, lambda worth: 1 - OBJECTS[worth] * (1 - conceded(worth, rounds))) / (real + wrong)
    ),
    "withdrawn_share": lambda rounds, real, wrong: (
        total(real, wrong, lambda worth: 1 - survives(worth, rounds)) / (real + wrong)
    ),
}


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("name", DEBATED)
def test_a_debate_about_claims(metrics, name, rounds):
    found = metrics["argued" if rounds == 1 else "argued_twice"][name]
    assert near(found.value, over_debates(lambda real, wrong: DEBATED[name](rounds, real, wrong)), found.n)


def test_zero_claims(metrics):
    truth = sum(p for real, wrong, p in debates() if not real + wrong) / N
    assert near(metrics["argued"]["zero_claim_rate"].value, truth)


@pytest.mark.parametrize("rounds", [1, 2])
def test_concessions_a_debate(metrics, rounds):
    found = metrics["argued" if rounds == 1 else "argued_twice"]["concessions"]
    truth = over_debates(lambda real, wrong: total(real, wrong, lambda worth: 1 - survives(worth, rounds)))
    assert abs(found.value - truth) < 4 * 1.2 / sqrt(N)


def test_moves(metrics):
    """Of the answers to objections: concessions, bare carries, and rebuttals, which are all valid."""
    found, objected = metrics["argued"], over_debates(lambda r, w: total(r, w, OBJECTS.get))
    kept = over_debates(lambda r, w: total(r, w, lambda worth: OBJECTS[worth] * (1 - CONCEDES[worth])))
    objections = round(N * objected)
    assert near(found["cheap_move_share"].value, CHEAP * kept / objected, objections)
    assert near(found["rebutted_share"].value, (1 - CHEAP) * kept / objected, objections)
    assert near(found["valid_move_share"].value, 1 - CHEAP * kept / objected, objections)
    assert near(found["dropped_objection_share"].value, WITHDRAWS * kept / objected, objections)
    assert found["evidence_resolves_rate"].value == 1.0
    assert found["marker_miss_rate"].value == 0.0


def test_true_claims_given_away(metrics):
    """Of conceded claims the share that was real; of two claims to one issue only the first is matched."""
    given = {worth: OBJECTS[worth] * CONCEDES[worth] for worth in (True, False)}
    real, false = sum(KNOWN) * 2 * RECALL * given[True], 2 * N * FALSE * given[False]
    twice = sum(KNOWN) * RECALL**2 * given[True]
    found = metrics["argued"]["harmful_capitulation"].value
    assert (real - twice) / (real + false) - 0.06 < found < real / (real + false) + 0.06


def test_all_arms_have_the_same_first_reviews(records):
    for arm in ("argued", "argued_twice", "debate", "vote"):
        for one, other in zip(records["single"], records[arm], strict=True):
            assert plain(other.outcome.positions[0][0]) == plain(one.outcome.answer)


def plain(answer):
    """The findings without the ids that a protocol gave them."""
    return [finding.model_copy(update={"id": ""}) for finding in findings_of(answer)]


WRONG = {
    "all issues, clean artifacts included, in the mean of recalls": lambda rows: (
        sum(row.scores["view:final:matched"] / max(row.scores["view:final:known"], 1) for row in rows) / N
    ),
    "matched findings, second ones too": lambda rows: (
        sum(row.scores["view:union:matched"] + row.scores["view:union:duplicates"] for row in rows)
        / sum(KNOWN)
    ),
    "the union for the survivors": lambda rows: (
        sum(row.scores["view:union:matched"] for row in rows) / sum(KNOWN)
    ),
    "both reviewers' added up": lambda rows: (
        sum(row.scores["view:reviewer_0:matched"] + row.scores["view:reviewer_1:matched"] for row in rows)
        / sum(KNOWN)
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_recall_fails(records, mistake):
    assert not near(WRONG[mistake](records["argued"]), RECALLS["argued", ""], sum(KNOWN))


def test_a_theater_of_concessions_alone_fails(metrics):
    truth = over_debates(lambda real, wrong: DEBATED["theater_rate"](1, real, wrong))
    assert not near(metrics["argued"]["theater_no_concession"].value, truth)


def test_a_pair_of_different_reviewers(tmp_path):
    """A sharp and loud one beside a blunt and quiet one: each view has its own reviewer's numbers."""
    loud = replace(MODEL, reviewing=Reviewing(recall=0.9, false_alarms=2.0))
    quiet = replace(MODEL, reviewing=Reviewing(recall=0.2, false_alarms=0.0))
    job = job_at(tmp_path, task=replace(TASK, n=200), protocol=ARMS["argued"])

    async def both():
        async with loud.open() as one, quiet.open() as other:
            await run_job(job, Cast({"default": [one, other]}), concurrency=64)

    asyncio.run(both())
    finish_job(job)
    found = arm_metrics(tabulate(map(measure, read_records(job.folder))))
    known = sum(KNOWN[:200])
    assert near(found["missed_issue_recall_reviewer_0"].value, 0.9, known)
    assert near(found["missed_issue_recall_reviewer_1"].value, 0.2, known)
    assert near(found["missed_issue_recall_union"].value, 1 - 0.1 * 0.8, known)
    assert found["precision_reviewer_1"].value == 1.0
    assert found["false_alarms_per_clean_reviewer_0"].value == 2.0
