"""The shapes of the models that runs were played by, for comparisons at equal FLOPs."""

from __future__ import annotations

from collections.abc import Iterable

from madbench.metrics.budgets import Shape
from madbench.records.layout import RunFolder, read_json
from madbench.run.job import Job


def shapes_of(jobs: Iterable[Job]) -> dict[str, Shape]:
    """By cast, from the runs' manifests; without casts of several models, and models that told no shape."""
    found = {job.name.cast: shape_in(job.folder) for job in jobs}
    return {cast: shape for cast, shape in found.items() if shape is not None}


def shape_in(folder: RunFolder) -> Shape | None:
    """What the one engine of a run said of its model."""
    engines = read_json(folder.manifest).get("engines", {}) if folder.manifest.is_file() else {}
    told = [engine.get("shape") for engine in engines.values()]
    if len(told) != 1 or not told[0]:
        return None
    return Shape(told[0]["parameters"], told[0]["layers"], told[0]["width"])
