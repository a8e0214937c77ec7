"""What a text claims, as far as words, numbers and negations tell: a measure, not an understanding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORD = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?")
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
OVER = re.compile(r"\bover ?(?=(?:generali|simplif|estimat|rel[iy]|fit|confiden))")
COMMON = _words(
    """a about all also am an and answer answerer any are argues as asserts at author be because been being but by
    can claims concludes could did do does each for from given gives had has have he her his how i if in into is it
    its just more of on one's or our over own replies reply response said says she should since so some states step that
    the their them then there therefore these they this those thus to too us was we were what when which while who
    will with would you your"""
)
NEGATIONS = _words("no not never none nor neither nothing without cannot")
HEDGES = _words(
    """allegedly apparently appear appears believe believes doubtful likely may maybe might perhaps possible possibly
    presumably probably seem seems suggest suggests suppose supposedly tend tends think thinks unclear unconfirmed
    uncertain unsure unverified"""
)
NUMERALS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence: stems of its content words, its numbers, whether it denies, whether it hedges."""

    words: frozenset[str]
    numbers: frozenset[str]
    negated: bool
    hedged: bool

    @property
    def units(self) -> frozenset[str]:
        return self.words | self.numbers


def claims(text: str) -> tuple[Claim, ...]:
    """The sentences that have any content, in order."""
    return tuple(claim for part in SENTENCE.split(text) if (claim := _claim(part)).units)


def tokens(text: str) -> list[str]:
    """Lower case, hyphens opened; over-rely and overrely are one tendency, and so is to rely excessively."""
    return WORD.findall(OVER.sub("excessively ", text.lower().replace("-", " ").replace("’", "'")))


def content(words: Iterable[str]) -> list[str]:
    """Stems of the words that carry content, in order; numbers in one spelling."""
    skipped = COMMON | NEGATIONS | HEDGES
    return [stem(word) for word in words if word not in skipped and not word.endswith("n't")]


def stem(word: str) -> str:
    """A word without its commonest endings; -ise is -ize, number words are numbers."""
    if word[0].isdecimal() or word in NUMERALS:
        return number(NUMERALS.get(word, word))
    word = re.sub(r"'s$", "", word)
    word = re.sub(r"ies$", "y", word) if len(word) > 4 else word
    word = re.sub(r"(?<=[^su])s$", "", word) if len(word) > 3 else word
    word = re.sub(r"(?:ing|ed)$", "", word) if len(word) > 5 else word
    word = re.sub(r"([b-df-hj-np-rtv-y])\1$", r"\1", re.sub(r"(?<=..)e$", "", word))
    return re.sub(r"is$", "iz", word) if len(word) > 4 else word


def number(text: str) -> str:
    """`1,200.50` and `1200.5` are the same number."""
    plain = text.replace(",", "")
    return f"{float(plain):g}" if plain.count(".") <= 1 else plain


def _claim(sentence: str) -> Claim:
    words = tokens(sentence)
    stems = frozenset(content(words))
    numbers = frozenset(unit for unit in stems if unit[0].isdecimal())
    denials = sum(word in NEGATIONS or word.endswith("n't") for word in words)
    return Claim(stems - numbers, numbers, denials % 2 == 1, not HEDGES.isdisjoint(words))
