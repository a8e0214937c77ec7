"""Seeded tasks: artifacts whose faults were planted here, so that the truth about them is exact by construction."""

from madbench.tasks.seeded.defects import SeededDefects
from madbench.tasks.seeded.documents import SeededDocuments

__all__ = ["SeededDefects", "SeededDocuments"]
