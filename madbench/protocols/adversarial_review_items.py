"""What a reply is asked about: its items, and the artifact that all of it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from madbench.types import Artifact, InputError, Problem, Strict, reads_findings

ID = re.compile(r"(?<![\w/])(?<!\w-)[A-Z]/\d+(?:/\d+)?(?!-?\w|/\d)", re.IGNORECASE)
"""Ids of claims (`A/1`) and of objections (`B/1/2`), never a part of a longer one."""
Demands = Literal["reasons", "moves", "nothing"]
"""What a reply must have for every item, and a repair asks for: a valid record, any, or none."""


class Slip(Strict):
    """Something in a reply that its form forbids."""

    what: Literal["unknown_id", "duplicate_id", "late_claim", "unread"]
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """What a record is asked for; `alias` is another id that can mean nothing else here.

    `against` is the objection in question, then what the speaker said before it.
    """

    id: str
    alias: str = ""
    against: tuple[str, ...] = ()


def artifact_of(problem: Problem) -> Artifact:
    """Raises InputError for a question that is no review."""
    if not reads_findings(problem.reader):
        raise InputError(
            f"protocol: {problem.id} has no artifact to review; wanted a review task, found answers read by "
            f"{type(problem.reader).__name__}"
        )
    return problem.reader.artifact
