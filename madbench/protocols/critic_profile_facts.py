"""The numbers of one question that are read off its ledger."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from madbench.protocols.notes import takes_up
from madbench.protocols.profile import Profile, Rules
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


def notes_facts(ledger: Sequence[Event], rules: Rules, profile: Profile) -> dict[str, JsonValue]:
    """How many notes are active (`tendencies`) and how many wait; of a planted note, whether it is active still
    and how many objections took it up.
    """
    active = rules.active(profile)
    counts: dict[str, JsonValue] = {
        "tendencies": len(active),
        "pending_notes": len(profile.notes) - len(active),
    }
    if not rules.planted:
        return counts
    raised = sum(event.kind == "objected" and takes_up(event.text, rules.planted) for event in ledger)
    return {**counts, "planted_active": rules.planted in active, "planted_raised": raised}


def same_words(question: str, said: str) -> bool:
    """Whether a question is repeated word for word."""
    return " ".join(question.lower().split()) in " ".join(said.lower().split())


def _mean(ledger: Sequence[Event], kind: str, name: str) -> float | None:
    values = [event.facts.get(name) for event in ledger if event.kind == kind]
    return average([value for value in values if isinstance(value, int | float)])
