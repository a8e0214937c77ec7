"""Metrics on a model of known statistics equal their closed forms; wrong metrics on the same records do not.

Expected values come by enumeration of all that the model can answer, never from the code under test.
"""

from collections import Counter
from functools import cache
from itertools import product
from math import sqrt

import pytest
from jobs import job_at, run

from madbench.engines.simulated import SimulatedModel
from madbench.metrics import MeasuredRun, arm_metrics, measure, summarise, tabulate
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.records.tables import read_records
from madbench.run.job import finish_job
from madbench.tasks.synthetic import Synthetic

N, ACCURACY, CONFORMITY, OPTIONS = 400, 0.55, 0.7, "ABCD"
SEATS, VOTES, POOL = 3, 5, 6
MODEL = SimulatedModel(ACCURACY, CONFORMITY)


def alone():
    """Every answer of one seat with its probability; A is the truth."""
    return [(answer, ACCURACY if answer == "A" else (1 - ACCURACY) / 3) for answer in OPTIONS]


def together(choices):
    """All joint outcomes of independent choices."""
    for joint in product(*choices):
        chance = 1.0
        for _, each in joint:
            chance *= each
        yield tuple(answer for answer, _ in joint), chance


def winners(answers):
    counts = Counter(answers)
    return [answer for answer in counts if counts[answer] == max(counts.values())]


def right_share(answers):
    tied = winners(answers)
    return ("A" in tied) / len(tied)


def majority_accuracy(votes):
    return sum(chance * right_share(answers) for answers, chance in together([alone()] * votes))


def revised(own, peers):
    """What a seat says after hearing its peers, with probabilities."""
    chances = Counter({own: 1 - CONFORMITY})
    for answer in winners(peers):
        chances[answer] += CONFORMITY / len(winners(peers))
    return list(chances.items())


@cache
def exchanges():
    """First and last answers of all seats in a debate of one exchange, with probabilities."""
    return [
        (first, last, before * after)
        for first, before in together([alone()] * SEATS)
        for last, after in together([revised(own, first[:i] + first[i + 1 :]) for i, own in enumerate(first)])
    ]


def expected(number):
    return sum(chance * number(first, last) for first, last, chance in exchanges())


def pairs_agreeing(answers):
    return sum(a == b for i, a in enumerate(answers) for b in answers[:i]) / (
        len(answers) * (len(answers) - 1) / 2
    )


def near(value, truth, n=N):
    """Within four standard errors of a rate of n rows."""
    return abs(value - truth) < 4 * sqrt(truth * (1 - truth) / n)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    def of(protocol, model=MODEL):
        job = job_at(tmp_path_factory.mktemp("theory"), task=Synthetic(N), protocol=protocol)
        run(job, model=model, concurrency=64)
        finish_job(job)
        return list(read_records(job.folder))

    return {
        "debate": of(Debate(agents=SEATS, debate_rounds=1)),
        "self_consistency": of(SelfConsistency(votes=VOTES, pool=POOL)),
    }


@pytest.fixture(scope="module")
def metrics(records):
    return {arm: arm_metrics(tabulate(map(measure, rows))) for arm, rows in records.items()}


def test_single_answers(metrics):
    found = metrics["debate"]
    assert near(found["oracle_any"].value, expected(lambda first, last: "A" in first + last))


@pytest.mark.parametrize("name", ["accuracy", "accuracy_ties", "accuracy_round_0"])
def test_the_accuracy_of_a_vote(metrics, name):
    assert near(metrics["self_consistency"][name].value, majority_accuracy(VOTES))


DEBATE = {
    "accuracy_round_0": lambda first, last: right_share(first),
    "accuracy_round_1": lambda first, last: right_share(last),
    "accuracy": lambda first, last: right_share(last),
    "convergence": lambda first, last: pairs_agreeing(last),
    "theater_rate": lambda first, last: first == last,
    "changed_rate": lambda first, last: sum(a != b for a, b in zip(first, last, strict=True)) / SEATS,
    "flips_right_to_wrong": lambda first, last: (
        sum(a == "A" != b for a, b in zip(first, last, strict=True)) / SEATS
    ),
    "flips_wrong_to_right": lambda first, last: (
        sum(a != "A" == b for a, b in zip(first, last, strict=True)) / SEATS
    ),
    "tie_rate": lambda first, last: len(winners(last)) > 1,
}


@pytest.mark.parametrize("name", DEBATE)
def test_a_debate(metrics, name):
    truth = expected(DEBATE[name])
    assert near(metrics["debate"][name].value, truth)
    low, high = metrics["debate"][name].low, metrics["debate"][name].high
    assert low - 0.02 < truth < high + 0.02


def test_what_moves_is_conditional(metrics):
    left = expected(lambda first, last: sum(a == "A" != b for a, b in zip(first, last, strict=True)))
    assert near(metrics["debate"]["fold_rate"].value, left / expected(lambda first, last: first.count("A")))


def test_answers_given_alone_are_calibrated(metrics):
    found = metrics["debate"]
    assert found["confidence"].value == pytest.approx(ACCURACY)
    votes = metrics["self_consistency"]
    truth = sum(
        chance * max(Counter(answers).values()) / VOTES for answers, chance in together([alone()] * VOTES)
    )
    assert near(votes["confidence_vote_share"].value, truth)


def test_costs(metrics):
    assert metrics["debate"]["calls"].value == 2 * SEATS
    assert metrics["self_consistency"]["calls"].value == VOTES


def test_the_control_of_equal_calls(records):
    runs = [
        MeasuredRun(arm, "synthetic", arm, "simulated", 0, N, tabulate(map(measure, rows)))
        for arm, rows in records.items()
    ]
    found = {(c.a, c.b): c for c in summarise("theory", runs).comparisons}
    against = found["debate", "self_consistency@equal_calls"]
    truth = expected(DEBATE["accuracy"]) - majority_accuracy(2 * SEATS)
    assert abs(against.difference - truth) < 4 * 0.5 / sqrt(N)
    assert against.low < truth < against.high
    own = found["debate", "debate@round_0"]
    assert own.low < expected(DEBATE["accuracy"]) - majority_accuracy(SEATS) < own.high


def test_the_first_votes_are_the_debates_first_answers(records):
    firsts = {row.id.sample: row.outcome.positions[0] for row in records["debate"]}
    votes = {row.id.sample: row.outcome.positions[0][:SEATS] for row in records["self_consistency"]}
    assert firsts == votes


WRONG = {
    "unparsed counts as right": (
        "accuracy",
        lambda row, right: right(row.outcome.answer) or None in row.outcome.positions[-1],
    ),
    "the first seat alone": ("accuracy_round_0", lambda row, right: right(row.outcome.positions[0][0])),
    "right once, right for ever": (
        "accuracy",
        lambda row, right: any(map(right, sum(row.outcome.positions, ()))),
    ),
    "agreement of all": ("convergence", lambda row, right: len(set(row.outcome.positions[-1])) == 1),
    "stays for any one seat": (
        "theater_rate",
        lambda row, right: any(a == b for a, b in zip(*row.outcome.positions, strict=True)),
    ),
    "episodes with a flip": (
        "flips_right_to_wrong",
        lambda row, right: any(right(a) > right(b) for a, b in zip(*row.outcome.positions, strict=True)),
    ),
}


@pytest.mark.parametrize("mistake", [name for name in WRONG if not name.startswith("unparsed")])
def test_a_wrong_metric_fails(records, mistake):
    name, wrong = WRONG[mistake]
    values = [
        wrong(row, lambda answer, row=row: answer == row.sample.target.answer) for row in records["debate"]
    ]
    assert not near(sum(values) / N, expected(DEBATE[name]))


def test_unparsed_seats_are_never_right(tmp_path):
    """A mute model's votes: enumerated with silence as a fifth option that never counts."""
    mute = 0.4
    job = job_at(tmp_path, task=Synthetic(N), protocol=SelfConsistency(votes=3, pool=3))
    run(job, model=SimulatedModel(ACCURACY, mute=mute), concurrency=64)
    finish_job(job)
    rows = list(read_records(job.folder))
    found = arm_metrics(tabulate(map(measure, rows)))
    choices = [(answer, chance * (1 - mute)) for answer, chance in alone()] + [(None, mute)]
    given = [(tuple(filter(None, answers)), chance) for answers, chance in together([choices] * 3)]
    truth = sum(chance * right_share(answers) for answers, chance in given if answers)
    assert near(found["accuracy"].value, truth)
    assert near(found["unparsed_rate"].value, mute**3)
    _name, wrong = WRONG["unparsed counts as right"]
    values = [wrong(row, lambda answer, row=row: answer == row.sample.target.answer) for row in rows]
    assert not near(sum(values) / N, truth)
