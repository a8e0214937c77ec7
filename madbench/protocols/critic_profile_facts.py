"""The numbers of one question that are read off its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from madbench.protocols.restatement import average
from madbench.types import Event

MEASURED = {
    "restatement": ("restated", ("kept", "softened", "added", "drift")),
    "rephrase": ("rephrased", ("kept", "added", "verbatim")),
}
COUNTED = ("restated", "objected", "conceded", "defended", "clarified", "nudged", "aborted")


def facts(ledger: Sequence[Event]) -> dict[str, JsonValue]:
    """Fidelity, as means over the question's restatements (`restatement_kept`, …) and its rephrasing
    (`rephrase_kept`, …), None where undefined; and how often each kind of event happened (`objected`, …).
    """
    shares = {
        f"{what}_{name}": _mean(ledger, kind, name)
        for what, (kind, names) in MEASURED.items()
        for name in names
    }
    return {**shares, **{kind: sum(event.kind == kind for event in ledger) for kind in COUNTED}}


def same_words(question: str, said: str) -> bool:
    """Whether a question is repeated word for word."""
    return " ".join(question.lower().split()) in " ".join(said.lower().split())


def _mean(ledger: Sequence[Event], kind: str, name: str) -> float | None:
    values = [event.facts.get(name) for event in ledger if event.kind == kind]
    return average([value for value in values if isinstance(value, int | float)])
