"""A decoder without a model, and the ways in which it can be made to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from madbench.engines.jobs import Job, OutOfMemory
from madbench.types import Completion


class Echo:
    """Ends each row after `max_tokens` steps with its own ids as text; `fault` may raise at any step."""

    def __init__(self, fault: Callable[[list[Job]], None] = lambda rows: None) -> None:
        self.rows: dict[Job, int] = {}
        self.fault = fault
        self.finished: list[Job] = []

    @property
    def live(self) -> int:
        return len(self.rows)

    def admit(self, jobs: Sequence[Job]) -> None:
        self.rows |= dict.fromkeys(jobs, 0)
        self.fault(list(self.rows))

    def advance(self) -> list[tuple[Job, Completion]]:
        self.fault(list(self.rows))
        self.rows = {job: steps + 1 for job, steps in self.rows.items()}
        over = [job for job, steps in self.rows.items() if steps == job.request.sampling.max_tokens]
        for job in over:
            del self.rows[job]
        self.finished += over
        return [
            (job, Completion(str(job.ids), "length", len(job.ids), job.request.sampling.max_tokens))
            for job in over
        ]

    def clear(self) -> None:
        self.rows = {}


def out_of_memory_above(limit: int) -> Callable[[list[Job]], None]:
    def fault(rows: list[Job]) -> None:
        if len(rows) > limit:
            raise OutOfMemory(f"{len(rows)} rows")

    return fault


def out_of_memory_at_step(step: int) -> Callable[[list[Job]], None]:
    steps = iter(range(10**9))

    def fault(rows: list[Job]) -> None:
        if next(steps) == step:
            raise OutOfMemory(f"step {step}")

    return fault


def poison(ids: tuple[int, ...]) -> Callable[[list[Job]], None]:
    def fault(rows: list[Job]) -> None:
        if any(job.ids == ids for job in rows):
            raise ValueError("poison")

    return fault
