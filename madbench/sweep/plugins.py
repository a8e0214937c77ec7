"""Our launchers and our sweeper under the names that Hydra takes plugins by."""

from __future__ import annotations

import sys
from types import ModuleType

from hydra.core.plugins import Plugins

from madbench.sweep.launcher import (
    NAMESPACE,
    DoctorLauncher,
    PoolLauncher,
    PrefetchLauncher,
    SlurmLauncher,
)

LAUNCHERS = (PoolLauncher, SlurmLauncher, PrefetchLauncher, DoctorLauncher)


def register() -> None:
    """Make them known to Hydra.

    Hydra takes plugins of the package `hydra_plugins` only, and imports them by that name. The name is lent to
    these classes, so that no second top-level package has to be installed.
    """
    plugins = (
        Plugins.instance()
    )  # runs the modules of Hydra's own plugins anew: what inherits of them comes after
    from madbench.sweep.grid import GridSweeper

    package = sys.modules.setdefault("hydra_plugins", ModuleType("hydra_plugins"))
    module = sys.modules.setdefault(NAMESPACE, ModuleType(NAMESPACE))
    vars(package)["madbench"] = module
    for plugin in (*LAUNCHERS, GridSweeper):
        plugin.__module__ = NAMESPACE
        setattr(module, plugin.__name__, plugin)
        plugins.register(plugin)
