"""Telling a tracking service about finished runs, best effort: nothing here can lose, delay or fail a result."""

from madbench.tracking.none import NoTracking
from madbench.tracking.runs import Published, TrackedRun, Tracking
from madbench.tracking.wandb import WandbTracking

__all__ = ["NoTracking", "Published", "TrackedRun", "Tracking", "WandbTracking"]
