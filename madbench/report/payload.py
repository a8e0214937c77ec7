"""`summary.json`: a summary as plain data, byte for byte the same for the same summary."""

from __future__ import annotations

import json
from dataclasses import asdict

from pydantic import JsonValue

from madbench.report.cells import defined
from madbench.report.definitions import definitions_of
from madbench.report.published import published_data
from madbench.types import Arm, Estimate, Summary


def summary_json(summary: Summary) -> str:
    """The whole summary as JSON text; undefined numbers (and any that are not finite) are null."""
    names = {name for arm in summary.arms for name in arm.metrics}
    data: dict[str, JsonValue] = {
        "name": summary.name,
        "arms": [_arm(arm) for arm in summary.arms],
        "comparisons": [_finite(asdict(comparison)) for comparison in summary.comparisons],
        "integrity": [_finite(asdict(row)) for row in summary.integrity],
        "verdict": summary.verdict,
        "notes": list(summary.notes),
        "published": published_data(summary),
        "definitions": dict(definitions_of(names)),
        "spent": None if summary.spent is None else _finite(dict(sorted(summary.spent.items()))),
    }
    return json.dumps(data, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _arm(arm: Arm) -> JsonValue:
    return {
        "arm": arm.arm,
        "task": arm.task,
        "protocol": arm.protocol,
        "cast": arm.cast,
        "seed": arm.seed,
        "metrics": {name: _estimate(estimate) for name, estimate in sorted(arm.metrics.items())},
    }


def _estimate(estimate: Estimate) -> JsonValue:
    return {
        "value": defined(estimate.value),
        "low": defined(estimate.low),
        "high": defined(estimate.high),
        "n": estimate.n,
    }


def _finite(row: dict[str, float | str | None]) -> JsonValue:
    return {key: defined(value) if isinstance(value, float) else value for key, value in row.items()}
