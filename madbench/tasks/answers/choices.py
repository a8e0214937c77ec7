"""Options: the letter of one, or its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from madbench.tasks.answers.reading import Found, Way, read
from madbench.types import Extraction, InputError

WRAP = r"""(?:[\s*_"'“‘`(\[{$<]|\\(?:text|textbf|mathrm|mathbf|boxed)\s?\{|\\[(\[])*"""
"""What may stand around an answer; a plus behind it gives nothing back, so that no run is tried piece by piece."""
FOLLOWS = re.compile(
    r"\s*(?:$|[^\w\s]|\b(?:because|since|as|so|due|given|for|is\s+(?:correct|right|the))\b)", re.IGNORECASE
)
"""What may follow a letter that is also an English word."""


@dataclass(frozen=True)
class ChoiceReader:
    """Multiple choice. `options` are the options' texts in the letters' order (or none, where unknown).

    Canonical is the upper-case letter. A letter inside a word is none, and neither is an article (`A cat`).
    """

    letters: str = "ABCD"
    options: tuple[str, ...] = ()
    marker: str = ""
    strict: bool = False

    def __post_init__(self) -> None:
        if self.options and len(self.options) != len(self.letters):
            raise InputError(f"choices: {len(self.options)} option texts for the letters {self.letters!r}")

    @property
    def instruction(self) -> str:
        letters = f"{', '.join(self.letters[:-1])} or {self.letters[-1]}"
        return f'End your reply with the line "Answer: X", where X is the letter of one option ({letters}).'

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        way = Way(self._parse, self._guess, "last_letter", self.marker, "block", self.strict)
        return read(text, way, cut=cut)

    def canonical(self, answer: str) -> str | None:
        found = self._parse(answer)
        return found.answer if found else None

    def schema(self) -> dict[str, JsonValue]:
        return {"type": "string", "enum": list(self.letters)}

    def _parse(self, stretch: str) -> Found | None:
        forms = _forms(self.letters)
        if match := forms.lead.match(stretch):
            if forms.several.match(stretch, match.end(1)):
                return None
            if not _article(stretch, match):
                return _letter(match)
        return self._option(stretch) or self._line(stretch)

    def _option(self, stretch: str) -> Found | None:
        """The option whose words open the stretch, the longest first; none where two options say the same."""
        for words, letter in _texts(self.letters, self.options):
            if match := words.match(stretch):
                return Found(letter, match.start(1), match.end(1)) if letter else None
        return None

    def _line(self, stretch: str) -> Found | None:
        """The letter of the first line that sets one apart; none where that line names several."""
        place = 0
        for line in stretch.splitlines(keepends=True):
            letters = [_letter(match) for match in _forms(self.letters).formal.finditer(line)]
            if letters:
                return letters[0].moved(place) if len({found.answer for found in letters}) == 1 else None
            place += len(line)
        return None

    def _guess(self, text: str) -> list[Found]:
        """Letters in brackets or at the head of a line or of bold text (`C) …`), else bare capitals."""
        forms = _forms(self.letters)
        bare = (match for match in forms.bare.finditer(text) if not _article(text, match))
        return [_letter(match) for match in forms.formal.finditer(text)] or [_letter(match) for match in bare]


@dataclass(frozen=True, slots=True)
class Forms:
    """The ways in which a letter of one set may stand in a text, the letter in the last group."""

    lead: re.Pattern[str]
    several: re.Pattern[str]
    formal: re.Pattern[str]
    bare: re.Pattern[str]


@lru_cache
def _forms(letters: str) -> Forms:
    one = f"[{re.escape(letters)}]"
    return Forms(
        lead=re.compile(
            rf"{WRAP}+(?:(?:option|choice|answer|letter)\b[\s:*_(]*+)?{WRAP}+({one})(?![\w'’])", re.IGNORECASE
        ),
        several=re.compile(
            rf"[\s*_)\]]*(?:or|and|/|&|,)[\s*_(\[]*(?:option\s)?{one}(?![\w'’])", re.IGNORECASE
        ),
        formal=re.compile(
            rf"(?<!not )[(\[]\s?(?P<inside>{one})\s?[)\]]"
            rf"|(?:^|\*\*)[ \t*_]{{0,40}}(?P<head>{one})(?:[)\].:]+(?=[\s*]|$)|[*_ ]*(?:$|[-–—:]\s))",
            re.MULTILINE,
        ),
        bare=re.compile(rf"(?<![\w'’.-])(?<!not )({one})(?![\w'’-]|\.\w)"),
    )


@lru_cache(maxsize=4096)
def _texts(letters: str, options: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], str | None], ...]:
    """Each option's words as a pattern, longest first, with its letter (None for words of two options)."""
    spelled = [" ".join(option.split()).rstrip(".").casefold() for option in options]
    ordered = sorted(zip(spelled, letters, strict=False), key=lambda pair: -len(pair[0]))
    return tuple(
        (_wording(words), letter if spelled.count(words) == 1 else None) for words, letter in ordered if words
    )


def _wording(words: str) -> re.Pattern[str]:
    spaced = r"\s+".join(map(re.escape, words.split()))
    return re.compile(rf"{WRAP}({spaced})(?!\w|[.,]\d)", re.IGNORECASE)


def _article(text: str, match: re.Match[str]) -> bool:
    """Whether a letter is rather the word `a` or `I`."""
    return match[1] in "AaIi" and not FOLLOWS.match(text, match.end(1))


def _letter(match: re.Match[str]) -> Found:
    group = match.lastindex or 0
    return Found(match[group].upper(), match.start(group), match.end(group))
