"""The other ways in which `score` can read the answers of replies that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from madbench.run.replay import Reread
from madbench.tasks.answers import BoolReader, ChoiceReader, NumberReader, TextReader, strict
from madbench.types import AnswerReader, InputError

KINDS: Mapping[str, type[AnswerReader]] = MappingProxyType(
    {"number": NumberReader, "choice": ChoiceReader, "bool": BoolReader, "text": TextReader}
)


def reread_named(text: str) -> Reread:
    """`strict` counts marked answers alone; `number`, `choice`, `bool` and `text` look for such answers, and
    `choice:ABCD` for those letters. Samples whose own reader is of that kind keep what it knows: letters, options'
    texts, words. Raises InputError for other names.
    """
    if text == "strict":
        return strict
    name, _, letters = text.partition(":")
    if name not in KINDS or (letters and name != "choice"):
        known = ", ".join(("strict", *KINDS))
        raise InputError(f"reader: no {text!r}; there are {known} (choice:ABCD names the letters)")
    if letters:
        return lambda own: lettered(own, letters)
    kind = KINDS[name]
    return lambda own: own if isinstance(own, kind) else kind()


def lettered(own: AnswerReader, letters: str) -> ChoiceReader:
    """A reader of these letters, with the sample's own option texts where there are as many."""
    if isinstance(own, ChoiceReader) and len(own.letters) == len(letters):
        return replace(own, letters=letters)
    return ChoiceReader(letters)
