"""A sweep's runs, put together: estimates, comparisons, integrity, one sentence, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from madbench.metrics.arm import arm_metrics
from madbench.metrics.bands import outside
from madbench.metrics.budgets import Shape
from madbench.metrics.comparisons import FEW
from madbench.metrics.contest import Contestant, Meeting, contestant, meetings
from madbench.metrics.estimates import undefined
from madbench.metrics.labels import labels
from madbench.metrics.rows import MeasuredRun
from madbench.metrics.verdict import caution, verdict
from madbench.types import Arm, Estimate, Integrity, Summary


def summarise(
    name: str, runs: Sequence[MeasuredRun], *, shapes: Mapping[str, Shape] | None = None
) -> Summary:
    """What `summary.json` holds. Arms keep the order of `runs`; seeds of one arm also come pooled (seed None).

    `shapes` by cast adds comparisons at equal FLOPs.
    """
    arms = _by_arm(runs)
    contestants = [contestant(label, group) for label, group in arms.items()]
    met = meetings(contestants, shapes or {})
    compared = tuple(meeting.comparison for meeting in met)
    arguing = [one.label for one in contestants if not np.isnan(one.rows.column("theater")).all()]
    remarks = [remark for meeting in met for remark in meeting.remarks]
    integrity = tuple(_integrity(label, group) for label, group in arms.items())
    estimated = [arm for one in contestants for arm in _arms(one, arms[one.label])]
    return Summary(
        name,
        _complete(estimated),
        compared,
        integrity,
        verdict(compared, arguing) + caution(integrity),
        tuple(
            dict.fromkeys(
                [
                    *remarks,
                    *_warnings(contestants),
                    *_unhealthy(estimated),
                    *_shapeless(met, contestants, shapes),
                ]
            )
        ),
    )


def _shapeless(
    met: Sequence[Meeting], contestants: Sequence[Contestant], shapes: Mapping[str, Shape] | None
) -> list[str]:
    """Says of which casts no FLOPs can be had, where equal calls were compared."""
    if not any(meeting.kind == "equal_calls" for meeting in met):
        return []
    casts = dict.fromkeys(one.place[1] for one in contestants if one.place[1] not in (shapes or {}))
    return [
        f"{cast}: no comparison at equal FLOPs, as the shape of its model is not known." for cast in casts
    ]


def _by_arm(runs: Sequence[MeasuredRun]) -> dict[str, list[MeasuredRun]]:
    """Runs that differ in seed alone, under their label."""
    groups: dict[str, list[MeasuredRun]] = {}
    for label, run in zip(labels(runs), runs, strict=True):
        groups.setdefault(label, []).append(run)
    return groups


def _arms(one: Contestant, runs: Sequence[MeasuredRun]) -> list[Arm]:
    """One arm a seed, and all seeds pooled where there are several."""
    arms = [
        Arm(
            one.label,
            run.task,
            run.protocol,
            run.cast,
            run.seed,
            arm_metrics(contestant(one.label, [run]).rows),
        )
        for run in runs
    ]
    if len(runs) > 1:
        task, cast = one.place
        arms.append(Arm(one.label, task, one.protocol, cast, None, arm_metrics(one.rows)))
    return arms


def _complete(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """Every metric name in every arm."""
    names = list(dict.fromkeys(name for arm in arms for name in arm.metrics))
    return tuple(
        Arm(arm.arm, arm.task, arm.protocol, arm.cast, arm.seed, _filled(arm.metrics, names)) for arm in arms
    )


def _filled(metrics: Mapping[str, Estimate], names: Sequence[str]) -> dict[str, Estimate]:
    return {name: metrics.get(name, undefined()) for name in names}


def _integrity(label: str, runs: Sequence[MeasuredRun]) -> Integrity:
    """Counts over all seeds. A row that is there twice is not found twice."""
    planned = sum(run.planned for run in runs)
    found = sum(run.rows.keys.distinct for run in runs)

    def total(column: str) -> int:
        return int(sum(np.nansum(run.rows.column(column)) for run in runs))

    return Integrity(
        label,
        planned,
        found,
        total("errored"),
        total("unparsed"),
        max(planned - found, 0),
        total("channel_leaks"),
        total("quoted"),
    )


def _warnings(contestants: Sequence[Contestant]) -> list[str]:
    return [note for one in contestants for note in _notes(one)]


def _unhealthy(arms: Sequence[Arm]) -> list[str]:
    """Of debates about claims what lies outside of the healthy bands, all seeds together."""
    pooled = {arm.arm for arm in arms if arm.seed is None}
    whole = [arm for arm in arms if arm.seed is None or arm.arm not in pooled]
    return [f"{arm.arm}: {line}" for arm in whole for line in outside(arm.metrics)]


def _notes(one: Contestant) -> list[str]:
    rows, notes = one.rows, list[str]()
    groups = len(np.unique(rows.clusters))
    if len(rows) > groups and groups < FEW:
        notes.append(f"{one.label}: only {groups} clusters; its intervals and tests are rough under {FEW}.")
    if ties := int(np.nansum(rows.column("tie"))):
        notes.append(
            f"{one.label}: {ties} of {len(rows)} votes were tied and drawn by seed; see accuracy_ties."
        )
    if long := int(np.nansum(rows.column("outgrew"))):
        notes.append(
            f"{one.label}: {long} of {len(rows)} episodes did not fit the model's context, and have no answer."
        )
    theater = rows.column("theater")
    if not np.isnan(theater).all() and np.nanmean(theater) == 1:
        dead = "no objection was answered" if "claims" in rows.columns else "nobody moved or took anything up"
        notes.append(f"{one.label}: dead debates; {dead} in any episode.")
    if (
        "known" not in rows.columns
        and rows.column("parsed").any()
        and np.isnan(rows.column("confidence:token_probability")).all()
    ):
        notes.append(f"{one.label}: the engine gave no token probabilities, so ece and brier are undefined.")
    return notes
