"""Two arms of one experiment against each other, whichever they are."""

from __future__ import annotations

from collections.abc import Sequence

from madbench.metrics.contest import Contestant, contestant, face_to_face
from madbench.metrics.labels import labels
from madbench.metrics.pairing import same_rows
from madbench.run.job import Job, measured_run
from madbench.run.merging import write_numbers
from madbench.types import Comparison, InputError


def compare(jobs: Sequence[Job], first: str, second: str) -> list[Comparison]:
    """Accuracy of the first arm minus the second's, all seeds of each; on reviews recall and precision. Raises
    InputError for an unknown arm, and where the two do not hold the same samples.
    """
    ours, theirs = _arm(jobs, first), _arm(jobs, second)
    same_rows(ours.rows.keys, theirs.rows.keys)
    return face_to_face(ours, theirs)


def sentence(found: Comparison) -> str:
    """The comparison in one line."""
    if found.difference is None or found.low is None or found.high is None or found.p is None:
        return f"{found.a} and {found.b}: nothing to compare"
    return (
        f"{found.metric} of {found.a} minus {found.b}: {found.difference:+.3f} "
        f"[{found.low:+.3f}, {found.high:+.3f}], p = {found.p:.3g}, n = {found.n} samples"
    )


def _arm(jobs: Sequence[Job], arm: str) -> Contestant:
    """All seeds of one arm, by its label in the report."""
    named = labels([job.name for job in jobs])
    chosen = [job for job, label in zip(jobs, named, strict=True) if label == arm]
    if not chosen:
        raise InputError(f"compare: no arm {arm!r}; there are {', '.join(dict.fromkeys(named))}")
    return contestant(arm, [measured_run(job, write_numbers(job.folder)) for job in chosen])
