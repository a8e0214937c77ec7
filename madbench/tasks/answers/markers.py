"""Where a reply says that its answer stands: marked stretches, by rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

Stretch = tuple[int, int]
"""Start and end of a piece of text in which an answer is announced."""

Reach = Literal["line", "block", "text"]
Rule = Callable[[str], Iterator[Stretch]]

MARKER = r"""
    \b(?:(?:the|my|our|final|correct|right|best)\s{1,3}){0,3}(?:answer|option|choice)[*_"')\]]{0,3}\s{0,3}
        (?:(?:is|was|would\s+be|should\s+be|must\s+be|seems\s+to\s+be)\b(?:\s{0,2}:)?|[:=：])
  | ^[ \t]{0,3}[\#*_]{1,6}[ \t]*(?:\w{1,12}[ \t]){0,2}answer[*_: \t]{0,6}$
  | \b(?:answer|option|choice)\b[^.\n]{1,160}?\b(?:is|are)\s?:[*_ \t]{0,6}$
  | \banswer\s(?:to|of|for)\s[^.\n:=?"“]{1,60}?\bis\b
  | \#{4}(?=[ \t]{0,3}[-+−$£€]?[\d,.]+[ \t]*$)
"""
QUESTION = re.compile(
    r"^[ \t#*_>]{0,6}(?:question|problem|q|human|user)(?:\s?\d{1,4})?[*_]{0,3}\s?:",
    re.IGNORECASE | re.MULTILINE,
)
BRACED = re.compile(r"\{\s*(?:the\s+)?final\s+answer\s*[*_]{0,2}\s*[:=]\s*", re.IGNORECASE)
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
BLANK, WRAPPING = " \t\r\n", " \t\r\n*_"
BRACE = re.compile(r"(?<!\\)[{}]")


def braced(text: str) -> Iterator[Stretch]:
    """`{final answer: …}`, braces inside it balanced."""
    return _closed(text, BRACED) if "{" in text else iter(())


def boxed(text: str) -> Iterator[Stretch]:
    r"""`\boxed{…}`, braces inside it balanced."""
    return _closed(text, BOXED) if "{" in text else iter(())


def _closed(text: str, opening: re.Pattern[str]) -> Iterator[Stretch]:
    closing = _closing_braces(text) if opening.search(text) else {}
    for match in opening.finditer(text):
        brace = text.index("{", match.start())
        if brace in closing:
            yield match.end(), closing[brace]


def _closing_braces(text: str) -> dict[int, int]:
    """For each opening brace that closes, where it does."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for brace in BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closing[opened.pop()] = brace.start()
    return closing


@lru_cache
def lines(marker: str = "", reach: Reach = "line") -> Rule:
    """`Answer: …`, `the answer is …`, `#### …` and, at a line's start, `marker`.

    A stretch reaches to its line's end, or the next line's if nothing follows the marker (`line`); there, on
    to the text's end (`block`); always to the text's end (`text`). It never reaches over the next marker.
    """
    extra = rf" | ^[ \t]{{0,8}}{re.escape(marker)}" if marker else ""
    pattern = re.compile(MARKER + extra, re.IGNORECASE | re.MULTILINE | re.VERBOSE)

    def rule(text: str) -> Iterator[Stretch]:
        hits = list(pattern.finditer(text))
        for hit, following in zip_longest(hits, hits[1:]):
            bound = following.start() if following else len(text)
            start = _skip(text, hit.end(), bound, BLANK if reach == "text" else WRAPPING)
            far = reach == "text" or (reach == "block" and "\n" in text[hit.end() : start])
            end = bound if far else text.find("\n", start, bound)
            yield start, bound if end < 0 else end

    return rule


def _skip(text: str, start: int, bound: int, over: str) -> int:
    while start < bound and text[start] in over:
        start += 1
    return start


def own_part(text: str) -> str:
    """The text up to where it runs on into a new question; all of it if that starts with the text itself."""
    for match in QUESTION.finditer(text):
        if text[: match.start()].strip():
            return text[: match.start()]
    return text
