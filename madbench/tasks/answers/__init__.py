"""The one place where answers are found in text and put in canonical form; voting and scoring share it."""

from madbench.tasks.answers.booleans import BoolReader
from madbench.tasks.answers.choices import ChoiceReader
from madbench.tasks.answers.findings import FindingsReader
from madbench.tasks.answers.labels import LabelReader
from madbench.tasks.answers.numbers import NumberReader
from madbench.tasks.answers.reasoning import visible
from madbench.tasks.answers.strictness import strict
from madbench.tasks.answers.texts import TextReader

__all__ = [
    "BoolReader",
    "ChoiceReader",
    "FindingsReader",
    "LabelReader",
    "NumberReader",
    "TextReader",
    "strict",
    "visible",
]
