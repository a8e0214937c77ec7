"""Quotations, checked against the passage that they claim to come from."""

from __future__ import annotations

import re
from dataclasses import dataclass

QUOTE = re.compile(r"<quote>(.*?)</quote>", re.IGNORECASE | re.DOTALL)
TAG = re.compile(r"<\s*/?\s*(?:(?:un)?verified|quote)\s*>", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
LEAST = 4
"""Words that a quotation must have, at least, to be told from chance."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A speech with its quotations marked, and how many of them stand in the passage."""

    text: str
    verified: int
    quoted: int


def checked(speech: str, passage: str) -> Checked:
    """Mark every `<quote>` as `<verified>` or `<unverified>`; marks that the speaker set itself are taken away.

    A quotation is verified if its words stand in the passage in this order, one after another, whole, and they are
    four at least: an empty or a common quotation proves nothing (Khan et al., 2024, let it pass).
    """
    flat = " ".join(words(passage))
    count = {True: 0, False: 0}

    def mark(match: re.Match[str]) -> str:
        inner = _unmarked(match[1]).strip()
        verified = stands(inner, flat)
        count[verified] += 1
        tag = "verified" if verified else "unverified"
        return f"\x02{tag}\x03{inner}\x02/{tag}\x03"

    marked = _unmarked(QUOTE.sub(mark, speech.replace("\x02", "").replace("\x03", "")))
    marked = marked.replace("\x02", "<").replace("\x03", ">")
    return Checked(marked, count[True], count[True] + count[False])


def _unmarked(text: str) -> str:
    """Without any mark, those included that come about as others are taken away."""
    while (less := TAG.sub("", text)) != text:
        text = less
    return text


def stands(quotation: str, flat: str) -> bool:
    """Whether a quotation's words stand in a text that was put into words."""
    said = words(quotation)
    return len(said) >= LEAST and f" {' '.join(said)} " in f" {flat} "


def words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in WORD.findall(text.lower())]
