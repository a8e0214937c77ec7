"""The Hydra sweeper `grid`: every combination of the values that were given, composed once."""

from __future__ import annotations

from collections.abc import Sequence

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

from madbench.sweep.launcher import SweepLauncher


class GridSweeper(BasicSweeper):
    """Hydra's `basic`, which composes every job to see that it can be, before a launcher composes it again.

    Ours compose all of them before the first one starts, so there is nothing left to see.
    """

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        if not isinstance(self.launcher, SweepLauncher):
            super().validate_batch_is_legal(batch)
