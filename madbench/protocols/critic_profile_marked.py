"""The forms as first published: free text with markers, read by the published rules, faults included.

Source: madcap, Python version 0.1.0. Kept so that what its readings cost can be measured.
"""

from __future__ import annotations

import re
from typing import Self, cast

from pydantic import JsonValue

from madbench.protocols import critic_profile_forms as full
from madbench.tasks.answers import visible
from madbench.types import FormatError, Problem, Reply

LABEL = re.compile(r"\b(low|medium|high)\b", re.IGNORECASE)


def is_done(text: str) -> bool:
    """The done phrase anywhere, in any case."""
    return "no further objections" in text.lower()


def stated_confidence(text: str) -> full.Label | None:
    """The first label after the word confidence, else one at most 20 characters before it, else any label."""
    word = re.search("confidence", text, re.IGNORECASE)
    places = [text[word.end() :], text[max(0, word.start() - 20) : word.start()]] if word else []
    found = next((label for part in [*places, text] if (label := LABEL.search(part))), None)
    return cast(full.Label, found[1].lower()) if found else None


def profile_note(text: str) -> str | None:
    """All that follows the marker, unless it is the bare word none."""
    found = re.search(r"^PROFILE_NOTE:\s*(.*)", text, re.DOTALL | re.MULTILINE)
    note = found[1].strip() if found else ""
    return None if note.lower() in ("", "none", "none.") else note


class Marked(Reply):
    @classmethod
    def form(cls, problem: Problem) -> dict[str, JsonValue] | None:
        return None


class Rephrased(Marked, full.Rephrased):
    text: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        for marker, unclear in (("REPHRASED:", False), ("CLARIFY:", True)):
            if marker in text:
                return cls(unclear=unclear, text=text.partition(marker)[2].strip())
        raise FormatError("neither REPHRASED: nor CLARIFY:")


class Restatement(Marked, full.Restatement):
    facts: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        if not visible(text):
            raise FormatError("the restatement is empty")
        return cls(facts=visible(text))


class Criticism(Marked, full.Criticism):
    objection: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        objection, done = visible(text), is_done(text)
        if not (objection or done):
            raise FormatError("the objection is empty")
        return cls(objection=objection, done=done)


class Response(Marked, full.Response):
    reply: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        found = problem.reader.read(text, cut=cut)
        return cls(reply=visible(text), answer=found.answer or "", stance=None).finding(found)

    @property
    def text(self) -> str:
        return self.reply


class Verdict(Marked, full.Verdict):
    reasons: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        found, plain = problem.reader.read(text, cut=cut), visible(text)
        left = re.search(r"remaining uncertainty:\s*(.*)", plain, re.IGNORECASE | re.DOTALL)
        confidence, uncertainty = stated_confidence(plain), left[1].strip() if left else ""
        return cls(
            answer=found.answer or "", reasons=plain, confidence=confidence, uncertainty=uncertainty
        ).finding(found)


class ProfileNote(Marked, full.ProfileNote):
    note: str

    @classmethod
    def read(cls, text: str, problem: Problem, *, cut: bool) -> Self:
        note = profile_note(visible(text))
        return cls(criticised=note is not None, note=note or "")

    @property
    def tendency(self) -> str | None:
        return self.note if self.criticised else None
