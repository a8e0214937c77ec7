"""Arms that sign insights are compared by what they sign, too."""

from __future__ import annotations

from madbench.metrics.estimates import Floats
from madbench.metrics.rows import Rows

SIGNED = ("weak_approval", "sound_approval")


def approvals(rows: Rows) -> dict[str, Floats]:
    """Row by row, whether the answer is a weak, and whether a sound insight; empty where the task tells neither."""
    return {name: rows.column(f"fact:{name}") for name in SIGNED if f"fact:{name}" in rows.columns}
