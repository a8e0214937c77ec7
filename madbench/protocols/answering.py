"""Forms in which a task's answer is one field among others."""

from __future__ import annotations

import json
from typing import Self

from pydantic import JsonValue, PrivateAttr

from madbench.protocols.replies import Form
from madbench.types import Extraction, ParseStatus, Problem


class Answering(Form):
    """A form with a field `answer` of the task's own shape, kept after the reasons that lead to it."""

    answer: str | int | float | bool | list[object]
    _found: Extraction = PrivateAttr(Extraction(None, ParseStatus.MISSING, "form"))

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        said = super().read(text, problem, cut=cut)
        answer = problem.reader.canonical(spelled(said.answer))
        status = ParseStatus.MISSING if answer is None else ParseStatus.OK
        return said.finding(Extraction(answer, status, "form", place_of(text, said.answer)))

    def finding(self, found: Extraction) -> Self:
        """Note the answer that was found in this reply."""
        self._found = found
        return self

    @property
    def found(self) -> Extraction:
        return self._found

    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        schema = super().form(problem)
        if schema is None or not isinstance(fields := schema["properties"], dict):
            return None
        reasons, *rest = [name for name in fields if name != "answer"] or ["answer"]
        order = {name: fields[name] for name in (reasons, "answer", *rest)} | {
            "answer": problem.reader.schema()
        }
        return {**schema, "properties": order, "required": list(order)}

    def extraction(self) -> Extraction:
        return self._found


def spelled(answer: object) -> str:
    """A field's value as a bare answer: lists and objects as JSON, all others as they are."""
    return json.dumps(answer, ensure_ascii=False) if isinstance(answer, list | dict) else str(answer)


def place_of(text: str, answer: object) -> tuple[int, int] | None:
    """Where a form's text spells the value of its last field `answer`, in characters."""
    value = json.dumps(answer, ensure_ascii=False).strip('"')
    start = text.find(value, text.rfind('"answer"') + len('"answer"'))
    return None if not value or start < 0 else (start, start + len(value))
