"""With which side a tit for tat's decision went."""

from __future__ import annotations

from pydantic import JsonValue

from madbench.metrics.kinship import choice
from madbench.types import StopReason


def sided(answer: str | None, affirmative: str | None, negative: str | None) -> float | None:
    """1 if only the affirmative side gave the answer, 0 if only the negative did; None where that cannot be told."""
    if answer is None or affirmative == negative or answer not in (affirmative, negative):
        return None
    return float(answer == affirmative)


def choices(
    stop: StopReason, answer: str | None, affirmative: str | None, negative: str | None
) -> list[JsonValue]:
    """The choice that `sided` tells of: the moderator's where it ended the debate, else the judge's."""
    ours = sided(answer, affirmative, negative)
    if ours is None:
        return []
    by = "moderator/0" if stop is StopReason.JUDGE else "judge/0"
    return [choice(by, ("affirmative/0", affirmative, ours), ("negative/0", negative, 1 - ours))]
