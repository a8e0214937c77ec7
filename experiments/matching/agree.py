"""How far can matchers be trusted? Beside recorded judges, on strangers' issues, and for reviewers who know nothing.

    MADBENCH_DATA=… python experiments/matching/agree.py            prints all tables
    MADBENCH_DATA=… python experiments/matching/agree.py pairs OUT  writes the recorded pairs as task=finding_pairs

The recorded judges (martian_review_matches): comments of six review tools on pull requests, matched to known issues
by three models. Each judge listed a tool's comments in its own words, so that judges agree on issues found, not on
pairs: all agreement here is over (known issue, tool), and a matcher's verdict is the majority over the three lists.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from madbench.metrics.estimates import share
from madbench.tasks.finding_pairs import Pair, pair_id
from madbench.tasks.judged import JudgedMatcher
from madbench.tasks.matching import LenientMatcher, Matcher, TextMatcher
from madbench.types import (
    Artifact,
    Document,
    Finding,
    Issue,
    Outcome,
    Sample,
    Span,
    StopReason,
    Task,
    canonical_findings,
    findings_of,
)
from madbench.types.reviews import covered

CONF = Path(__file__).parents[2] / "conf"
PLACE = Span(document="-", first=1, last=1)
PULL = Artifact((Document("-", "not recorded"),))
"""Comments and issues without places: matchers by text alone can be compared."""
THRESHOLDS = (0.15, 0.2, 0.22, 0.25, 0.28, 0.3, 0.35, 0.4)
SETS = ("humanevalfix", "review_modules", "sven_py", "bb_mistake")
DRAWS = 1000
Verdict = tuple[bool, ...]
"""By known issue: whether it was found."""


@dataclass(frozen=True)
class Judgement:
    """One judge's list of one tool's comments on one pull request, and which comment it matched to which issue."""

    comments: tuple[Finding, ...]
    pairs: frozenset[tuple[str, str]]

    def found(self, issues: Sequence[Issue]) -> Verdict:
        hit = {text for text, _ in self.pairs}
        return tuple(issue.description in hit for issue in issues)


@dataclass(frozen=True)
class Review:
    """One tool on one pull request."""

    pull: str
    tool: str
    issues: tuple[Issue, ...]
    judged: tuple[Judgement, ...]

    @property
    def majority(self) -> Verdict:
        return most([judge.found(self.issues) for judge in self.judged])

    def by(self, matcher: Matcher, issues: Sequence[Issue] | None = None) -> Verdict:
        """A matcher's verdict on this review's issues, or on others."""
        known = self.issues if issues is None else issues
        lists = [matcher.match(judge.comments, known, PULL).found for judge in self.judged]
        return most([tuple(at in found for at in range(len(known))) for found in lists])


def most(verdicts: Sequence[Verdict]) -> Verdict:
    return tuple(2 * sum(votes) > len(verdicts) for votes in zip(*verdicts, strict=True))


def reviews(data: Path) -> list[Review]:
    """All reviews of the recorded set, in its order."""
    rows = [json.loads(line) for line in (data / "martian_review_matches" / "data.jsonl").open()]
    return [review for row in rows for review in _reviews(row)]


def _reviews(row: dict) -> Iterator[Review]:
    texts = [plain(golden["comment"]) for golden in row["golden"]]
    issues = tuple(
        Issue(id=f"{row['id']}#{at}", spans=(PLACE,), description=text) for at, text in enumerate(texts)
    )
    for tool, judges in sorted(row["judged"].items()):
        yield Review(row["id"], tool, issues, tuple(_judgement(said) for _, said in sorted(judges.items())))


def _judgement(said: dict) -> Judgement:
    pairs = frozenset((plain(golden), plain(comment)) for golden, comment, _ in said["tp"])
    texts = sorted({comment for _, comment in pairs} | {plain(comment) for comment in said["fp"]})
    return Judgement(tuple(Finding(span=PLACE, text=text) for text in texts), pairs)


def plain(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Agreement:
    """Verdicts against others, issue by issue; `pulls` are the clusters."""

    ours: np.ndarray
    theirs: np.ndarray
    pulls: np.ndarray

    @classmethod
    def of(cls, rows: Sequence[tuple[str, Verdict, Verdict]]) -> Agreement:
        names = sorted({pull for pull, _, _ in rows})
        flat = [(names.index(pull), *pair) for pull, a, b in rows for pair in zip(a, b, strict=True)]
        pulls, ours, theirs = map(np.array, zip(*flat, strict=True))
        return cls(ours, theirs, pulls)

    def precision(self) -> str:
        return self._share(self.ours & self.theirs, self.ours)

    def recall(self) -> str:
        return self._share(self.ours & self.theirs, self.theirs)

    def kappa(self) -> float:
        return kappa(self.ours, self.theirs)

    def spread(self) -> tuple[float, float]:
        """95 % of kappa over pull requests drawn anew."""
        generator, names = np.random.default_rng(0), np.unique(self.pulls)
        rows = [np.flatnonzero(self.pulls == name) for name in names]
        drawn = [
            np.concatenate([rows[at] for at in generator.integers(len(rows), size=len(rows))])
            for _ in range(DRAWS)
        ]
        low, high = np.quantile([kappa(self.ours[at], self.theirs[at]) for at in drawn], (0.025, 0.975))
        return float(low), float(high)

    def _share(self, above: np.ndarray, below: np.ndarray) -> str:
        found = share(above.astype(float), below.astype(float), self.pulls)
        return "–" if found.value is None else f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"

    def line(self, name: str) -> str:
        low, high = self.spread()
        return (
            f"| {name} | {self.precision()} | {self.recall()} | {self.kappa():.3f} [{low:.3f}, {high:.3f}] |"
        )


def kappa(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Cohen's kappa of two raters who say yes or no."""
    same = float(np.mean(ours == theirs))
    a, b = float(np.mean(ours)), float(np.mean(theirs))
    chance = a * b + (1 - a) * (1 - b)
    return 1.0 if chance == 1 else (same - chance) / (1 - chance)


def beside_majority(found: Sequence[Review], matcher: Matcher) -> Agreement:
    return Agreement.of([(review.pull, review.by(matcher), review.majority) for review in found])


def beside_each_other(found: Sequence[Review], said: Callable[[Review, int], Verdict]) -> Agreement:
    """Every judge, as `said` tells its verdict, against every other."""
    pairs = list(permutations(range(len(found[0].judged)), 2))
    return Agreement.of(
        [
            (review.pull, said(review, one), review.judged[two].found(review.issues))
            for review in found
            for one, two in pairs
        ]
    )


def of_labels(review: Review, judge: int) -> Verdict:
    """A recorded judge's verdict by way of its labels: as `score judge=` would take them, one-to-one."""
    said = review.judged[judge]
    rows = [
        {
            "id": pair_id(PULL, comment, issue),
            "label": "MATCH" if (issue.description, comment.text) in said.pairs else "NO_MATCH",
        }
        for comment in said.comments
        for issue in review.issues
    ]
    if not rows:
        return (False,) * len(review.issues)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "labels.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = JudgedMatcher(str(file)).match(said.comments, review.issues, PULL).found
    return tuple(at in found for at in range(len(review.issues)))


def chosen_elsewhere(found: Sequence[Review]) -> Agreement:
    """The text matcher, its threshold chosen for each pull request on all others."""
    by = {least: [review.by(TextMatcher(least)) for review in found] for least in THRESHOLDS}
    rows = []
    for pull in sorted({review.pull for review in found}):
        rest = [at for at, review in enumerate(found) if review.pull != pull]
        best = max(
            THRESHOLDS,
            key=lambda least: Agreement.of(
                [(found[at].pull, by[least][at], found[at].majority) for at in rest]
            ).kappa(),
        )
        rows += [
            (pull, by[best][at], review.majority) for at, review in enumerate(found) if review.pull == pull
        ]
    return Agreement.of(rows)


def noise(found: Sequence[Review], matcher: Matcher) -> float:
    """Share of another pull request's issues that a tool's comments are said to find."""
    issues = {review.pull: review.issues for review in found}
    pulls = list(issues)
    hits = [
        hit
        for review in found
        for hit in review.by(matcher, issues[pulls[(pulls.index(review.pull) + 1) % len(pulls)]])
    ]
    return sum(hits) / len(hits)


def missed(found: Sequence[Review], matcher: Matcher, given: float = 1.0) -> tuple[float, float]:
    """Share of issues missed, and of pull requests with none of their issues found; a share `given` of the reviews
    is there, the first ones, the others are absent.
    """
    verdicts = [
        review.by(matcher)
        if at < given * len(found)
        else tuple(
            index in matcher.match(None, review.issues, PULL).found for index in range(len(review.issues))
        )
        for at, review in enumerate(found)
    ]
    issues = [hit for verdict in verdicts for hit in verdict]
    return 1 - sum(issues) / len(issues), sum(not any(verdict) for verdict in verdicts) / len(verdicts)


Reviewer = Callable[[Sample, Artifact], list[Finding]]


def every_line(_: Sample, artifact: Artifact) -> list[Finding]:
    return [
        _at(document, line) for document in artifact.documents for line in range(1, len(document.lines) + 1)
    ]


def whole_files(_: Sample, artifact: Artifact) -> list[Finding]:
    return [_at(document, 1, len(document.lines)) for document in artifact.documents]


def silent(_: Sample, __: Artifact) -> list[Finding]:
    return []


def one_random_line(sample: Sample, artifact: Artifact) -> list[Finding]:
    return random.Random(sample.problem.id).sample(every_line(sample, artifact), 1)


def four_random_lines(sample: Sample, artifact: Artifact) -> list[Finding]:
    lines = every_line(sample, artifact)
    return random.Random(sample.problem.id).sample(lines, min(4, len(lines)))


def the_gold(sample: Sample, _: Artifact) -> list[Finding]:
    return list(findings_of(sample.target.answer))


REVIEWERS: tuple[Reviewer, ...] = (
    every_line,
    whole_files,
    silent,
    one_random_line,
    four_random_lines,
    the_gold,
)


def _at(document: Document, first: int, last: int | None = None) -> Finding:
    return Finding(
        span=Span(document=document.name, first=first, last=last or first), text="Something is wrong here."
    )


def task_of(name: str, data: Path) -> Task:
    with initialize_config_dir(str(CONF), version_base=None):
        return instantiate(
            compose("config", [f"task={name}", f"task.path={data / name}"]).task, _convert_="all"
        )


@dataclass(frozen=True)
class Sums:
    """Counts of one reviewer over one set, pooled."""

    counts: dict[str, float]

    def of(self, above: str, below: str) -> float | None:
        return self.counts[above] / self.counts[below] if self.counts[below] else None


def reviewed(task: Task, reviewer: Reviewer) -> Sums:
    counts = dict.fromkeys(
        ("matched", "judged", "found", "known", "noise", "strange", "alarms", "clean", "places"), 0.0
    )
    for sample in task.samples():
        artifact = sample.problem.reader.artifact
        answer = canonical_findings(reviewer(sample, artifact))
        scores = task.score(Outcome(answer, ((answer,),), StopReason.MAX_ROUNDS), sample.target)
        matched, unmatched = scores["view:final:matched"], scores["view:final:unmatched"]
        known = scores["view:final:known"]
        issues = [Issue.model_validate(issue, strict=False) for issue in sample.target.facts["issues"]]
        lines = sum(len(document.lines) for document in artifact.documents)
        more = {
            "matched": matched,
            "judged": matched + unmatched,
            "found": known - scores["view:final:missed"],
            "known": known,
            "noise": scores.get("noise:final:matched", 0),
            "strange": scores.get("noise:final:known", 0),
            "alarms": unmatched * scores["clean"],
            "clean": scores["clean"],
            "places": lines - sum(covered(issue.spans) - 1 for issue in issues),
        }
        counts = {name: value + more[name] for name, value in counts.items()}
    return Sums(counts)


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def agreement_table(found: Sequence[Review]) -> Iterator[str]:
    yield "| against the majority of three judges | precision | recall | kappa |\n|---|---|---|---|"
    for least in THRESHOLDS:
        yield beside_majority(found, TextMatcher(least)).line(f"`text`, least={least}")
    yield chosen_elsewhere(found).line("`text`, threshold chosen on the other pull requests")
    yield beside_majority(found, LenientMatcher()).line("`lenient`")
    yield "\n| one judge against another | precision | recall | kappa |\n|---|---|---|---|"
    yield beside_each_other(found, lambda review, at: review.judged[at].found(review.issues)).line(
        "as recorded"
    )
    yield beside_each_other(found, of_labels).line("`judged`: its labels, one-to-one")


def noise_table(found: Sequence[Review]) -> Iterator[str]:
    yield "| matcher | its own issues found | another's issues found (noise floor) |\n|---|---|---|"
    for name, matcher in (("text", TextMatcher()), ("lenient", LenientMatcher())):
        yield f"| `{name}` | {1 - missed(found, matcher)[0]:.3f} | {noise(found, matcher):.3f} |"


def missed_table(found: Sequence[Review]) -> Iterator[str]:
    issues, pulls = "issues missed: judges | `text` | `lenient`", "PRs missed: judges | `text` | `lenient`"
    yield f"| tool | {issues} | {pulls} | `lenient`, 24 of 59 given |"
    yield "|---|---|---|---|---|---|---|---|"
    for tool in sorted({review.tool for review in found}):
        own = [review for review in found if review.tool == tool]
        said = [hit for review in own for hit in review.majority]
        none = sum(not any(review.majority) for review in own) / len(own)
        text, lenient, absent = (
            missed(own, TextMatcher()),
            missed(own, LenientMatcher()),
            missed(own, LenientMatcher(), 24 / 59),
        )
        rates = [1 - sum(said) / len(said), text[0], lenient[0], none, text[1], lenient[1], absent[1]]
        yield f"| {tool} | " + " | ".join(f"{100 * rate:.1f} %" for rate in rates) + " |"


def set_table(data: Path) -> Iterator[str]:
    yield "| set | reviewer | recall | precision | base rate | false alarms per clean | recall of strangers' issues |"
    yield "|---|---|---|---|---|---|---|"
    for name in SETS:
        task = task_of(name, data)
        for reviewer in REVIEWERS:
            sums = reviewed(task, reviewer)
            columns = (
                ("found", "known"),
                ("matched", "judged"),
                ("known", "places"),
                ("alarms", "clean"),
                ("noise", "strange"),
            )
            cells = " | ".join(shown(sums.of(*pair)) for pair in columns)
            yield f"| {name} | {reviewer.__name__.replace('_', ' ').strip()} | {cells} |"


def write_pairs(found: Sequence[Review], out: Path) -> None:
    """Every comment of the first judge's lists with every issue of its pull request; its verdict is the reference."""
    with out.open("w", encoding="utf-8") as file:
        for review in found:
            said = review.judged[0]
            for comment in said.comments:
                for issue in review.issues:
                    match = (issue.description, comment.text) in said.pairs
                    name = f"{review.tool}-{pair_id(PULL, comment, issue)}"
                    pair = Pair(
                        id=name,
                        artifact_id=review.pull,
                        finding=comment,
                        issue=issue,
                        reference="MATCH" if match else "NO_MATCH",
                    )
                    file.write(pair.model_dump_json(exclude_defaults=True) + "\n")


def main(data: Path, arguments: Sequence[str]) -> None:
    found = reviews(data)
    if arguments[:1] == ["pairs"]:
        write_pairs(found, Path(arguments[1]))
        return
    for table in (agreement_table(found), noise_table(found), missed_table(found), set_table(data)):
        print(*table, sep="\n", end="\n\n", flush=True)


if __name__ == "__main__":
    main(Path(os.environ["MADBENCH_DATA"]), sys.argv[1:])
