"""How faithful the go-betweens of a protocol were, beside the scores that rest on their words."""

from __future__ import annotations

from madbench.report.cells import share
from madbench.report.sheet import Sheet
from madbench.report.tables import NOTHING, label, shown
from madbench.types import Summary

HEADS = ("arm", "accuracy %\n[95 %]", "kept %\n[95 %]", "softened %\n[95 %]", "added %\n[95 %]", "n")
SHARES = ("restatement_kept", "restatement_softened", "restatement_added")


def fidelity_table(summary: Summary) -> Sheet:
    """One row for each arm whose protocol restates replies: shares of a reply's claims that a restatement keeps or
    softens, and of its own claims that it adds. Without such an arm, no rows.
    """
    arms = shown(summary.arms)
    restating = [arm for arm in arms if arm.metrics.get(SHARES[0], NOTHING).value is not None]
    return Sheet(
        "Restatements: of a reply's claims kept and softened, of a restatement's claims added",
        HEADS,
        tuple(
            (
                label(arm, arms),
                *(share(arm.metrics.get(name, NOTHING)) for name in ("accuracy", *SHARES)),
                str(arm.metrics[SHARES[0]].n),
            )
            for arm in restating
        ),
    )
