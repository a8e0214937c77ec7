"""The Hydra sweeper `grid`: every combination of the values that were given, composed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper

from madbench.sweep.launcher import SweepLauncher
from madbench.types import InputError


class GridSweeper(BasicSweeper):
    """Hydra's `basic`, which composes every job to see that it can be, before a launcher composes it again.

    Ours compose all of them before the first one starts, so there is nothing left to see.
    """

    def __init__(self, max_batch_size: object = None, params: object = None) -> None:
        """Raises InputError naming the setting that is none."""
        if max_batch_size is not None and (type(max_batch_size) is not int or max_batch_size < 1):
            raise InputError(
                f"hydra.sweeper.max_batch_size: wanted null or 1 and more, found {max_batch_size!r}"
            )
        if params is not None and not isinstance(params, Mapping):
            raise InputError(f"hydra.sweeper.params: wanted keys with their values, found {params!r}")
        super().__init__(max_batch_size, None if params is None else dict(params))

    def validate_batch_is_legal(self, batch: Sequence[Sequence[str]]) -> None:
        if not isinstance(self.launcher, SweepLauncher):
            super().validate_batch_is_legal(batch)
