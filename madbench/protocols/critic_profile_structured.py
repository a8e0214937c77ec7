"""A restatement in four parts, so that what was claimed, assumed, left out and offered as evidence stay apart."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from madbench.protocols.critic_profile_forms import Heard, Text
from madbench.protocols.replies import Form
from madbench.protocols.restatement import fidelity

Points = Annotated[tuple[Text, ...], Field(max_length=8)]


class Restatement(Form, Heard):
    core_claims: Annotated[tuple[Text, ...], Field(min_length=1, max_length=8)]
    assumptions: Points
    omitted_variables: Points
    evidence_offered: Points

    @property
    def text(self) -> str:
        parts = {
            "Claims": self.core_claims,
            "Assumptions": self.assumptions,
            "Left out": self.omitted_variables,
            "Evidence offered": self.evidence_offered,
        }
        return "\n".join(
            f"{name}:\n" + "\n".join(f"- {point}" for point in said) for name, said in parts.items() if said
        )


def drift(before: Heard, after: Heard) -> float | None:
    """Share of the earlier restatement's core claims that the later one no longer makes; None without structure."""
    if not isinstance(before, Restatement) or not isinstance(after, Restatement):
        return None
    kept = [fidelity(claim, "\n".join(after.core_claims)) for claim in before.core_claims]
    held = [(each.kept or 0.0) + (each.softened or 0.0) for each in kept]
    return 1 - sum(held) / len(held)
