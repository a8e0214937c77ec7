"""What panels signed: weak and sound insights, who folded, and whether rules were kept."""

from __future__ import annotations

from madbench.report.cells import share
from madbench.report.sheet import Sheet
from madbench.report.tables import NOTHING, label, shown
from madbench.types import Summary

HEADS = (
    "arm",
    "approved %\n[95 %]",
    "weak\napproval %",
    "unanimous\nweak %",
    "sound\napproval %",
    "folded on\nweak %",
    "n",
)
SHARES = ("approved", "weak_approval", "unanimous_weak_approval", "sound_approval", "fold_rate_on_weak")


def approvals_table(summary: Summary) -> Sheet:
    """One row for each arm whose protocol votes on a proposal. Approvals are shares of all episodes, folds of the
    adversaries who had objected, on weak proposals. Without such an arm, no rows.
    """
    arms = shown(summary.arms)
    voting = [arm for arm in arms if arm.metrics.get("approved", NOTHING).value is not None]
    return Sheet(
        "Proposals approved, weak and sound ones (the evidence against the confidence), and who folded",
        HEADS,
        tuple(
            (
                label(arm, arms),
                *(share(arm.metrics.get(name, NOTHING)) for name in SHARES),
                str(arm.metrics["approved"].n),
            )
            for arm in voting
        ),
    )
