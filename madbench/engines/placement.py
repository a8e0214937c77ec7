"""Where a model's weights are put: on one device, or spread over several by transformers' own means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from madbench.types import InputError

Device = Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^(cpu|mps|cuda(:\d+)?)$")]
"""A GPU by its number, or a device as torch writes it."""
Way = Literal["auto", "balanced", "balanced_low_0", "sequential"]
Placing = Way | Annotated[Mapping[str, Device], Field(min_length=1)] | None
"""A way to spread layers over all GPUs of the machine, or a device by module; None: all on one device."""


def refuse_twice(name: str, device: str, device_map: Placing) -> None:
    """Raise InputError where two settings say where a model goes."""
    if device_map is not None and device != "auto":
        raise InputError(
            f"model {name}: device={device} and device_map={device_map} both say where its weights go; leave one out"
        )


def refuse_missing(name: str, device: str, device_map: Placing) -> None:
    """Raise InputError for GPUs that are named and not there."""
    named = [device, *(device_map.values() if isinstance(device_map, Mapping) else ())]
    numbers = [number for number in map(_number, named) if number is not None]
    if numbers and max(numbers) >= (here := gpus_here()):
        found = f"GPU {max(numbers)} is named, torch sees {here or 'none'}"
        raise InputError(f"model {name}: {found}; choose device=auto or cpu, or numbers below {here or 1}")


def refuse_too_many(name: str, wanted: int) -> None:
    """Raise InputError for more GPUs than there are."""
    if wanted > 1 and wanted > (here := gpus_here()):
        raise InputError(
            f"model {name}: it is to be split over {wanted} GPUs (card.gpus times card.stages), torch sees {here}; "
            "ask for fewer, or start where there are as many"
        )


def gpus_here() -> int:
    import torch

    return torch.cuda.device_count()


def _number(device: int | str) -> int | None:
    """Of a GPU; None for another device."""
    if isinstance(device, int):
        return device
    return int(device.partition(":")[2] or 0) if device.startswith("cuda") else None
