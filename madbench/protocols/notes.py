"""Notes about a tendency: are two of them the same, and is one about manner only?"""

from __future__ import annotations

import re

from madbench.protocols.claims import NEGATIONS, content, stem, tokens

MANNER = re.compile(
    r"""\b(?:verbos\w*|wordy|wordiness|chatty|filler|padd?(?:s|ed|ing)?|rambl\w*|long-?winded|conversational|
    emojis?|tone|tonal|phras(?:e|es|ing)|format(?:s|ted|ting)?|markdown|bullet\w*|headings?|bold|italics?|punctuation|
    polite\w*|friendly|concise\w*|terse\w*|brevity|apologi[sz]\w*|(?:too|so)\s+many\s+words|(?:writing|answer)\s+style)\b""",
    re.VERBOSE,
)
FORM = (
    r"(?:answers?|repl(?:y|ies)|responses?|sentences?|paragraphs?|tone|style|manner|wording|language|texts?)"
)
SHAPE = r"(?:long|lengthy|short|brief|formal|informal|casual|serious|numbered|structured)"
SHAPED = re.compile(
    rf"\b{SHAPE}\b(?:\W+\w+)?\W+{FORM}\b|\b{FORM}\b\W+(?:that\W+)?(?:are|is|being)\W+(?:too\W+)?{SHAPE}\b"
)
RELATION = re.compile(r"\b(?:with|for|as|from|into|to|than|before|after|implies|causes|because|by)\b")
SYNONYMS = {
    stem(word): stem(group[0])
    for group in (
        ("omit", "forget", "miss", "neglect", "skip", "drop", "overlook", "ignore", "disregard", "leave"),
        ("excessively", "overly", "broadly", "hastily"),
        ("one", "single", "lone"),
        ("example", "instance", "case", "sample"),
        ("mistake", "confuse", "conflate", "mix"),
        ("error", "slip"),
    )
    for word in group
}
OPPOSITES = tuple(
    tuple(stem(word) for word in pair)
    for pair in (
        ("negative", "positive"), ("upper", "lower"), ("first", "last"), ("minimum", "maximum"),
        ("increase", "decrease"), ("true", "false"), ("necessary", "sufficient"), ("odd", "even"), ("left", "right"),
        ("more", "fewer"), ("high", "low"), ("add", "subtract"), ("multiply", "divide"), ("large", "small"),
    )
)  # fmt: skip


def stylistic(note: str) -> bool:
    """Words of manner, or words of shape beside words for texts: a long answer is style, long division is not."""
    plain = note.lower()
    return bool(MANNER.search(plain) or SHAPED.search(plain))


def terms(note: str) -> frozenset[str]:
    """What a note is about: stems, with synonyms made one."""
    return frozenset(SYNONYMS.get(word, word) for word in content(tokens(note)))


def names_something(note: str) -> bool:
    """Whether a note has any word of content; a number alone is no tendency."""
    return any(not term[0].isdecimal() for term in terms(note))


def same_tendency(one: str, other: str, overlap: float) -> bool:
    """Whether two notes describe one tendency: enough terms in common, no opposites, no exchange of sides."""
    a, b = terms(one), terms(other)
    if not a | b or len(a & b) < overlap * len(a | b):
        return False
    return not (_opposed(a, b) or _denies(one) != _denies(other) or _reversed(one, other))


def takes_up(text: str, note: str) -> bool:
    """Whether a text has at least half of what a note is about."""
    wanted = terms(note)
    return bool(wanted) and 2 * len(wanted & terms(text)) >= len(wanted)


def _opposed(a: frozenset[str], b: frozenset[str]) -> bool:
    only_a, only_b = a - b, b - a
    return any((x in only_a and y in only_b) or (y in only_a and x in only_b) for x, y in OPPOSITES)


def _denies(note: str) -> bool:
    return sum(word in NEGATIONS or word.endswith("n't") for word in tokens(note)) % 2 == 1


def _reversed(one: str, other: str) -> bool:
    """Whether what stands before the relating word in one stands behind it in the other, and the reverse."""
    (before, after), (earlier, later) = _sides(one), _sides(other)
    return bool(before & later and after & earlier)


def _sides(note: str) -> tuple[frozenset[str], frozenset[str]]:
    before, *after = RELATION.split(note.lower(), maxsplit=1)
    return terms(before), terms(" ".join(after))
