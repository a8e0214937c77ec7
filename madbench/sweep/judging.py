"""Judging as a run of its own: pairs of findings and issues out of records, a judge's labels back into scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import cast

from madbench.records.layout import write_text
from madbench.records.seams import check_seam
from madbench.records.views import viewed_records
from madbench.run.job import Job, asked
from madbench.sweep.kept import jobs_in
from madbench.tasks.answers.labels import MATCH, NO_MATCH
from madbench.tasks.finding_pairs import FindingPairs, Pair, excerpt_of, pair_id
from madbench.tasks.judged import JudgedMatcher
from madbench.tasks.matching import LenientMatcher, LocationMatcher, Matcher, TextMatcher
from madbench.tasks.review_scoring import artifact_in, issues_in, views_of
from madbench.types import Finding, InputError, Record, Task
from madbench.types.spelling import plain

MATCHERS: Mapping[str, type[Matcher]] = MappingProxyType(
    {"location": LocationMatcher, "text": TextMatcher, "lenient": LenientMatcher}
)


def matcher_named(name: str) -> Matcher:
    """A matcher with its default settings. Raises InputError naming those there are."""
    if name not in MATCHERS:
        raise InputError(
            f"matcher: no {name!r}; there are {', '.join(MATCHERS)}; judge=FOLDER takes a judge's"
        )
    return MATCHERS[name]()


def rematched(task: Task, matcher: Matcher) -> Task:
    """The task with another matcher. Raises InputError for one that has none."""
    if not is_dataclass(task) or "matcher" not in {field.name for field in fields(task)}:
        raise InputError(f"matcher: task {task.name} matches no findings to issues")
    return cast(Task, replace(task, matcher=matcher))


def pairs_in(jobs: Sequence[Job]) -> dict[str, Pair]:
    """Every pair of a finding of these runs and an issue of its artifact, then the controls; each once, by id.

    An issue that strangers happen to share is no control.
    """
    pairs: dict[str, Pair] = {}
    for pair in (pair for job in jobs for record in _viewed(job) for pair in pairs_of(record)):
        pairs.setdefault(pair.id, pair)
    if not pairs:
        raise InputError(
            "pairs: no finding and known issue to pair in these runs; wanted runs of a review task"
        )
    return dict(sorted(pairs.items(), key=lambda item: (item[1].control, item[1].artifact_id, item[0])))


def pairs_of(record: Record) -> Iterator[Pair]:
    """The pairs of one review: all its views' findings with the known issues, and with a stranger's as controls."""
    if record.outcome is None or record.sample is None:
        return
    problem, target = record.sample.problem, record.sample.target
    artifact, place = artifact_in(target), LocationMatcher()
    views = views_of(record.outcome).values()
    said = {Finding(span=one.span, text=one.text, kind=one.kind) for view in views for one in view or ()}
    for name, control in (("issues", False), ("strange_issues", True)):
        for issue in issues_in(target, name):
            for finding in sorted(said, key=lambda finding: finding.text):
                here = not control and place.match([finding], [issue], artifact).matched
                yield Pair(
                    id=pair_id(artifact, finding, issue),
                    artifact_id=problem.id,
                    finding=finding,
                    issue=issue,
                    excerpt=excerpt_of(artifact, finding, issue),
                    control=control,
                    reference=MATCH if here else NO_MATCH,
                )


def write_pairs(home: Path, trusted: Set[str] = frozenset()) -> Path:
    """`pairs.jsonl` in an experiment's folder: what a judge is to be asked about its last sweep."""
    pairs = pairs_in(jobs_in(home, trusted)).values()
    rows = [pair.model_dump_json(exclude_defaults=True) for pair in pairs]
    write_text(home / "pairs.jsonl", "".join(f"{row}\n" for row in rows))
    return home / "pairs.jsonl"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A judge's labels by pair: None where none could be read."""

    judge: str
    labels: Mapping[str, str | None]
    pairs: Mapping[str, Pair]

    def __str__(self) -> str:
        def yes(control: bool) -> str:
            asked = [id for id, pair in self.pairs.items() if pair.control is control]
            return f"{sum(self.labels[id] == MATCH for id in asked)} of {len(asked)}"

        unread = sum(label is None for label in self.labels.values())
        return f"judge {self.judge}: MATCH for {yes(False)} pairs and {yes(True)} controls; {unread} labels unread"


def verdicts(judge: Path, home: Path, trusted: Set[str] = frozenset()) -> Verdicts:
    """The labels that a judge's experiment gave to the pairs of another.

    Raises SeamError, with counts and the first ids, unless there is exactly one label for every pair, and
    InputError where the folder holds no single run over pairs.
    """
    jobs = [job for job in jobs_in(judge, trusted) if isinstance(job.task, FindingPairs)]
    if len(jobs) != 1:
        raise InputError(f"judge: {judge} holds {len(jobs)} runs of task=finding_pairs; wanted one judge's")
    pairs, records = pairs_in(jobs_in(home, trusted)), list(_viewed(jobs[0]))
    check_seam("judge requests to labels", list(pairs), [record.id.sample for record in records])
    labels = {record.id.sample: record.outcome.answer if record.outcome else None for record in records}
    return Verdicts(jobs[0].name.cast, labels, pairs)


def judged_by(judge: Path, home: Path, trusted: Set[str] = frozenset()) -> Matcher:
    """A matcher by a judge's labels, which are written down beside the runs that they are about."""
    found = verdicts(judge, home, trusted)
    print(plain(str(found)))
    rows = [json.dumps({"id": id, "label": label}) for id, label in found.labels.items()]
    write_text(home / "labels.jsonl", "".join(f"{row}\n" for row in rows))
    return JudgedMatcher(str(home / "labels.jsonl"))


def _viewed(job: Job) -> Iterator[Record]:
    return viewed_records(job.folder, asked(job).view(job.folder.read_plan()))
