"""The same forms for small models under a grammar: plain letters, a line each, and an end within the token limit."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from madbench.protocols import roundtable_forms as full

PLAIN = r"^[!#-\[\]-~][ !#-\[\]-~]*$"
"""Printable ASCII without quotes and backslashes: a character is at most a token, and none needs an escape."""
Line = Annotated[str, StringConstraints(pattern=PLAIN, max_length=60)]
Half = Annotated[str, StringConstraints(pattern=PLAIN, max_length=40)]


class Contribution(full.Contribution):
    text: Line


class Proposal(full.Proposal):
    insight: Line
    evidence: Annotated[tuple[Half, ...], Field(min_length=1, max_length=1)]


class Vote(full.Vote):
    reason: Half


BRIEF = full.Forms(Contribution, Proposal, Vote)
