"""Content words: what two descriptions of one fault can be expected to share."""

from __future__ import annotations

import re
from functools import lru_cache

TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""A word of prose, or one part of an identifier: `maxSizeKB` and `max_size_kb` hold the same three."""
SHORTEST = 3

STOPWORDS = frozenset(
    word
    for line in (
        "about above after again all also although always and any are aren because been before being below between",
        "both but can cannot could did didn does doesn doing don down during each either else even ever every few for",
        "from further get gets had has hasn have having here how however into isn its itself just let like lot made",
        "make makes many may might more most much must need needs never not now off one only other our out over own",
        "same shall she should some such than that the their them then there these they this those through too under",
        "until upon very via was wasn way were what when where whether which while who whom why will with within",
        "without won would yet you your the are his her him per non",
    )
    for word in line.split()
)


@lru_cache(maxsize=65536)
def content_words(text: str) -> frozenset[str]:
    """The different content words of a text: identifiers taken apart, plurals and common endings cut off."""
    words = (match.lower() for match in TOKEN.findall(text))
    return frozenset(
        stem(word) for word in words if word.isdigit() or (len(word) >= SHORTEST and word not in STOPWORDS)
    )


def stem(word: str) -> str:
    """A word without its commonest English endings, so that `ignores` is `ignoring`; at least four letters stay."""
    for ending in ("ingly", "edly", "ings", "ing", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word.removesuffix(ending)
            break
    return word[:-1] if word.endswith(("e", "y", "i")) and len(word) > 4 else word


GENERIC = content_words(
    "something anything wrong incorrect error bug fault mistake problem issue finding line step"
)
"""What any finding says of any issue."""


def alike(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Shared words over the geometric mean of both counts (Ochiai), 0 to 1. One shared word alone tells nothing."""
    shared = len(ours & theirs)
    return shared / (len(ours) * len(theirs)) ** 0.5 if shared > 1 else 0.0
