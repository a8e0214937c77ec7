"""Tasks whose own scorers accept several answers: every vote and every majority is judged by them."""

import json
from collections import Counter
from dataclasses import dataclass

import pytest
from jobs import finish, job_at, run

from madbench.engines.simulated import SimulatedModel
from madbench.metrics import measure
from madbench.protocols.critic_profile import CriticProfile
from madbench.protocols.debate import Debate
from madbench.protocols.self_consistency import SelfConsistency
from madbench.protocols.self_refine import SelfRefine
from madbench.tasks.synthetic import Synthetic
from madbench.types import Contract, RoleSettings

RIGHT = {"A": "AC", "B": "BD", "C": "CA", "D": "DB"}
"""As in a countdown, several answers are right; the target is only one of them."""


@dataclass(frozen=True)
class Plural(Synthetic):
    """Judges the single answers that it is shown, as reasoning-gym's own scorers do."""

    def score(self, outcome, target):
        given = {answer for seats in (*outcome.positions, (outcome.answer,)) for answer in seats if answer}
        right = {f"right:{answer}": float(answer in RIGHT[target.answer]) for answer in sorted(given)}
        return {"correct": right.get(f"right:{outcome.answer}", 0.0), **right}


def expected(answers, target):
    """Accuracy of the majority, expected over tie-breaks."""
    counts = Counter(answer for answer in answers if answer)
    tied = [answer for answer in counts if counts[answer] == max(counts.values())]
    return sum(answer in RIGHT[target] for answer in tied) / len(tied) if tied else 0.0


def played(path, protocol):
    forms = RoleSettings(contract=Contract(enforcement="grammar"))
    job = job_at(path, task=Plural(40), protocol=protocol, defaults=forms)
    run(job, model=SimulatedModel(0.3, 0.4, mute=0.2))
    return finish(job)


@pytest.mark.parametrize(
    "protocol",
    [
        Debate(agents=4, debate_rounds=2),
        Debate(peers="other_question"),
        SelfConsistency(votes=3, pool=7),
        SelfRefine(),
        CriticProfile(),
    ],
    ids=lambda protocol: type(protocol).__name__,
)
def test_every_vote_and_every_round_is_judged_by_the_task(tmp_path, protocol):
    records = played(tmp_path, protocol)
    plural = 0
    for record in records:
        if record.outcome is None:
            continue
        target, measured = record.sample.target.answer, measure(record)
        for ballot in measured.pool:
            assert ballot.right == (ballot.answer is not None and ballot.answer in RIGHT[target])
        seats = 3 if isinstance(protocol, SelfConsistency) else None
        for index, answers in enumerate(record.outcome.positions):
            assert measured.numbers[f"majority_round:{index}"] == pytest.approx(
                expected(answers[:seats], target)
            )
            plural += any(answer and answer != target and answer in RIGHT[target] for answer in answers)
    assert plural > 0
    assert len(records) == 40


def test_the_pool_s_spare_votes_are_judged_too(tmp_path):
    records = played(tmp_path, SelfConsistency(votes=3, pool=7))
    spare = [ballot for record in records for ballot in measure(record).pool[3:] if ballot.answer]
    assert len(spare) > 40
    assert 0.45 < sum(ballot.right for ballot in spare) / len(spare) < 0.75  # 0.3 + 0.7 / 3


def test_accuracy_is_the_task_s_own(tmp_path):
    records = played(tmp_path, Debate(agents=3, debate_rounds=1))
    metrics = json.loads((tmp_path / "metrics.json").read_text())["metrics"]
    right = [
        record.outcome.answer is not None and record.outcome.answer in RIGHT[record.sample.target.answer]
        for record in records
    ]
    assert metrics["accuracy"]["value"] == pytest.approx(sum(right) / 40)
