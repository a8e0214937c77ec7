"""Arms that sign insights are compared by what they sign, too; what a task measures is a metric of the arm."""

import pytest
from metrics.build import record, sample

from madbench.metrics import Measured, MeasuredRun
from madbench.metrics.arm import arm_metrics, definitions
from madbench.metrics.contest import contestant, face_to_face
from madbench.metrics.estimates import wilson
from madbench.metrics.measure import measure
from madbench.metrics.rows import tabulate
from madbench.types import RowId


def run(arm, signed):
    """One episode a letter: it signed a weak (w), a sound (s), or no insight (-)."""
    rows = [
        record(
            "B",
            of=sample(f"q{number}"),
            scores={
                "correct": 1.0,
                "fact:weak_approval": float(it == "w"),
                "fact:sound_approval": float(it == "s"),
            },
        )
        for number, it in enumerate(signed)
    ]
    return MeasuredRun(arm, "insights", arm, "small", 0, len(rows), tabulate(map(measure, rows)))


def test_what_was_signed_is_compared_on_the_same_samples():
    found = {
        c.metric: (c.difference, c.n)
        for c in face_to_face(contestant("a", [run("a", "wws-")]), contestant("b", [run("b", "ws--")]))
    }
    assert found == {"accuracy": (0.0, 4), "weak_approval": (0.25, 4), "sound_approval": (0.0, 4)}


def test_a_task_s_own_numbers_are_metrics_and_no_number_of_its_own_is_no_comparison():
    assert arm_metrics(run("a", "wws-").rows)["weak_approval"].value == pytest.approx(0.5)
    plain = MeasuredRun("c", "insights", "c", "small", 0, 1, tabulate([measure(record("B"))]))
    metrics = [c.metric for c in face_to_face(contestant("c", [plain]), contestant("c", [plain]))]
    assert metrics == ["accuracy"]


def test_every_number_of_a_panel_says_what_it_means():
    names = [
        "weak_approval",
        "unanimous_weak_approval",
        "adversary_fold_rate",
        "rejection_rate_vote",
        "retries_of_skeptic",
    ]
    meanings = definitions(names)
    assert all("Measured by" not in meanings[name] for name in names)
    assert "looked at (vote)" in meanings["rejection_rate_vote"]
    assert meanings["retries_of_skeptic"] == "Asks after a rejection, an episode: of_skeptic."


def test_a_share_that_was_never_seen_is_not_known_to_be_none():
    """Of eight panels none signed anything weak: the interval reaches up from 0, and never below."""
    rows = tabulate(
        Measured(RowId(str(n)), str(n), {"fact:weak_approval": 0.0, "fact:rejected": 3.0}) for n in range(8)
    )
    found = arm_metrics(rows)
    low, high = wilson(0, 8)
    assert (found["weak_approval"].low, found["weak_approval"].high) == pytest.approx((low, high))
    assert (found["rejected"].low, found["rejected"].high) == (3, 3)
