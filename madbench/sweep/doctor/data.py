"""Are the data whole: golds there, ids unique, shots none of what is asked?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from madbench.run.job import samples_of
from madbench.sweep.doctor.findings import Finding
from madbench.types import Sample, Task, reads_findings


def tasks_of(tasks: Sequence[Task]) -> list[Task]:
    """Every task once."""
    found: list[Task] = []
    for task in tasks:
        if task not in found:
            found.append(task)
    return found


def whole(task: Task) -> Iterator[Finding]:
    """All that can be said of a task's samples before any is played."""
    samples = samples_of(task)
    name = task.name
    counts = Counter(sample.problem.id for sample in samples)
    if twice := [id for id, count in counts.items() if count > 1]:
        yield Finding(
            "fail", "data", name, f"{len(twice)} ids are there twice: {twice[:3]}", "ids of their own"
        )
    if bare := [sample.problem.id for sample in samples if not has_gold(sample)]:
        told = f"{len(bare)} of {len(samples)} samples have no answer that their reader knows: {bare[:3]}"
        yield Finding("fail", "data", name, told, "mend or drop these rows")
    if shared := in_shots(samples):
        told = f"{len(shared)} samples are among the worked examples: {shared[:3]}"
        yield Finding("fail", "data", name, told, "fewer shots, or shots of another split")
    facts = getattr(task, "facts", None)
    if callable(facts) and cast("dict[str, object]", facts()).get("revision") == "not pinned":
        told = f"{len(samples)} samples of a revision that is not pinned: they may change under you"
        yield Finding("warn", "data", name, told, "task.hub.revision=COMMIT")
        return
    if not (twice or bare or shared):
        yield Finding("ok", "data", name, f"{len(samples)} samples, golds there, ids unique, shots apart")


def has_gold(sample: Sample) -> bool:
    """Whether the scorer can know what is right; a clean artifact's review is right without a finding."""
    reader, answer = sample.problem.reader, sample.target.answer
    return reads_findings(reader) or reader.canonical(answer) is not None


def in_shots(samples: Sequence[Sample]) -> list[str]:
    """Ids of samples that a worked example asks word for word."""
    shots = {shot.prompt for sample in samples for shot in sample.problem.shots}
    return [sample.problem.id for sample in samples if any(sample.problem.question in shot for shot in shots)]
