"""Who changed the answer, from what to what, and how far the seats agree in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from madbench.types import Answers, Outcome, StopReason, Turn

Right = Callable[[str | None], float]
"""How right an answer to a sample is, 0 to 1."""


def own_positions(positions: tuple[Answers, ...], charged: Sequence[Turn]) -> tuple[Answers, ...]:
    """The positions without those of spare seats (votes beyond the arm's own come last)."""
    if not positions:
        return ()
    seats = len({turn.speaker.seat for turn in charged if turn.speaker.role == "solver"}) or len(positions[0])
    return tuple(answers[:seats] for answers in positions)


def moved(
    own: tuple[Answers, ...], outcome: Outcome, charged: Sequence[Turn], right: Right
) -> dict[str, float]:
    """Majorities by round, oracle, agreement; with two rounds or more also flips between first and last."""
    if not own or not own[0]:
        return {}
    numbers = {f"majority_round:{index}": majority_right(answers, right) for index, answers in enumerate(own)}
    numbers["oracle"] = float(any(right(answer) >= 1 for answers in own for answer in answers))
    numbers |= _agreement(own[-1])
    at_once = outcome.stop in (StopReason.NO_OBJECTION, StopReason.CONSENSUS)
    return numbers | (_flips(own, right) if len(own) > 1 or at_once else {})


def majority_right(answers: Answers, right: Right) -> float:
    """Accuracy of the commonest answer, expected over tie-breaks; nobody answered is wrong."""
    counts = Counter(answer for answer in answers if answer is not None)
    most = max(counts.values(), default=0)
    options = [answer for answer in counts if counts[answer] == most]
    return sum(map(right, options)) / len(options) if options else 0.0


def _agreement(final: Answers) -> dict[str, float]:
    """Agreeing pairs of final answers over pairs; a seat without an answer agrees with nobody."""
    pairs = len(final) * (len(final) - 1) / 2
    if not pairs:
        return {}
    counts = Counter(answer for answer in final if answer is not None)
    return {"convergence": sum(count * (count - 1) / 2 for count in counts.values()) / pairs}


def _flips(own: tuple[Answers, ...], right: Right) -> dict[str, float]:
    """Seats by what became of their answer between the first round and the last.

    The cheapest move of a seat asked again is an unchanged answer; of a protocol that could go on, to stop at once.
    """
    ends = [(right(first) >= 1, right(last) >= 1) for first, last in zip(own[0], own[-1], strict=False)]
    rounds = pairwise(own)
    kept = [old == new for before, after in rounds for old, new in zip(before, after, strict=False)] or [True]
    return {
        "seats": float(len(ends)),
        "right_first": float(sum(first for first, _ in ends)),
        "right_to_wrong": float(sum(first and not last for first, last in ends)),
        "wrong_to_right": float(sum(last and not first for first, last in ends)),
        "changed": float(sum(old != new for old, new in zip(own[0], own[-1], strict=False))),
        "moves": float(len(kept)),
        "cheap_moves": float(sum(kept)),
    }
