"""The ledger of one question, and the numbers that are read off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TypeVar

from pydantic import JsonValue

from madbench.protocols.critic_profile_facts import facts, notes_facts, same_words
from madbench.protocols.critic_profile_forms import Criticism, Heard, Rephrased, Response, Verdict
from madbench.protocols.critic_profile_structured import drift
from madbench.protocols.profile import Change, Profile, Rules
from madbench.protocols.replies import Statement
from madbench.protocols.restatement import fidelity
from madbench.types import Event, Outcome, StopReason

SaidT = TypeVar("SaidT", bound=Statement | Response)
HeardT = TypeVar("HeardT", bound=Heard)


class Log:
    """Append-only. `positions` are the answerer's answers by round, `judges` the roles that mediate and rule."""

    def __init__(self, judges: tuple[str, str]) -> None:
        self.events: list[Event] = []
        self.positions: list[str | None] = []
        self._judges, self._heard = judges, list[Heard]()

    def rephrased(self, question: str, said: Rephrased) -> Rephrased:
        same = fidelity(question, said.text)
        shares = {"kept": same.kept, "added": same.added, "verbatim": same_words(question, said.text)}
        self._add("clarified" if said.unclear else "rephrased", self._judges[0], said.text, **shares)
        return said

    def nudged(self) -> None:
        self._add("nudged", self._judges[0])

    def restated(self, raw: str, heard: HeardT) -> HeardT:
        lost = drift(self._heard[-1], heard) if self._heard else None
        self._heard.append(heard)
        self._add("restated", self._judges[0], heard.text, **asdict(fidelity(raw, heard.text)), drift=lost)
        return heard

    def criticised(self, said: list[Criticism]) -> list[Criticism]:
        for seat, each in enumerate(said):
            self._add("no_objection" if each.done else "objected", "critic", each.objection, seat=seat)
        return said

    def answered(self, said: SaidT) -> SaidT:
        """A first answer, or a response to objections and the move in it, where it is known."""
        found = said.extraction()
        self.positions.append(found.answer if found else None)
        if isinstance(said, Response):
            self._add("answered", "answerer", said.reply, move=said.stance)
            if said.stance:
                self._add(said.stance, "answerer")
        return said

    def ruled(self, said: Verdict) -> Verdict:
        answer = said.extraction().answer
        self._add("ruled", self._judges[1], said.uncertainty, answer=answer, confidence=said.confidence)
        return said

    def noted(self, profile: Profile, changes: Sequence[Change]) -> Profile:
        for change in changes:
            self._add(change.kind, self._judges[1], change.text)
        return profile

    def outcome(self, verdict: Verdict, stop: StopReason, rules: Rules, profile: Profile) -> Outcome:
        """`profile` is what the critics of the next question will be told from."""
        stated = {} if verdict.confidence is None else {"stated_label": str(verdict.confidence)}
        positions = tuple((answer,) for answer in self.positions)
        numbers = facts(self.events) | notes_facts(self.events, rules, profile)
        return Outcome(verdict.extraction().answer, positions, stop, stated, tuple(self.events), numbers)

    def aborted(self) -> Outcome:
        """Nobody could put the question in neutral words: an outcome without an answer, and counted."""
        self._add("aborted", self._judges[0])
        ledger = tuple(self.events)
        return Outcome(None, ((None,),), StopReason.ERROR, ledger=ledger, facts=facts(ledger))

    def _add(self, kind: str, by: str, text: str = "", **more: JsonValue) -> None:
        self.events.append(Event(kind, by, max(len(self.positions) - 1, 0), text, more))
