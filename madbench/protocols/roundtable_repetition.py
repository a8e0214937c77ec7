"""Has this been said before? As published, and as it was meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from madbench.protocols.claims import Claim, claims, content, tokens
from madbench.protocols.roundtable_forms import PASS
from madbench.types import InputError, check_settings

UNSPACED = re.compile(r"([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff])")
"""Letters of scripts without spaces between words: each counts as a word."""
OPENER, ENDING = 5, 4
"""So many first words in common are a copied opener; so many new words after it are a new ending."""


class Repetition(Protocol):
    def fault(self, text: str, own: Sequence[str], others: Sequence[str]) -> str:
        """What a contribution repeats of what was said before (oldest first); nothing if it is new."""


@dataclass(frozen=True, kw_only=True)
class Overlap:
    """What share of what is said now has to be old."""

    overlap: float = 0.8

    def __post_init__(self) -> None:
        check_settings(self, "protocol.gates.sameness")
        if not 0 < self.overlap <= 1:
            raise InputError(f"protocol.gates.sameness.overlap: {self.overlap}; wanted above 0, at most 1")


@dataclass(frozen=True, kw_only=True)
class PublishedRepetition(Overlap):
    """The source's rule, faults included: one's own last three, word for word or by more than `overlap`."""

    def fault(self, text: str, own: Sequence[str], others: Sequence[str]) -> str:
        new = set(text.lower().split())
        for old in own[-3:]:
            shared = len(new & set(old.lower().split()))
            if text.strip() == old.strip() or (new and shared / len(new) > self.overlap):
                return f"repeats your own earlier words: {old[:60]}"
        return ""


@dataclass(frozen=True, kw_only=True)
class ClaimRepetition(Overlap):
    """Claims that anybody made before, in any order and spelling; or one's own opener with another ending.

    A number that was not given before is new, and so is a denial of what was claimed. A pass repeats nothing.
    """

    def fault(self, text: str, own: Sequence[str], others: Sequence[str]) -> str:
        if text == PASS:
            return ""
        new, earlier = _claims(text), [claim for old in (*own, *others) for claim in _all_of(_claims(old))]
        if not new:
            return "says nothing"
        units = sum(len(claim.units) for claim in new)
        old_units = sum(len(claim.units) for claim in new if any(self._said(claim, e) for e in earlier))
        if old_units >= self.overlap * units:
            return f"was said before: {text[:60]}"
        copied = next((old for old in own if _reopened(_spaced(text), _spaced(old))), None)
        return "" if copied is None else f"opens with the words of an earlier contribution: {copied[:60]}"

    def _said(self, claim: Claim, earlier: Claim) -> bool:
        enough = len(claim.units & earlier.units) >= self.overlap * len(claim.units)
        return enough and claim.numbers <= earlier.numbers and claim.negated == earlier.negated


def _spaced(text: str) -> str:
    return UNSPACED.sub(r" \1 ", text)


def _claims(text: str) -> tuple[Claim, ...]:
    return claims(_spaced(text))


def _all_of(parts: Sequence[Claim]) -> Iterable[Claim]:
    """The claims one by one, and together as one, as they would stand without full stops."""
    return (*parts, reduce(_joined, parts)) if parts else ()


def _joined(one: Claim, other: Claim) -> Claim:
    negated, hedged = one.negated != other.negated, one.hedged or other.hedged
    return Claim(one.words | other.words, one.numbers | other.numbers, negated, hedged)


def _reopened(text: str, old: str) -> bool:
    """The same first words (a third of the text or more), then an ending in new words that gives no new number."""
    new, known = tokens(text), tokens(old)
    same = next(
        (place for place, pair in enumerate(zip(new, known, strict=False)) if pair[0] != pair[1]), len(known)
    )
    ending, before = new[same:], set(content(known))
    fresh = [word for word in content(ending) if word not in before]
    figures = any(word[0].isdecimal() for word in fresh)
    return same >= max(OPENER, len(new) / 3) and len(ending) >= ENDING and len(fresh) > 1 and not figures
