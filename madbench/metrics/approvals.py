"""Arms that sign insights are compared by what they sign, too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from madbench.metrics.estimates import Floats
from madbench.metrics.rows import Rows

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "approved": "Share of episodes whose proposal passed the vote.",
        "proposed": "Share of episodes in which a proposal came to the vote.",
        "weak_approval": "Share of episodes that end in an insight too weak for how sure it is said to be.",
        "sound_approval": "Share of episodes that end in an insight whose evidence carries its confidence.",
        "unanimous_weak_approval": "Share of episodes that end in a weak insight for which everybody voted.",
        "weak_proposal": "Of the insights put to the vote, the share of weak ones.",
        "weak_passed": "Of the weak insights put to the vote, the share that passed.",
        "sound_passed": "Of the sound insights put to the vote, the share that passed.",
        "adversary_fold_rate": "Of the adversaries who objected in the discussion, the share that agreed in the vote.",
        "fold_rate_on_weak": "The same, where a weak insight was put to the vote.",
        "rejection_rate_": "Of the replies that the gate looked at ({}), the share sent back; mean over episodes.",
        "breach_rate_": "Of the replies that the gate looked at ({}), the share that broke its rule and passed.",
        "rejections_": "Replies sent back by a gate, an episode: {}.",
        "retries_": "Asks after a rejection, an episode: {}.",
    }
)
"""What panels and the task of insights measure, by name or by how names begin."""
SIGNED = ("weak_approval", "sound_approval")


def approvals(rows: Rows) -> dict[str, Floats]:
    """Row by row, whether the answer is a weak, and whether a sound insight; empty where the task tells neither."""
    return {name: rows.column(f"fact:{name}") for name in SIGNED if f"fact:{name}" in rows.columns}
