"""What makes an outcome right: equality of canonical answers."""

from __future__ import annotations

from madbench.types import Outcome, Target


def exact(outcome: Outcome, target: Target) -> dict[str, float]:
    """`correct`: whether the answer is the target's. No answer is never right."""
    return {"correct": float(outcome.answer is not None and outcome.answer == target.answer)}
