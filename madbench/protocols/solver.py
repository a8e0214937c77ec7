"""The solver: how every protocol first puts a question, so that first answers are the same draws everywhere."""

from typing import ClassVar

from madbench.types import Observation


class Asked(Observation):
    """A question and how to answer it, after the worked examples."""

    shots: ClassVar[bool] = True
    prompt: str
