"""Words of a text, as far as counting them tells something."""

from __future__ import annotations

import string
from collections.abc import Iterable
from itertools import pairwise

SPACES = str.maketrans(dict.fromkeys(string.punctuation + "–—’‘“”…−×÷·", " "))
SHORTEST = 4
"""Shorter words bind sentences; numbers are content at any length."""

COMMON = frozenset(
    word
    for line in (
        "about above after again also although always among another answer answers because been before being",
        "between both cannot clearly correct could does done each either even every final finally first following",
        "from given gives have having hence here however into itself just know last less like made make many more",
        "most much must need next once only other others over same second shall should since solution some step",
        "steps still such sure than that their them then there therefore these they thing think this those though",
        "three thus total under until upon very want well were what when where whether which while whose will",
        "with within without would wrong your yours agree agent agents",
    )
    for word in line.split()
)
"""Words that any two replies share by chance."""


def words(text: str) -> frozenset[str]:
    """The different words and numbers of a text, in lower case; punctuation parts them."""
    return frozenset(text.lower().translate(SPACES).split())


def content(among: Iterable[str]) -> set[str]:
    """Numbers, and words of four letters or more that replies do not share by chance."""
    return {word for word in among if word[0].isdigit() or (len(word) >= SHORTEST and word not in COMMON)}


def repeated_pairs(text: str) -> float:
    """Share of a text's neighbouring word pairs that occurred in it before, 0 to 1; 0 for fewer than two words."""
    said = text.lower().split()
    pairs = list(pairwise(said))
    return 1 - len(set(pairs)) / len(pairs) if pairs else 0.0
