"""What of an episode can only be told beside its target, and the audit of its channels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from madbench.agents import audit
from madbench.types import Edge, Outcome, Sample, Task, Turn


def scores_of(
    task: Task, edges: Sequence[Edge], sample: Sample, outcome: Outcome | None, turns: Sequence[Turn]
) -> tuple[dict[str, float], str]:
    """The task's scores (none without an outcome), what the audit of its channels counted, and what failed, if any did.

    `audited` turns are those that a forbidden channel ends at, once a channel; leaks and quotes are among them.
    A scorer that raises costs its own scores alone, never the episode.
    """

    def of_task() -> Mapping[str, float]:
        return {} if outcome is None else task.score(outcome, sample.target)

    def of_channels() -> Mapping[str, float]:
        found = audit(sample.problem, turns, edges)
        counts = {"channel_leaks": len(found.leaks), "quoted": found.quoted, "audited": found.checked}
        return {name: float(count) for name, count in counts.items()}

    scored, failed = guarded("task.score", of_task)
    audited, unaudited = guarded("leak audit", of_channels)
    return {**scored, **audited}, "; ".join(filter(None, (failed, unaudited)))


def guarded(name: str, scorer: Callable[[], Mapping[str, float]]) -> tuple[dict[str, float], str]:
    """A scorer's finite numbers, and a note where it raised or gave others."""
    try:
        found = {key: float(value) for key, value in scorer().items()}
    except Exception as error:
        return {}, f"{name}: {type(error).__name__}: {error}"
    odd = sorted(key for key, value in found.items() if not math.isfinite(value))
    note = f"{name}: no number for {', '.join(odd)}" if odd else ""
    return {key: value for key, value in found.items() if key not in odd}, note
