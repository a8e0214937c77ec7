"""Which arms meet which controls, on the same samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from madbench.metrics import comparisons, review_contest
from madbench.metrics.approvals import approvals
from madbench.metrics.budgets import Budget, Control, Shape, equal_calls, equal_flops, equal_tokens
from madbench.metrics.claim_metrics import arguing
from madbench.metrics.clusters import by_session
from madbench.metrics.comparisons import Paired, joint_clusters
from madbench.metrics.estimates import Floats, Ints, picked
from madbench.metrics.pairing import Keys, Places, same_rows
from madbench.metrics.pooled import PooledPair
from madbench.metrics.review_contest import Shares, is_reviewed
from madbench.metrics.rows import MeasuredRun, Rows, join
from madbench.metrics.shift import pulls
from madbench.metrics.told import compared
from madbench.types import Comparison, InputError, seed_of

VARIED = "-"
"""Begins, in an arm's name, the settings that make several arms of one choice in a sweep."""
SINGLE = ("cot", "cot_sampled")
"""Arms of one answer, or one review."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One arm with the rows of all its seeds. `place` is what arms must share to be compared: task and cast."""

    label: str
    arm: str
    protocol: str
    place: tuple[str, str]
    rows: Rows

    @property
    def choice(self) -> str:
        """The arm's protocol file, without the settings that a sweep varies: `debate` of `debate-agents3`."""
        return self.arm.partition(VARIED)[0]

    @property
    def setting(self) -> str:
        """Those settings: `agents3`; empty where a sweep varies none."""
        return self.arm.partition(VARIED)[2]

    def alike(self, others: Sequence[Contestant], choice: str) -> list[Contestant]:
        """The arms of that choice among others: those of this arm's own setting, else all."""
        found = [other for other in others if other.choice == choice]
        return [other for other in found if other.setting == self.setting] or found


@dataclass(frozen=True, slots=True)
class Meeting:
    """One comparison; `kind` names the control apart from the arm, `remarks` what to know before believing it."""

    kind: str
    comparison: Comparison
    remarks: tuple[str, ...] = ()

    @property
    def family(self) -> tuple[str, str]:
        """The comparisons that are one question asked of several arms."""
        return self.kind, self.comparison.metric


@dataclass(frozen=True, slots=True)
class Opponent:
    """A control: by metric a number for each of its rows, of reviews the parts of pooled shares, and which rows."""

    kind: str
    label: str
    numbers: Mapping[str, Floats]
    keys: Keys
    clusters: Ints
    remarks: tuple[str, ...] = ()
    shares: Shares = field(default_factory=dict)


def contestant(label: str, runs: Sequence[MeasuredRun]) -> Contestant:
    """All seeds of one arm as one table; a sample's rows of all seeds share its cluster."""
    first = runs[0]
    rows = by_session(join([_drawn(run) for run in runs]))
    return Contestant(label, first.arm, first.protocol, (first.task, first.cast), rows)


def _drawn(run: MeasuredRun) -> Rows:
    """Rows whose draw names the run's seed beside the epoch."""
    epochs = run.rows.repeats
    named = np.array([seed_of(run.seed, epoch) for epoch in epochs.different.tolist()], np.int64)
    return replace(run.rows, repeats=replace(epochs, different=named))


def meetings(contestants: Sequence[Contestant], shapes: Mapping[str, Shape]) -> list[Meeting]:
    """Every arm against its controls; p-values Holm-adjusted among the comparisons of one metric with one kind of
    control. `shapes` are those of casts whose FLOPs can be had.
    """
    found = [
        meeting
        for ours in contestants
        for opponent in _opponents(ours, contestants, shapes)
        for meeting in _meet(ours, opponent)
    ]
    adjusted: dict[int, float | None] = {}
    for family in dict.fromkeys(meeting.family for meeting in found):
        places = [place for place, meeting in enumerate(found) if meeting.family == family]
        values = comparisons.holm([found[place].comparison.p for place in places])
        adjusted |= dict(zip(places, values, strict=True))
    return [
        replace(meeting, comparison=replace(meeting.comparison, p=adjusted[place]))
        for place, meeting in enumerate(found)
    ]


def face_to_face(ours: Contestant, theirs: Contestant) -> list[Comparison]:
    """Ours minus theirs by every metric that both have; p-values are not adjusted."""
    return [meeting.comparison for meeting in _meet(ours, _arm("pair", theirs))]


def _opponents(
    ours: Contestant, contestants: Sequence[Contestant], shapes: Mapping[str, Shape]
) -> Iterator[Opponent]:
    peers = [other for other in contestants if other.place == ours.place and other is not ours]
    deepest = max(peers, key=lambda other: (_depth(other), other.setting == ours.setting), default=ours)
    if _depth(deepest) > max(_depth(ours), 1):
        yield from _budgeted(ours, deepest, shapes.get(ours.place[1]))
    if ours.choice != SINGLE[0]:
        yield from (
            _arm(one, other) for one in SINGLE for other in ours.alike(peers, one) if one != ours.choice
        )
    if ours.choice not in SINGLE:
        yield from (_arm("variant", other) for other in peers if _is_variant(ours, other))
    if "majority_round:1" in ours.rows.columns:
        first = {"accuracy": np.nan_to_num(ours.rows.column("majority_round:0"))}
        yield Opponent("round_0", f"{ours.label}@round_0", first, ours.rows.keys, ours.rows.clusters)
    if union := review_contest.union(ours.rows):
        label, rows = f"{ours.label}@union", ours.rows
        yield Opponent("union", label, {}, rows.keys, rows.clusters, shares=union)


def _is_variant(ours: Contestant, other: Contestant) -> bool:
    """Whether the other arm is this one with something changed (`debate_alone` of `debate`), at the same setting."""
    return other.choice.startswith(f"{ours.choice}_") and other.setting == ours.setting


def _depth(other: Contestant) -> int:
    return int(other.rows.pools.depths.max(initial=0))


def _arm(kind: str, other: Contestant) -> Opponent:
    rows = other.rows
    shares = review_contest.shares(rows)
    return Opponent(kind, other.label, _numbers(rows), rows.keys, rows.clusters, shares=shares)


def _numbers(rows: Rows) -> dict[str, Floats]:
    """What two arms are compared by, row by row; NaN where a number is undefined: some shares that protocols and
    tasks measure themselves too, and of debates about claims how they argued.
    """
    right = {} if is_reviewed(rows) else {"accuracy": rows.column("correct")}
    told = pulls(rows) | approvals(rows) | compared(rows)
    return right | told | (arguing(rows) if "claims" in rows.columns else {})


def _budgeted(ours: Contestant, pool: Contestant, shape: Shape | None) -> Iterator[Opponent]:
    try:
        places = same_rows(ours.rows.keys, pool.rows.keys)
    except InputError:
        places = None
    for kind, spend in _budgets(shape).items():
        label = f"{pool.label}@{kind}"
        if places is None:
            yield _arm(kind, replace(pool, label=label))
            continue
        control = spend(pool.rows.pools, places, ours.rows)
        remarks = _remarks(ours.label, label, control)
        clusters = pool.rows.clusters[places]
        right = {} if is_reviewed(ours.rows) else {"accuracy": control.right}
        shares = review_contest.first_votes(pool.rows, places, control)
        yield Opponent(kind, label, right, ours.rows.keys, clusters, remarks, shares)


def _budgets(shape: Shape | None) -> dict[str, Budget]:
    """Equal calls, tokens and, where the model's shape is known, FLOPs: three different controls."""
    found: dict[str, Budget] = {"equal_calls": equal_calls, "equal_tokens": equal_tokens}
    return found if shape is None else found | {"equal_flops": partial(equal_flops, shape=shape)}


def _remarks(ours: str, label: str, control: Control) -> tuple[str, ...]:
    capped = f"{label}: {ours} could buy more votes than the pool holds on {control.capped} samples; deepen the pool."
    short = f"{label}: {ours} spent less than one vote costs on {control.short} samples; they got one vote."
    return tuple(text for text, count in ((capped, control.capped), (short, control.short)) if count)


def _meet(ours: Contestant, opponent: Opponent) -> list[Meeting]:
    """One meeting a metric that both have."""
    try:
        places = same_rows(ours.rows.keys, opponent.keys)
    except InputError as error:
        metric = "missed_issue_recall" if is_reviewed(ours.rows) else "accuracy"
        nothing = Comparison(ours.label, opponent.label, metric, None, None, None, None, 0)
        remark = f"{ours.label} and {opponent.label} were not compared: {error}"
        return [Meeting(opponent.kind, nothing, (remark,))]
    clusters = joint_clusters(ours.rows.clusters, opponent.clusters[places])
    found = list(_by_shares(ours, opponent, places, clusters))
    for metric, values in _numbers(ours.rows).items():
        differences = values - opponent.numbers.get(metric, np.full(len(opponent.keys), np.nan))[places]
        known = ~np.isnan(differences)
        if known.any() or metric == "accuracy":
            pairs = Paired(
                picked(differences, known), picked(clusters, known), ours.rows.counted(differences)
            )
            comparison = _compared(ours.label, opponent.label, metric, pairs)
            found.append(Meeting(opponent.kind, comparison, opponent.remarks))
    return found


def _by_shares(ours: Contestant, opponent: Opponent, places: Places, clusters: Ints) -> Iterator[Meeting]:
    """Reviews by their pooled shares."""
    mine = review_contest.shares(ours.rows)
    for metric, (above, below) in opponent.shares.items():
        theirs = above[places], below[places]
        pair = PooledPair(mine[metric], theirs, clusters, len(ours.rows.names))
        comparison = review_contest.met(ours.label, opponent.label, metric, pair)
        yield Meeting(opponent.kind, comparison, opponent.remarks)


def _compared(ours: str, theirs: str, metric: str, pairs: Paired) -> Comparison:
    if not pairs.samples:
        return Comparison(ours, theirs, metric, None, None, None, None, 0)
    low, high = comparisons.interval(pairs)
    p = comparisons.p_value(pairs)
    return Comparison(ours, theirs, metric, pairs.sums.value, low, high, p, pairs.samples)
