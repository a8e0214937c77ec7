"""Whole sessions as clusters: a protocol that remembers one question at the next makes their rows dependent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from madbench.metrics.comparisons import joint_clusters
from madbench.metrics.rows import Rows


def by_session(rows: Rows) -> Rows:
    """The same rows, clustered by session too where they have sessions."""
    sessions = rows.column("session")
    if np.isnan(sessions).all():
        return rows
    alone = -1 - np.arange(len(rows))
    named = np.where(np.isnan(sessions), alone, sessions).astype(np.int64)
    return replace(rows, clusters=joint_clusters(rows.clusters, named))
