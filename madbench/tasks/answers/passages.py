"""Two answers to a question about a passage that only some are shown."""

from __future__ import annotations

from dataclasses import dataclass

from madbench.tasks.answers.choices import ChoiceReader


@dataclass(frozen=True)
class PassageChoiceReader(ChoiceReader):
    """Letters as everywhere; `passage` tells the answer, `stem` is the question without its options."""

    letters: str = "AB"
    stem: str = ""
    passage: str = ""
