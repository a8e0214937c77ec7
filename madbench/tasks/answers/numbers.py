"""Numbers: one canonical string for every way of writing the same value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise

from pydantic import JsonValue

from madbench.tasks.answers.reading import Found, Way, read
from madbench.types import Extraction

SIGN = "[-+−–﹣－]"
MINUS = frozenset("-−–﹣－")
CURRENCY = r"(?:\\?[$]|[£€¥₹])"
GAP = r"(?:,|\{,\}|\\[,!]{1,2}|[\u00a0\u2009\u202f])"
PLAIN = rf"(?>(?:\d{{1,3}}(?:{GAP}\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)"
POWER = (
    rf"(?:[eE](?P<exponent>[-+]?\d{{1,3}})(?![\w.])"
    rf"|\s{{0,2}}(?:[×x*]|\\times|\\cdot)\s{{0,2}}10\s?\^\s?\{{?(?P<power>{SIGN}?\d{{1,3}})\}}?)"
)
SMALL = rf"{SIGN}?\d+(?:\.\d+)?"
NUMBER = re.compile(
    rf"""
    (?<![\w^])(?<!\d[:.,/])(?<!\bnot\ )
    (?P<sign>{SIGN})?(?:{CURRENCY}\s?)?(?P<inner>{SIGN})?
    (?>
      (?:(?P<whole>\d+)\s{{0,2}})?\\[dt]?frac\s?
        (?:\{{\s?(?P<over>{SMALL})\s?\}}\s?\{{\s?(?P<under>{SMALL})\s?\}}|(?P<short>\d\d)(?!\d))
    | (?:(?P<mixed>\d+)\s(?=\d+/\d))?(?P<plain>{PLAIN}){POWER}?(?:\s?/\s?(?P<below>\d+(?:\.\d+)?))?
    )
    (?!\d|[:.,]\d|\s?\^|\s?/\s?\d|(?:st|nd|rd|th)\b)
    """,
    re.VERBOSE,
)
SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
REASON = re.compile(r"[:;,\n]|\((?=\s*[A-Za-z])|\b(?:because|since|as|so|if|not)\b", re.IGNORECASE)
LONGEST = 100
"""Digits, and powers of ten, beyond which a number is no answer."""


@dataclass(frozen=True)
class NumberReader:
    """Numeric answers. `marker` is one more line marker of a task (`A:`); `strict` reads marked answers alone.

    Values are exact, then rounded to 12 decimals (12 digits below 1): `18.0`, `$18` and `36/2` are `18`,
    `75%` is `75`, `-3` is not `3`.
    """

    marker: str = ""
    strict: bool = False

    @property
    def instruction(self) -> str:
        return 'End your reply with the line "Answer: N", where N is one number.'

    def read(self, text: str, *, cut: bool = False) -> Extraction:
        return read(text, Way(parse, numbers, "last_number", self.marker, strict=self.strict), cut=cut)

    def canonical(self, answer: str) -> str | None:
        found = parse(answer)
        return found.answer if found else None

    def schema(self) -> dict[str, JsonValue]:
        return {"type": "string", "pattern": r"^-?[0-9]{1,15}([.][0-9]{1,6}|/[1-9][0-9]{0,8})?$"}


def parse(stretch: str) -> Found | None:
    """The first number that a marked stretch gives, equations followed to their right-hand side."""
    sentence = SENTENCE.search(stretch)
    for part in (stretch[: sentence.start()] if sentence else stretch, stretch):
        if found := numbers(part, marked=True):
            return _right_hand_side(part, found)
    return None


def _right_hand_side(text: str, found: list[Found]) -> Found:
    """Of `2 + 4 = 6` the 6; but of `6 (since 2 + 4 = 6)` or `6, as 6 + 4 = 10` the first 6."""
    chosen = found[0]
    for before, later in pairwise(found):
        between = text[before.end if before is chosen else before.start : later.start]
        if REASON.search(between.replace("\\,", "")):
            break
        chosen = later if "=" in between or "≈" in between else chosen
    return chosen


def numbers(text: str, *, marked: bool = False) -> list[Found]:
    """All numbers that stand alone in a text, in order. What opens a `marked` text with `- ` is no list item."""
    before = "=:" if marked else "="
    found = (_found(text, match, before) for match in NUMBER.finditer(text))
    return [number for number in found if number is not None]


def _found(text: str, match: re.Match[str], before: str) -> Found | None:
    try:
        value = _magnitude(match)
    except (ValueError, ArithmeticError):
        return None
    if value is None:
        return None
    start = match.start()
    signs = [match["sign"], match["inner"]]
    if not any(signs) and (place := _loose_minus(text, start, before)) is not None:
        signs, start = ["-"], place
    negative = sum(sign in MINUS for sign in signs if sign) % 2 == 1
    spelled = spell(-value if negative else value)
    return Found(spelled, start, match.end()) if len(spelled) <= LONGEST else None


def _loose_minus(text: str, start: int, after: str) -> int | None:
    """Where a minus stands that is set apart by spaces, yet can be no subtraction: after `=`, say."""
    ahead = text[:start].rstrip(" $\\(*")
    if ahead and ahead[-1] in MINUS and (ahead[:-1].rstrip(" $\\(*") or ":")[-1] in after:
        return len(ahead) - 1
    return None


def _magnitude(match: re.Match[str]) -> Fraction | None:
    """The value without its sign; None where it is too long to be an answer."""
    if len(match[0]) > LONGEST:
        return None
    if match["over"] or match["short"]:
        over, under = match["over"] or match["short"][0], match["under"] or match["short"][1]
        return Fraction(match["whole"] or 0) + _small(over) / _small(under)
    exponent = int(_ascii(match["exponent"] or match["power"] or "0"))
    if abs(exponent) > LONGEST:
        return None
    value = Fraction(re.sub(rf"{GAP}", "", match["plain"])) * Fraction(10) ** exponent
    return Fraction(match["mixed"] or 0) + value / Fraction(match["below"] or 1)


def _small(text: str) -> Fraction:
    return Fraction(_ascii(text))


def _ascii(number: str) -> str:
    return "".join("-" if sign in MINUS else sign for sign in number)


def spell(value: Fraction) -> str:
    """A value in plain decimals: no exponent, no trailing zeros, no `-0`."""
    whole = len(str(abs(value.numerator) // value.denominator))
    digits = whole + 12 if abs(value) >= 1 else 12
    rounded = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    text = format(rounded, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
