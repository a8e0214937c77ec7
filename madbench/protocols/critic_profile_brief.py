"""The same forms for small models under a grammar: a reply is at most a sentence and always comes to its end.

Texts hold no quotes, backslashes and line breaks, so that no character needs an escape, and the longest reply
of a form, in bytes, bounds the tokens that it can take.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from madbench.protocols import critic_profile_forms as full

PLAIN = r"^[^\x00-\x20\"\\\x7f][^\x00-\x1f\"\\\x7f]*$"
Question = Annotated[str, StringConstraints(pattern=PLAIN, max_length=80)]
Line = Annotated[str, StringConstraints(pattern=PLAIN, max_length=60)]
Half = Annotated[str, StringConstraints(pattern=PLAIN, max_length=32)]


class Rephrased(full.Rephrased):
    """In a benchmark nobody is there to clarify anything; here the form itself says so."""

    unclear: Literal[False]
    text: Question


class Restatement(full.Restatement):
    facts: Line


class Criticism(full.Criticism):
    objection: Line


class Response(full.Response):
    reply: Line
    stance: Literal["conceded", "defended"]


class Verdict(full.Verdict):
    reasons: Half
    confidence: full.Label
    uncertainty: Half


class ProfileNote(full.ProfileNote):
    note: Half
