"""What every printed number means: the metrics' own definitions, and those of the columns beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from madbench.metrics.arm import definitions

COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "tokens": "Prompt and output tokens an episode.",
        "to equal calls": (
            "The arm's accuracy minus that of self-consistency with as many votes as the arm made calls on the same "
            "sample, in percentage points; paired on the same samples."
        ),
        "[95 %]": "95 % interval, clustered by sample (or session).",
        "p": "Two-sided p of the paired test; Holm-adjusted where several comparisons are made.",
        "errored": "Rows that ended in an error.",
        "lost": "Planned rows that are missing after some stage of the pipeline; must be 0.",
        "leaks": "Texts shown to a role that its protocol hides from it; must be 0.",
        "quoted": "Turns that were shown hidden text because a model quoted it of its own accord: a rate, not a fault.",
    }
)
PRINTED = (
    "accuracy", "unparsed_rate", "theater_rate", "convergence", "ece", "calls", "tokens", "tokens_per_right_answer",
    "to equal calls", "[95 %]", "p", "errored", "lost", "leaks", "quoted",
)  # fmt: skip
"""What the printed tables hold, in their order."""


def printed_definitions() -> dict[str, str]:
    """Every column of the printed tables."""
    known = {**definitions(), **COLUMNS}
    return {name: known[name] for name in PRINTED}


def definitions_of(names: Iterable[str]) -> dict[str, str]:
    """These metrics' definitions, sorted by name."""
    wanted = sorted(set(names))
    known = definitions(wanted)
    return {name: known[name] for name in wanted}
