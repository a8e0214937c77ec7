"""The ledger of one round table, and the answers round by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import JsonValue

from madbench.protocols.roundtable_facts import facts
from madbench.protocols.roundtable_forms import ADVERSARIES, Contribution, Proposal, Vote
from madbench.types import Answers, Event, Outcome, StopReason


class Log:
    """Append-only. `answered` is a reply to somebody who objected; an objector's vote for the proposal gives its
    objection up (`no_objection`).
    """

    def __init__(self, personas: Sequence[str]) -> None:
        self.events: list[Event] = []
        self.positions: list[Answers] = []
        self._personas, self._looked = personas, Counter[str]()

    def add(self, events: Sequence[Event]) -> None:
        """What happened on the way to a reply. Of replies that a gate let pass only the number is kept (`looked`)."""
        self._looked.update(str(event.facts["gate"]) for event in events if "gate" in event.facts)
        self.events += [event for event in events if event.kind != "cleared"]

    def contributed(self, who: str, round: int, said: Contribution) -> None:
        if said.to in self.objectors and said.to != who and said.move != "pass":
            self._add("answered", who, round, said.text, to=said.to)
        kind = {"object": "objected", "pass": "passed"}.get(said.move, "contributed")
        self._add(kind, who, round, said.text, to=said.to, move=said.move, seat=self._personas.index(who))

    def took_positions(self, said: Sequence[Contribution | None]) -> None:
        """Where everybody stands after a round; who said nothing stands where it stood."""
        before = self.positions[-1] if self.positions else (None,) * len(said)
        stands = (
            old if new is None else new.extraction().answer for new, old in zip(said, before, strict=True)
        )
        self.positions.append(tuple(stands))

    def proposed(self, who: str, round: int, said: Proposal) -> None:
        answer, evidence = said.extraction().answer, list[JsonValue](said.evidence)
        self._add(
            "proposed", who, round, said.insight, answer=answer, evidence=evidence, confidence=said.confidence
        )

    def voted(self, who: str, round: int, said: Vote | None) -> None:
        """None is a void vote: nothing that was said passed the gates, or could be read."""
        adversary, objected = who in ADVERSARIES, who in self.objectors
        vote, concerns, reason = (said.vote, said.concerns, said.reason) if said else ("void", "", "")
        self._add(
            "voted", who, round, reason, vote=vote, concerns=concerns, adversary=adversary, objected=objected
        )
        if said is not None and said.agrees and objected:
            self._add("no_objection", who, round, seat=self._personas.index(who))

    @property
    def objectors(self) -> set[str]:
        return {event.by for event in self.events if event.kind == "objected"}

    def objections(self, who: str) -> tuple[str, ...]:
        return tuple(event.text for event in self.events if event.kind == "objected" and event.by == who)

    def took_sides(self, proposal: Proposal, votes: Sequence[Vote | None]) -> None:
        """Who agrees stands behind the proposal; who does not stands where it stood, unless that was there too."""
        answer, before = (
            proposal.extraction().answer,
            self.positions[-1] if self.positions else (None,) * len(votes),
        )
        self.positions.append(
            tuple(
                old if vote is None else answer if vote.agrees else None if old == answer else old
                for vote, old in zip(votes, before, strict=True)
            )
        )

    def outcome(self, proposal: Proposal | None, *, passed: bool, fallback: str | None) -> Outcome:
        """The proposal's answer if it passed, else the fallback, for which nobody vouches."""
        if not self.objectors and self.positions:
            self._add("no_objection", "table", len(self.positions) - 1)
        self._add("looked", "table", self.events[-1].round if self.events else 0, "", **self._looked)
        answer = proposal.extraction().answer if proposal and passed else fallback
        stop = StopReason.CONSENSUS if passed else StopReason.MAX_ROUNDS
        numbers = facts(self.events, self._personas, approved=passed)
        sure: dict[str, float | str] = {}
        if proposal and passed:
            sure = {
                "stated_label": proposal.confidence,
                "vote_share": int(str(numbers["votes_for"])) / len(self._personas),
            }
        return Outcome(answer, tuple(self.positions), stop, sure, tuple(self.events), numbers)

    def _add(self, kind: str, by: str, round: int, text: str = "", **more: JsonValue) -> None:
        self.events.append(Event(kind, by, round, text, more))
