"""The minutes of a tribunal: who was out and when, what blocked what, how it was counted, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from madbench.protocols.tribunal_bench import Judgement
from madbench.protocols.tribunal_facts import facts_of
from madbench.protocols.tribunal_hall import Proposals
from madbench.protocols.tribunal_policy import Policy
from madbench.protocols.tribunal_tally import Tally
from madbench.types import Answers, Event, Outcome, StopReason


@dataclass
class Log:
    """`names` are the members', by seat. Events are appended and never changed."""

    names: Sequence[str]
    events: list[Event] = field(default_factory=list)
    positions: list[Answers] = field(default_factory=list)

    def proposed(self, proposals: Proposals) -> Proposals:
        self._missing("dropped", proposals, 0)
        answers = (
            proposals[seat].found.answer if seat in proposals else None for seat in range(len(self.names))
        )
        self.positions.append(tuple(answers))
        return proposals

    def criticised(self, judgements: list[Judgement], proposals: Proposals) -> list[Judgement]:
        """A member without a critique stands where it stood."""
        number, by = len(self.positions), {judgement.seat: judgement for judgement in judgements}
        self._missing("gap", by, number)
        for judgement in judgements:
            for seat, concern in judgement.blocked:
                self._note("blocked", judgement.seat, number, concern, {"proposal": self.names[seat]})
        before = self.positions[-1]
        self.positions.append(
            tuple(by[seat].position(proposals) if seat in by else said for seat, said in enumerate(before))
        )
        return judgements

    def decided(self, count: Tally, chosen: int, policy: Policy) -> int:
        facts: dict[str, JsonValue] = {
            "order": [self.names[seat] for seat in count.order],
            "decided_by": count.level,
            "borda": {self.names[seat]: points for seat, points in count.borda.items()},
            "copeland": {self.names[seat]: score for seat, score in count.copeland.items()},
            "policy": type(policy).__name__,
        }
        self.events.append(Event("decided", "policy", len(self.positions) - 1, self.names[chosen], facts))
        return chosen

    def documented(self, text: str | None) -> None:
        """Without a document that can be read the decision stands."""
        kind = "no_document" if text is None else "document"
        self.events.append(Event(kind, "author", len(self.positions) - 1, text or ""))

    def skipped(self, proposals: Proposals) -> Outcome:
        """Fewer than two proposals are no debate: the one there is, or none, goes through, and the ledger says so."""
        self.events.append(Event("skipped", "engine", 0, f"{len(proposals)} of {len(self.names)} proposals"))
        answer = next((proposal.found.answer for proposal in proposals.values()), None)
        facts: dict[str, JsonValue] = {"skipped": 1}
        return Outcome(answer, tuple(self.positions), StopReason.NO_OBJECTION, {}, tuple(self.events), facts)

    def outcome(self, answer: str | None, count: Tally, last: Sequence[Judgement]) -> Outcome:
        stop = StopReason.CONSENSUS if count.consensus else StopReason.MAX_ROUNDS
        facts = facts_of(self.events, self.positions[0], count, last) | {
            "critique_rounds": len(self.positions) - 1
        }
        return Outcome(answer, tuple(self.positions), stop, {}, tuple(self.events), facts)

    def _missing(self, kind: str, there: Mapping[int, object], number: int) -> None:
        for seat in range(len(self.names)):
            if seat not in there:
                self._note(kind, seat, number)

    def _note(
        self, kind: str, seat: int, number: int, text: str = "", facts: Mapping[str, JsonValue] | None = None
    ) -> None:
        self.events.append(Event(kind, self.names[seat], number, text, facts or {}))
