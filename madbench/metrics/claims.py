"""A debate about claims in numbers: what was objected, how it was answered, and what became of every claim.

Whether a move was parsed and whether it is valid by the strict contract are two facts, kept apart in every arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from pydantic import JsonValue

from madbench.types import (
    Accepted,
    Answered,
    AnyEntry,
    Claimed,
    Event,
    Move,
    Objected,
    Unaddressed,
    Withdrawn,
    entry_of,
)
from madbench.types import Fault as Breach

NO_FACTS: Mapping[str, JsonValue] = MappingProxyType({})
YIELDED = 0.8
"""A side capitulates if it concedes this share of its first round's objections, and validly rebuts none."""


@dataclass(frozen=True)
class Ledger:
    """The entries of one debate. Only moves that name an objection, on claims that exist, count for anything.

    `fallen` are the claims that do not stand by the protocol's own account.
    """

    entries: Sequence[AnyEntry]
    fallen: frozenset[JsonValue] = frozenset()

    @classmethod
    def of(cls, events: Sequence[Event], facts: Mapping[str, JsonValue] = NO_FACTS) -> Ledger | None:
        """None where no entry is about claims."""
        entries = tuple(entry for event in events if (entry := entry_of(event)) is not None)
        fallen = facts.get("conceded")
        return cls(entries, frozenset(fallen if isinstance(fallen, list) else ())) if entries else None

    @cached_property
    def owners(self) -> dict[str, str]:
        """Every claim's side."""
        return {entry.finding.id: entry.by for entry in self.entries if isinstance(entry, Claimed)}

    @cached_property
    def objections(self) -> dict[str, Objected]:
        found = (entry for entry in self.entries if isinstance(entry, Objected))
        return {entry.objection: entry for entry in found if entry.claim in self.owners}

    @cached_property
    def answers(self) -> list[Answered]:
        """The moves that name an objection, whatever the move and however thin the reason."""
        found = (entry for entry in self.entries if isinstance(entry, Answered))
        return [entry for entry in found if entry.objection in self.objections]

    @property
    def valid(self) -> list[Answered]:
        return [answer for answer in self.answers if answer.valid]

    @cached_property
    def conceded(self) -> dict[str, int]:
        """Claims that their owner gave up, and in which round first."""
        rounds = dict[str, int]()
        for answer in self.answers:
            claim = self.objections[answer.objection].claim
            if answer.move == "CONCEDED" and answer.by == self.owners[claim]:
                rounds.setdefault(claim, answer.round)
        return rounds

    @cached_property
    def accepted(self) -> dict[str, int]:
        """Claims that stand and that an opponent accepted in so many words, and in which round first."""
        rounds = dict[str, int]()
        for entry in self.entries:
            if isinstance(entry, Accepted) and self.owners.get(entry.claim, entry.by) != entry.by:
                rounds.setdefault(entry.claim, entry.round)
        lost = {*self.conceded, *self.defaulted}
        return {claim: number for claim, number in rounds.items() if claim not in lost}

    @cached_property
    def defaulted(self) -> set[str]:
        """Claims that fell though nobody conceded them: terms may say so of one without a valid answer."""
        return {claim for claim in self.owners if claim in self.fallen and claim not in self.conceded}

    @property
    def withdrawn(self) -> set[str]:
        """Objections that their author dropped."""
        found = (entry for entry in self.entries if isinstance(entry, Withdrawn))
        return {e.objection for e in found if e.objection in self.objections}

    @property
    def unaddressed(self) -> set[str]:
        """Objections that no move ever answered, repairs included."""
        found = (entry for entry in self.entries if isinstance(entry, Unaddressed))
        missed = {entry.objection for entry in found if entry.objection in self.objections}
        return missed - {answer.objection for answer in self.answers}


def debated(ledger: Ledger, scores: Mapping[str, float], *, held: bool = True) -> dict[str, float]:
    """One debate's numbers; without claims only that there were none. `held`: False if it failed before any round.

    `scores` tells by `finding:<id>` which claims matched a known issue.
    """
    if not ledger.owners:
        return {"zero_claims": 1.0}
    numbers = {"zero_claims": 0.0, **_states(ledger), **_moves(ledger), **_evidence(ledger)}
    numbers |= _capitulations(ledger) | _harm(ledger, scores) | _by_round(ledger)
    return numbers | (detectors(ledger) if held or ledger.answers else {})


def detectors(ledger: Ledger) -> dict[str, float]:
    """Four rules of theater, 1 or 0 each.

    `theater_no_concession` is the source's first detector, `theater` its corrected one, taken at its word: no
    objection was answered by any parsed move. Stubborn debate is debate.
    """
    changed = ledger.conceded or ledger.accepted or ledger.withdrawn
    return {
        "theater": float(not ledger.answers),
        "theater_no_concession": float(not ledger.conceded),
        "theater_no_valid_answer": float(not ledger.valid),
        "theater_no_state_change": float(not changed),
    }


def _states(ledger: Ledger) -> dict[str, float]:
    """What became of the claims, and whether anybody changed their mind: gave up a claim or an objection."""
    return {
        "claims": float(len(ledger.owners)),
        "conceded": float(len(ledger.conceded)),
        "accepted": float(len(ledger.accepted)),
        "defaulted": float(len(ledger.defaulted)),
        "changed_mind": float(bool(ledger.conceded or ledger.withdrawn)),
        "breaches": float(sum(isinstance(entry, Breach) for entry in ledger.entries)),
    }


def _moves(ledger: Ledger) -> dict[str, float]:
    """The cheapest move is to carry on without a valid reason."""

    def made(move: Move) -> float:
        return float(sum(answer.move == move for answer in ledger.answers))

    return {
        "objections": float(len(ledger.objections)),
        "withdrawn": float(len(ledger.withdrawn)),
        "unaddressed": float(len(ledger.unaddressed)),
        "engaged": float(len({answer.objection for answer in ledger.valid})),
        "moves": float(len(ledger.answers)),
        "valid_moves": float(len(ledger.valid)),
        "rebutted": made("REBUTTED"),
        "carried": made("CARRIED"),
        "cheap_moves": float(sum(a.move == "CARRIED" and not a.valid for a in ledger.answers)),
    }


def _evidence(ledger: Ledger) -> dict[str, float]:
    """References given, in claims (whose own place is one), objections and answers, and those that exist."""
    given = missing = 0
    for entry in ledger.entries:
        if isinstance(entry, Claimed):
            given, missing = given + 1 + len(entry.finding.references), missing + len(entry.unresolved)
        elif isinstance(entry, Objected | Answered):
            given, missing = given + len(entry.references), missing + len(entry.unresolved)
    return {"references": float(given), "resolved": float(given - missing)}


def _capitulations(ledger: Ledger) -> dict[str, float]:
    """Of every side that met objections in the first round (`capitulated:A`): 1 if it capitulated, else 0."""
    first = min((objection.round for objection in ledger.objections.values()), default=0)
    found = dict[str, float]()
    for side in sorted(set(ledger.owners.values())):
        own = {claim for claim, owner in ledger.owners.items() if owner == side}
        met = {key for key, made in ledger.objections.items() if made.round == first and made.claim in own}
        gave = {
            answer.objection
            for answer in ledger.answers
            if (answer.move, answer.by, answer.round) == ("CONCEDED", side, first)
        }
        rebutted = any(a.move == "REBUTTED" and a.by == side for a in ledger.valid)
        if met:
            found[f"capitulated:{side}"] = float(len(gave & met) >= YIELDED * len(met) and not rebutted)
    return found


def _harm(ledger: Ledger, scores: Mapping[str, float]) -> dict[str, float]:
    """Conceded claims of which it is known whether they matched, and those that did: true findings given away."""
    hits = [scores[f"finding:{claim}"] >= 0 for claim in ledger.conceded if f"finding:{claim}" in scores]
    return {"conceded_judged": float(len(hits)), "conceded_known": float(sum(hits))}


def _by_round(ledger: Ledger) -> dict[str, float]:
    """By round: claims settled and conceded in it, objections that were put to their owners, and validly answered."""
    given_up = list(ledger.conceded.values())
    settled = [*given_up, *ledger.accepted.values()]
    put: list[Answered | Unaddressed] = [*ledger.answers]
    put += [entry for entry in ledger.entries if isinstance(entry, Unaddressed)]
    found = dict[str, float]()
    for number in range(1, max((entry.round for entry in ledger.entries), default=0) + 1):
        asked = {entry.objection for entry in put if entry.round == number}
        valid = {answer.objection for answer in ledger.valid if answer.round == number}
        found |= {
            f"settled_round:{number}": float(settled.count(number)),
            f"conceded_round:{number}": float(given_up.count(number)),
            f"asked_round:{number}": float(len(asked.intersection(ledger.objections))),
            f"engaged_round:{number}": float(len(valid)),
        }
    return found
