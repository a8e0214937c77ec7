"""Re-scoring by marked answers alone."""

from __future__ import annotations

from dataclasses import replace

from madbench.tasks.answers.booleans import BoolReader
from madbench.tasks.answers.choices import ChoiceReader
from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.answers.labels import LabelReader
from madbench.tasks.answers.numbers import NumberReader
from madbench.tasks.answers.texts import TextReader
from madbench.types import AnswerReader, InputError

Reader = FindingsReader | NumberReader | ChoiceReader | BoolReader | TextReader | LabelReader


def strict(reader: AnswerReader) -> Reader:
    """The same reader without its fallback: an answer that no marker announces is none."""
    if not isinstance(reader, Reader):
        raise InputError(f"reader: {type(reader).__name__} has no strict form")
    return replace(reader, strict=True)
