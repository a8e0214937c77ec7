"""Strengths of correlations in a text, however they are written."""

from __future__ import annotations

import re
from math import sqrt

SIZE = r"(?P<size>[-+−–]?\s?(?:\d++(?:[.,]\d++)?+|[.,]\d++))(?![\d.,]*\d)\s*(?P<share>%|per\s?cent\b)?"
APPROX = r"(?:\s*(?:[=:≈~≃≅<>≤≥]|\b(?:of|is|was|at|about|around|roughly|approximately|only|just|equals|a|an|mere)\b))"
COEFFICIENT = (
    r"(?:(?:pearson|spearman|kendall)(?:['’]?s)?(?:\s+(?:r|rho|tau|correlation))?"
    r"|correlat(?:ion|es?|ed|ing)(?:\s+coefficient)?|r(?:_\w+)?|rho|ρ|tau|τ)"
)
STRENGTH = re.compile(
    rf"""
    (?<![\w'’]){COEFFICIENT}(?![\w'’²^])
    (?: \s* [(\[] [^)\]]* [)\]] )?                            # degrees of freedom
    (?: [^\d.;]{{0,60}}? {APPROX}+ \s* | \s* (?=[-+−–]?\s?[\d.]) )
    {SIZE}
    """,
    re.IGNORECASE | re.VERBOSE,
)
LEADING = re.compile(rf"(?<![\w.,]){SIZE}[-\s]+(?:\w+\s+)?correlation", re.IGNORECASE)
VARIANCE = re.compile(
    rf"(?<![\w'’])r\s?(?:²|\^?2(?!\d)|-?\s?squared){APPROX}+\s*{SIZE}"
    rf"|\bexplain\w*{APPROX}*\s*{SIZE.replace('size', 'part').replace('share', 'parted')}\s*of\s(?:the\s)?variance",
    re.IGNORECASE,
)


def strengths(text: str) -> tuple[float, ...]:
    """|r| of every correlation in a text, 0 to 1, in no certain order; R² and shares of variance by their root.

    What cannot be a correlation (`r = 20`) is none, and neither is a figure that merely follows a letter r.
    """
    found = [
        _value(match["size"], match["share"]) for form in (STRENGTH, LEADING) for match in form.finditer(text)
    ]
    parts = [
        _value(match["size"] or match["part"], match["share"] or match["parted"])
        for match in VARIANCE.finditer(text)
    ]
    return tuple(value for value in (*found, *map(_root, parts)) if value is not None)


def figures(text: str) -> bool:
    """Whether a text gives any number."""
    return any(character.isdecimal() for character in text)


def _value(size: str, percent: str | None) -> float | None:
    number = float(size.lstrip("-+−– ").replace(",", "."))
    value = number / 100 if percent else number
    return value if value <= 1 else None


def _root(value: float | None) -> float | None:
    return None if value is None else sqrt(value)
